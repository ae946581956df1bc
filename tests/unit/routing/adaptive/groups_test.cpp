#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/adaptive/form_groups.h"
#include "routing/registry.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/conditions.h"
#include "support/fabrics.h"

namespace groups_test {

using fabric::SwitchIndex;
using fabrics::Subnet;
using routing::GroupIds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

tl::expected<routing::ChainResult, routing::Refusal> route(const char* engine,
                                                           const routing::RoutingInput& input) {
  return routing::route_with_chain(std::vector<std::string>{engine}, true, input);
}

mad::Guid guid_of(const Subnet& subnet, SwitchIndex sw) {
  return subnet.fabric.nodes[subnet.fabric.switches[sw].node].guid;
}

TEST(GroupIds, TheLowestFreeOneGoesToTheLowestGuidAndStays) {
  const std::vector<mad::Guid> leaves{mad::Guid{9}, mad::Guid{4}, mad::Guid{7}};
  const auto first = routing::assign_groups(leaves, nullptr, 4095);
  EXPECT_THAT(first.of_leaf, ElementsAre(3, 1, 2));
  const std::vector<mad::Guid> more{mad::Guid{7}, mad::Guid{1}, mad::Guid{9}};
  const auto next = routing::assign_groups(more, first.ids, 4095);
  EXPECT_THAT(next.of_leaf, ElementsAre(2, 4, 3));
  EXPECT_EQ(next.ids->at(mad::Guid{4}), 1);  // it has left and may come back
  EXPECT_EQ(routing::assign_groups(more, next.ids, 4095).ids, next.ids);
}

TEST(GroupIds, LeavesWithTheSameNeighbourGetConsecutiveOnes) {
  const std::vector<mad::Guid> leaves{mad::Guid{1}, mad::Guid{2}, mad::Guid{3}, mad::Guid{4}},
      neighbours{mad::Guid{9}, mad::Guid{8}, mad::Guid{9}, mad::Guid{8}};
  EXPECT_THAT(routing::assign_groups(leaves, nullptr, 4095, neighbours).of_leaf,
              ElementsAre(3, 1, 4, 2));
}

TEST(GroupIds, ThoseOfSwitchesThatHaveLeftAreGivenLast) {
  const auto known =
      std::make_shared<const GroupIds>(GroupIds{{mad::Guid{1}, 1}, {mad::Guid{2}, 2}});
  const std::vector<mad::Guid> leaves{mad::Guid{2}, mad::Guid{3}, mad::Guid{4}, mad::Guid{5}};
  const auto assigned = routing::assign_groups(leaves, known, 3);
  EXPECT_THAT(assigned.of_leaf, ElementsAre(2, 3, 1, 0));
  EXPECT_EQ(assigned.without, 1u);
  EXPECT_FALSE(assigned.ids->contains(mad::Guid{1}));
  EXPECT_FALSE(assigned.ids->contains(mad::Guid{5}));
}

TEST(GroupIds, OneThatTwoSwitchesHaveOrAboveTheLimitIsReplaced) {
  const auto known = std::make_shared<const GroupIds>(
      GroupIds{{mad::Guid{1}, 2}, {mad::Guid{2}, 2}, {mad::Guid{3}, 900}});
  const std::vector<mad::Guid> leaves{mad::Guid{1}, mad::Guid{2}, mad::Guid{3}};
  EXPECT_THAT(routing::assign_groups(leaves, known, 10).of_leaf, ElementsAre(2, 1, 3));
}

class Groups : public testing::Test {
 protected:
  routing::RoutingInput input() const {
    return {subnet_.fabric, subnet_.graph, subnet_.lids, options_};
  }
  // 4 leaves of 4 hosts, 2 spines with two links to each leaf.
  Subnet subnet_{fabrics::from_topology(
      topology::xgft({.children = {4, 4}, .parents = {1, 2}, .cables = {1, 2}}))};
  routing::RoutingOptions options_;
};

TEST_F(Groups, AreAllPortsUpAndParallelLinksDownWithTheTablesOfThePlainEngine) {
  for (const std::string name : {"updn", "ftree", "minhop"}) {
    SCOPED_TRACE(name);
    const auto result = route(("ar_" + name).c_str(), input()),
               plain = route(name.c_str(), input());
    ASSERT_TRUE(result) << result.error().why;
    EXPECT_EQ(result->routing.engine, "ar_" + name);
    EXPECT_EQ(result->routing.lfts, plain->routing.lfts);
    EXPECT_EQ(plain->routing.adaptive, nullptr);
    const fabric::AdaptiveGroups& groups = *result->routing.adaptive;
    EXPECT_EQ(groups.top(), 4);
    for (const SwitchIndex to : subnet_.graph.all_switches())
      for (const SwitchIndex from : subnet_.graph.all_switches()) {
        if (groups.group_to[to] == 0) continue;
        const bool is_leaf = groups.group_to[from] != 0;
        EXPECT_EQ(groups.ports(from, groups.group_to[to]).count(), from == to ? 0u
                                                                   : is_leaf  ? 4u
                                                                              : 2u);
      }
    for (const auto& end : subnet_.graph.end_ports) {
      const mad::Lid lid = subnet_.find_lid(end.port);
      EXPECT_EQ(groups.find_group(lid), groups.group_to[end.sw]);
    }
  }
}

TEST_F(Groups, KeepTheirNumbersByGuidAndReturnNewOnes) {
  routing::RoutingInput in = input();
  GroupIds known;
  std::vector<SwitchIndex> leaves;
  for (const auto& end : subnet_.graph.end_ports)
    if (end.out != mad::PortNum{0} && (leaves.empty() || leaves.back() != end.sw))
      leaves.push_back(end.sw);
  known[guid_of(subnet_, leaves[1])] = 77;
  known[mad::Guid{0xABC}] = 1;
  in.group_ids = std::make_shared<const GroupIds>(known);
  const auto result = route("ar_updn", in);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.adaptive->group_to[leaves[1]], 77);
  EXPECT_EQ(result->routing.adaptive->top(), 77);
  EXPECT_EQ(result->routing.group_ids->size(), 5u);
  EXPECT_EQ(result->routing.group_ids->at(mad::Guid{0xABC}), 1);
  EXPECT_EQ(result->routing.group_ids->at(guid_of(subnet_, leaves[0])),
            result->routing.adaptive->group_to[leaves[0]]);
}

