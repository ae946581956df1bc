#include "partitions/qos_lanes.h"

#include <gmock/gmock.h>

namespace partitions {
namespace {

using testing::ElementsAre;

std::vector<unsigned> lanes(const auto& list) {
  std::vector<unsigned> sls;
  for (const auto& entry : list) sls.push_back(entry.sl.value);
  return sls;
}

TEST(QosLanes, FirstRuleThatNamesThePKeyAlone) {
  config::Diagnostics found;
  const auto policy = config::parse_qos_policy({"qos",
                                                "port-groups\nport-group\nname: hosts\nnode-type: CA\nend-port-group\nend-port-groups\n"
                                                "qos-levels\nqos-level\nname: DEFAULT\nsl: 1\nend-qos-level\nqos-level\nname: two\nsl: 2\nend-qos-level\nend-qos-levels\n"
                                                "qos-match-rules\nqos-match-rule\npkey: 0x10\nsource: hosts\nqos-level-name: two\nend-qos-match-rule\n"
                                                "qos-match-rule\npkey: 0x10-0x20\nqos-class: 1\nqos-level-name: two\nend-qos-match-rule\n"
                                                "qos-match-rule\npkey: 0x8020\nqos-level-name: two\nend-qos-match-rule\nend-qos-match-rules\n"
                                                "qos-ulps\nany, service-id 1-9 : 5\nipoib : 4\nany, pkey 0x20,0x10 : 7\nend-qos-ulps\n"},
                                               found);
  ASSERT_TRUE(policy);
  sm::PartitionMap map;
  for (const std::uint16_t key : {0x10, 0x11, 0x20, 0x7fff}) map.partitions.push_back({.key = key, .name = {}, .sl = mad::Sl{9}});
  map.groups = {{.mgid = {}, .p_key = mad::PKey{0xffff}, .sl = mad::Sl{9}}, {.mgid = {}, .p_key = mad::PKey{0x8011}, .sl = mad::Sl{8}},
                {.mgid = {}, .p_key = mad::PKey{0x8010}, .sl = mad::Sl{8}}};
  take_qos_lanes(*policy, map);
  EXPECT_THAT(lanes(map.partitions), ElementsAre(7u, 9u, 2u, 4u));
  EXPECT_THAT(lanes(map.groups), ElementsAre(4u, 8u, 7u));
}

}  // namespace
}  // namespace partitions
