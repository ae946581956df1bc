#include "config/routing_chains.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "config/check.h"
#include "option_samples.h"

namespace config {
namespace routing_chains_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kGroups = R"(port-group
name: both
union-rule: rest, named
end-port-group

port-group
name: rest
use: subtract of two groups
subtract-rule: listed, range
end-port-group

port-group
name: listed
port-guid: 0x281@2-5/7, 0x282, 0x283
end-port-group

port-group
name: range
port-guid-range: 0x282-0x286
end-port-group

port-group
name: named
port-name: hostname=kuku; port=2; hca_idx=1 , hostname=host1 port=3, hostname=host2
port-regexp: ^SW[0-9]+:3
end-port-group
)";

std::vector<std::string> findings(std::string_view groups, std::string_view topologies = "",
                                  std::string_view steps = "") {
  Diagnostics found;
  parse_routing_chains({"g", groups}, {"t", topologies}, {"s", steps}, found);
  return texts(found);
}

std::string group(std::string_view name, std::string_view rules) {
  return fmt::format("port-group\nname: {}\n{}\nend-port-group\n", name, rules);
}

std::string step(std::string_view lines) {
  return fmt::format("unicast-step\n{}\nend-unicast-step\n", lines);
}

TEST(RoutingChains, GroupsStandBehindThoseThatTheyCombine) {
  Diagnostics found;
  const RoutingChains chains = parse_routing_chains({"g", kGroups}, {"", ""}, {"", ""}, found);
  EXPECT_THAT(texts(found), IsEmpty());
  EXPECT_THAT(
      chains.groups,
      ElementsAre(
          PortGroup{.name = "listed",
                    .guids = {{0x281, 0x281, {{2, 5}, {7, 7}}}, {0x282, 0x282}, {0x283, 0x283}}},
          PortGroup{.name = "range", .guids = {{0x282, 0x286}}},
          PortGroup{.name = "rest", .combinations = {{"listed", "range", true}}},
          PortGroup{.name = "named",
                    .hosts = {{"kuku", 2, 1}, {"host1", 3, {}}, {"host2", {}, {}}},
                    .patterns = {{"^SW[0-9]+", 3}}},
          PortGroup{.name = "both", .combinations = {{"rest", "named", false}}}));
}

TEST(RoutingChains, StepsAreInTheOrderOfTheirIds) {
  Diagnostics found;
  const RoutingChains chains = parse_routing_chains(
      {"g", kGroups}, {"t", "topology\nid: 7\nsw-grp: both\nhca-grp: ALL_CAS\nend-topology\n"},
      {"s", step("id: 5\nengine: ftree\nuse: tree\ntopology: 7\nconfig: /etc/tree.conf") +
                step("id: 9\nengine: updn\ntopology: 7\nfallback-to: 5") +
                step("id: 2\nengine: minhop\npath-bit: 0")},
      found);
  EXPECT_THAT(texts(found), IsEmpty());
  EXPECT_THAT(chains.topologies, ElementsAre(ChainTopology{7, "both", "ALL_CAS"}));
  EXPECT_THAT(chains.steps, ElementsAre(ChainStep{2, "minhop", "", 0, {}},
                                        ChainStep{5, "ftree", "/etc/tree.conf", 7, {}},
                                        ChainStep{9, "updn", "", 7, 5}));
}

TEST(RoutingChains, MalformedGroupsHavePositions) {
  EXPECT_THAT(findings("name: a\nport-group\nname: a\nrule: b\nport-guid:\nend-port-group\n"
                       "port-group\nname: b:c\n"),
              ElementsAre("g:1:1: error: 'name: a' is in no port-group; write port-group in front "
                          "of it",
                          "g:2:1: error: the port-group has no rule; write one of port-guid, "
                          "port-guid-range, port-name, port-regexp, union-rule, subtract-rule",
                          HasSubstr("g:4:1: error: 'rule' is no qualifier of a port-group; "),
                          "g:5:1: error: port-guid has no value; write it behind the colon",
                          "g:7:1: error: the port-group that begins here does not end; write "
                          "end-port-group after it",
                          HasSubstr("g:7:1: error: the port-group has no name; "),
                          "g:8:8: error: a value cannot contain a colon; remove it"));
  const struct {
    std::string rule, finding;
  } kCases[] = {{"port-guid: 0x1, x", "g:3:17: error: 'x' is not a GUID; write a GUID of 64 bits"},
                {"port-guid: 0x1@5-2",
                 "g:3:16: error: range '5-2' ends before it begins; write the lower "
                 "port first"},
                {"port-guid: 0x1@255",
                 "g:3:16: error: port number '255' is out of range; write a port "
                 "number in 0..254"},
                {"port-guid-range: 0x1-0x2, 0x4-0x5",
                 "g:3:18: error: '0x1-0x2, 0x4-0x5' is not one range "
                 "of GUIDs; write FIRST-LAST; port-guid takes a list"},
                {"port-name: port=1", "g:3:12: error: no hostname is given; write hostname=NAME"},
                {"port-regexp: [a",
                 "g:3:14: error: '[a' is no regular expression; write an extended one "
                 "(POSIX) of at most 256 characters"},
                {"union-rule: b",
                 "g:3:13: error: 'b' does not name two groups; write two names with a "
                 "comma between them"},
                {"union-rule: b, ALL", "g:3:13: error: there is no port group 'b'; define it"},
                {"subtract-rule: ALL, a",
                 "g:2:7: error: port group 'a' is made of itself; union and "
                 "subtract rules must not lead back to their group"}};
  for (const auto& wrong : kCases)
    EXPECT_THAT(findings(group("a", wrong.rule)), ElementsAre(wrong.finding)) << wrong.rule;
  EXPECT_THAT(findings(group("a", "port-guid: 1") + group("ALL", "port-guid: 1") +
                       group("a", "port-guid: 1")),
              ElementsAre("g:6:7: error: ALL is there without a definition; choose another name",
                          "g:10:7: error: port group 'a' was defined before; give each group a "
                          "name of its own"));
  EXPECT_THAT(findings(group("a", "union-rule: b, ALL") + group("b", "union-rule: ALL, a")),
              ElementsAre(HasSubstr("g:2:7: error: port group 'a' is made of itself")));
}