TEST_F(Groups, BeyondTheLimitRoutesAreStaticAndANoteSaysSo) {
  routing::RoutingInput in = input();
  in.group_limit = 3;
  const auto result = route("ar_updn", in);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.adaptive->top(), 3);
  EXPECT_EQ(std::ranges::count(result->routing.adaptive->group_to, 0), 3);  // one and two spines
  EXPECT_THAT(texts(result->routing.conditions),
              Contains("1 of 4 destination switches is beyond the 3 groups that all switches hold: "
                       "routes to their hosts are static"));
}

TEST_F(Groups, StaticLidsHaveNone) {
  routing::RoutingInput in = input();
  std::vector<bool> fixed(subnet_.lids.port_of_lid.size());
  fixed[2] = true;
  in.static_lids = &fixed;
  const auto result = route("ar_ftree", in);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->routing.adaptive->find_group(mad::Lid{2}), 0);
  EXPECT_NE(result->routing.adaptive->find_group(mad::Lid{1}), 0);
}

TEST_F(Groups, RowsThatDoNotChangeStayTheSameObjects) {
  const auto first = route("ar_updn", input());
  ASSERT_TRUE(first);
  const Subnet later(fabrics::from_topology(topology::drop_link(
                         topology::xgft({.children = {4, 4}, .parents = {1, 2}, .cables = {1, 2}}),
                         "S1-0", mad::PortNum{5})),
                     subnet_.lids);
  routing::RoutingInput in{later.fabric, later.graph, later.lids, options_};
  const routing::PreviousRouting previous{*first->memory, first->routing.lfts, first->routing};
  in.previous_routing = &previous;
  in.group_ids = first->routing.group_ids;
  const auto next = route("ar_updn", in);
  ASSERT_TRUE(next);
  EXPECT_TRUE(next->incremental);
  std::size_t same = 0;
  for (const SwitchIndex sw : later.graph.all_switches())
    same += next->routing.adaptive->rows[sw] == first->routing.adaptive->rows[sw] ? 1u : 0u;
  EXPECT_EQ(same, later.graph.switches() - 2);  // both ends of the link
}

/// Tables found on the fabric may name ports that the engine would not choose from.
TEST_F(Groups, AStaticPortOutsideBecomesAMember) {
  const auto own = route("ar_updn", input());
  ASSERT_TRUE(own);
  fabric::ForwardingTables found = own->routing.lfts;
  const SwitchIndex leaf = subnet_.graph.end_ports.front().sw;
  for (unsigned lid = 1; lid <= subnet_.lids.lid_top.value; ++lid)
    if (const auto port = subnet_.lids.port_of_lid[lid];
        port != fabric::kNoIndex && subnet_.fabric.owning_node(port).is_switch())
      found.writable_row(leaf)[lid] = 1;
  routing::RoutingInput in = input();
  in.previous = &found;
  in.adopt = true;
  for (const char* engine : {"ar_updn", "ar_ftree"}) {
    const auto result = route(engine, in);
    ASSERT_TRUE(result) << result.error().why;
    for (unsigned lid = 1; lid <= subnet_.lids.lid_top.value; ++lid)
      for (const SwitchIndex sw : subnet_.graph.all_switches()) {
        const mad::Lid to{static_cast<std::uint16_t>(lid)};
        const auto& members =
            result->routing.adaptive->ports(sw, result->routing.adaptive->find_group(to));
        if (members.any()) {
          EXPECT_TRUE(members[result->routing.lfts.at(sw, to).value]);
        }
      }
  }
}

TEST(GroupEngines, RefuseWhereMembersMayDeadlockAndNameTheCycle) {
  const Subnet ring(fabrics::from_topology(topology::torus({.dimensions = {5}})));
  routing::RoutingOptions options;
  options.roots = {guid_of(ring, SwitchIndex{0})};
  const routing::RoutingInput input{ring.fabric, ring.graph, ring.lids, options};
  for (const char* engine : {"ar_minhop", "ar_dor"}) {
    const auto result = route(engine, input);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().why,
                HasSubstr(std::string(engine) +
                          ": adaptive routing is not possible: credit loop possible: \"S"));
  }
  const auto chain = routing::route_with_chain(std::vector<std::string>{"ar_dor"}, false, input);
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->routing.engine, "minhop");
  EXPECT_EQ(chain->routing.adaptive, nullptr);
  EXPECT_TRUE(route("ar_updn", input));
}

TEST(GroupEngines, AreNotWhatAutoChooses) {
  for (const auto& topology :
       {topology::fat_tree({.hosts = 16, .radix = 8}), topology::torus({.dimensions = {4, 4}})}) {
    const Subnet subnet(fabrics::from_topology(topology));
    const routing::RoutingOptions options;
    const auto result = route("auto", {subnet.fabric, subnet.graph, subnet.lids, options});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->routing.adaptive, nullptr);
  }
}

}  // namespace groups_test
