#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/topology/read.h"
#include "unit/fabric/topology/sound.h"

namespace topology {
namespace read_yaml_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string findings(const TopologyFile& file) {
  std::string all;
  for (const config::Diagnostic& finding : file.findings) all += finding.text() + '\n';
  return all;
}

TEST(ReadYaml, ReadsNodesAndLinks) {
  const TopologyFile file = read_yaml({"a.yaml", R"(nodes:
  - {name: S0, type: switch, guid: 0x10, ports: 36, enhanced_port0: true, device_id: 0xbd36}
  - name: host
    id: H0
    type: ca
    guid: 0x20
    ports: 1
    port_guids: [0x99]
links:
  - {a: [S0, 1], b: [H0, 1], width: 12x, speed: hdr}
)"});
  ASSERT_EQ(findings(file), "");
  EXPECT_TRUE(file.topology.nodes[0].enhanced_port0);
  EXPECT_EQ(file.topology.nodes[0].device_id, 0xbd36);
  EXPECT_THAT(file.topology.nodes[1].port_guids, ElementsAre(mad::Guid{0x99}));
  EXPECT_THAT(file.topology.links,
              ElementsAre(Link{{0, {1}}, {1, {1}}, LinkWidth::x12, LinkSpeed::hdr}));
}

struct Wrong {
  std::string text, finding;
};

class ReadYamlRefuses : public ::testing::TestWithParam<Wrong> {};

TEST_P(ReadYamlRefuses, WithPosition) {
  EXPECT_THAT(findings(read_yaml({"a.yaml", GetParam().text})), HasSubstr(GetParam().finding))
      << GetParam().text;
}

const std::string kTwo =
    "nodes:\n"
    "  - {name: S, type: switch, guid: 0x10, ports: 4}\n"
    "  - {name: H, type: ca, guid: 0x20, ports: 1}\n";

INSTANTIATE_TEST_SUITE_P(
    Mistakes, ReadYamlRefuses,
    ::testing::Values(Wrong{"", "a.yaml:1:1: error: this is not a topology"},
                      Wrong{"nodes: [\n", "a.yaml:2:1: error: not YAML"},
                      Wrong{"nodes: []\n", "there is no node in this file"},
                      Wrong{"what: 1\n", "a.yaml:1:1: error: 'what' is not a key of this map"},
                      Wrong{"nodes:\n  - {name: S}\n", "a.yaml:2:5: error: the node has no 'type'"},
                      Wrong{"nodes:\n  - {name: S, type: x, guid: 1, ports: 1}\n",
                            "a.yaml:2:21: error: 'x' is no type of node"},
                      Wrong{"nodes:\n  - {name: S, type: ca, guid: 1, ports: 255}\n",
                            "a.yaml:2:41: error: ports: '255' is not a number from 0 to 0xfe"},
                      Wrong{kTwo + "links:\n  - {a: [S, 5], b: [H, 1]}\n",
                            "a.yaml:5:13: error: port: '5' is not a number from 1 to 0x4"},
                      Wrong{kTwo + "links:\n  - {a: [T, 1], b: [H, 1]}\n",
                            "a.yaml:5:10: error: there is no node 'T'"},
                      Wrong{kTwo + "links:\n  - {a: [S, 1], b: [S, 1]}\n",
                            "port 1 of 'S' has a link in line 5 already"},
                      Wrong{kTwo + "links:\n  - {a: [S, 1], b: [H, 1], width: 3x}\n",
                            "this is no width; 1x, 2x, 4x, 8x or 12x"},
                      Wrong{kTwo + "  - {name: S, type: ca, guid: 0x30, ports: 1}\n",
                            "a.yaml:4:5: error: a node 'S' is in line 2 already"}));

}  // namespace read_yaml_test
}  // namespace topology