TEST(RoutingChains, TopologiesAndStepsAreCheckedTogether) {
  EXPECT_THAT(
      findings("", "topology\nid: 0\nsw-grp: a\nend-topology\n"),
      ElementsAre(HasSubstr("t:1:1: error: the topology has no hca-grp; "),
                  HasSubstr("t:2:5: error: id '0' is out of range"),
                  "t:3:9: error: there is no port group 'a'; define it in pgrp_policy_file"));
  EXPECT_THAT(
      findings("", "",
               step("id: 1\nengine: lash") + step("id: 1\nengine: dor\ntopology: 4\npath-bit: 1")),
      ElementsAre("s:3:9: error: 'lash' cannot route a part of a fabric; engines: minhop, "
                  "updn, dnup, ftree, dor, sssp, dmodc",
                  "s:5:1: error: step 1 was defined before; give each step an id of its own",
                  "s:8:11: error: there is no topology 4; define it in topo_policy_file",
                  "s:9:11: error: a step routes all LIDs of a port; write path-bit: 0, or leave it "
                  "out"));
  const std::string topology =
      "topology\nid: 1\nsw-grp: ALL_SWITCHES\nhca-grp: ALL_CAS\nend-topology\n";
  EXPECT_THAT(findings("", topology, step("id: 3\nengine: dor\ntopology: 1")),
              ElementsAre("s:4:11: error: the first step routes a part: the rest would have no "
                          "routes; give the step with the lowest id topology: 0"));
}

TEST(RoutingChains, FallbacksThatAreNeverUsedAreLeftOut) {
  Diagnostics found;
  const RoutingChains chains = parse_routing_chains(
      {"", ""}, {"", ""},
      {"s", step("id: 1\nengine: ftree") + step("id: 2\nengine: updn\nfallback-to: 1") +
                step("id: 3\nengine: dor\nfallback-to: 2") +
                step("id: 4\nengine: dor\nfallback-to: 8") +
                step("id: 5\nengine: dor\nfallback-to: 5")},
      found);
  EXPECT_THAT(texts(found),
              ElementsAre("s:13:14: warning: step 2 is a fallback itself: this step is never used; "
                          "name a step that is no fallback",
                          "s:18:14: warning: there is no step 8: this step is never used; name a "
                          "step that is no fallback",
                          HasSubstr("s:23:14: warning: step 5 is a fallback itself")));
  EXPECT_THAT(chains.steps,
              ElementsAre(ChainStep{1, "ftree", "", 0, {}}, ChainStep{2, "updn", "", 0, 1}));
}

TEST(RoutingChains, FilesOfGuidsMayNameGroups) {
  const auto files =
      disk({{"x.conf", "routing_engine updn\nroot_guid_file r\npgrp_policy_file g\n"},
            {"g", std::string(kGroups)},
            {"r", "0x5\n  range # spines\nALL_SWITCHES\nrang\n"}});
  const CheckedConfig checked = check_config("x.conf", files);
  EXPECT_THAT(texts(checked.diagnostics),
              ElementsAre(HasSubstr("r:4:1: error: 'rang' is not a GUID; write a GUID, such as")));
  EXPECT_THAT(checked.files.roots, ElementsAre(5));
  EXPECT_THAT(checked.files.named_groups.roots, ElementsAre("range", "ALL_SWITCHES"));
}

TEST(RoutingChains, EachStepHasItsConfigurationOverTheMainOne) {
  const auto files =
      disk({{"x.conf",
             "routing_engine chain\nrch_policy_file s\nscatter_ports 3\n"
             "pgrp_policy_file g\nroot_guid_file r\n"},
            {"g", std::string(kGroups)},
            {"r", "0x5\n"},
            {"q", "listed\n"},
            {"y.conf", "root_guid_file q\nconnect_roots TRUE\n"},
            {"s", step("id: 1\nengine: minhop") + step("id: 2\nengine: updn\nconfig: y.conf")}});
  const CheckedConfig checked = check_config("x.conf", files);
  EXPECT_THAT(texts(checked.diagnostics), IsEmpty());
  ASSERT_TRUE(checked.files.chain_steps.steps);
  const std::vector<StepSettings>& steps = *checked.files.chain_steps.steps;
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_FALSE(steps[0].options.connect_roots);
  EXPECT_THAT(steps[0].files.roots, ElementsAre(5));
  EXPECT_TRUE(steps[1].options.connect_roots);
  EXPECT_EQ(steps[1].options.scatter_ports, 3u);
  EXPECT_THAT(steps[1].files.named_groups.roots, ElementsAre("listed"));
  EXPECT_EQ(check_config("x.conf", files).files, checked.files);
}

TEST(RoutingChains, TheEngineNeedsItsFile) {
  const auto checked = check_config("x.conf", disk({{"x.conf", "routing_engine chain\n"}}));
  EXPECT_THAT(texts(checked.diagnostics),
              ElementsAre("x.conf:1:16: error: routing engine chain needs rch_policy_file; name "
                          "the file, or another engine"));
}

}  // namespace routing_chains_test
}  // namespace config
