#include "config/router_policy.h"

#include <gmock/gmock.h>

#include "config/check.h"
#include "option_samples.h"

namespace config {
namespace router_policy_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(RouterPolicy, LinesOfPrefixesAndWeights) {
  Diagnostics found;
  const RouterPolicy policy =
      parse_router_policy({"policy", "# comment\nfec0000000000002 0x10=3 0x20\n* 0x30=0\n"}, found);
  EXPECT_THAT(texts(found), IsEmpty());
  EXPECT_THAT(policy.rules, ElementsAre(RouterRule{0xfec0000000000002, {{0x10, 3}, {0x20, 1}}},
                                        RouterRule{std::nullopt, {{0x30, 0}}}));
  EXPECT_EQ(policy.find(0xfec0000000000002), &policy.rules[0]);
  EXPECT_EQ(policy.find(1), &policy.rules[1]);
}

TEST(RouterPolicy, ErrorsHavePositions) {
  Diagnostics found;
  const RouterPolicy policy = parse_router_policy(
      {"policy", "x 0x1\n1\n1 y\n1 0x1=256\n1  0x1 0x1\n1 0x1=\n2 0x1\n2 0x2\n"}, found);
  EXPECT_THAT(
      texts(found),
      ElementsAre("policy:1:1: error: 'x' is not a GID prefix; write a hexadecimal GID prefix, or "
                  "* for any",
                  "policy:2:1: error: the line names no router; write a GUID behind the prefix, "
                  "such as 0x0002c90300a1b2c3=2",
                  "policy:3:3: error: 'y' names no router; write GUID or GUID=WEIGHT, such as "
                  "0x0002c90300a1b2c3=2",
                  "policy:4:3: error: '0x1=256' has no weight in 0..255; write GUID=WEIGHT, such "
                  "as 0x0002c90300a1b2c3=2",
                  "policy:5:8: error: 0x0000000000000001 is named twice for this prefix; name each "
                  "router once",
                  "policy:6:3: error: '0x1=' has no weight in 0..255; write GUID=WEIGHT, such as "
                  "0x0002c90300a1b2c3=2",
                  "policy:8:1: warning: this prefix was listed before; the first line is used"));
  EXPECT_THAT(policy.rules, ElementsAre(RouterRule{2, {{0x1, 1}}}));
}

TEST(RouterPolicy, OptionsThatContradictEachOther) {
  Options options;
  options.router_policy_enabled = options.read_router_tables = true;
  options.rtr_selection_function = "md5";
  options.rtr_selection_algo_parameters = "sgid port";
  options.subnet_peers = {"fec0", "0xfec0000000000002=https://a", "0xfec0000000000002=https://b"};
  for (const char* const key : {"router_policy_enabled", "rtr_selection_function",
                                "rtr_selection_algo_parameters", "subnet_peers"})
    options.origins[key] = {"x.conf", 1, 1};
  EXPECT_THAT(
      texts(check_options(options)),
      ElementsAre("x.conf:1:1: error: rtr_selection_function 'md5' is not known; write crc32, or "
                  "leave it out",
                  "x.conf:1:1: error: rtr_selection_algo_parameters 'sgid port' names no "
                  "parameters; write sgid, dgid, or both, separated by a blank",
                  "x.conf:1:1: error: router_policy_enabled TRUE needs a router_policy_file; set "
                  "router_policy_file",
                  "x.conf:1:1: error: subnet_peers 'fec0' names no subnet; write PREFIX=URL, such "
                  "as 0xfec0000000000002=https://sm-b:8443",
                  "x.conf:1:1: error: subnet_peers names 0xfec0000000000002 twice; name it once"));
}

}  // namespace router_policy_test
}  // namespace config
