#include "sm/ctl/topology/decorate.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"
#include "unit/fabric/topology/sound.h"

namespace topology {
namespace decorate_test {

using ::testing::HasSubstr;

Topology tree() { return fat_tree({.hosts = 32, .radix = 8, .levels = 2}); }

TEST(Degrade, RemovesTheFractionAndKeepsSubnetsConnected) {
  seeds::for_each(100, [&](std::uint64_t seed) {
    const Topology whole = torus(
        {.dimensions = {4, 4}, .hosts_per_switch = 1});  // 32 links between switches, 15 of a tree
    const Topology left = degrade(whole, 0.5, seed);
    EXPECT_EQ(left.links.size(), whole.links.size() - 16);
    EXPECT_EQ(subnets(left).size(), 1u);
    EXPECT_EQ(left, degrade(whole, 0.5, seed));
  });
}

TEST(Degrade, DisconnectsTheFabricOnlyWithMayBreak) {
  const Topology whole = torus({.dimensions = {4, 4}, .hosts_per_switch = 1});
  EXPECT_THAT(refusal([&] { degrade(whole, 0.6, 1); }), HasSubstr("at most 17 can"));
  EXPECT_GT(subnets(degrade(whole, 0.9, 1, Connectivity::may_break)).size(), 1u);
  EXPECT_EQ(degrade(whole, 1, 1, Connectivity::may_break).links.size(), 16u);
  EXPECT_EQ(degrade(whole, 0, 1), whole);
}

TEST(Decorate, RoutersJoinSubnets) {
  const Topology topology = add_routers(rails(tree(), {.rails = 2}), 3);
  expect_sound(topology);
  EXPECT_EQ(topology.count(NodeType::router), 3u);
  EXPECT_EQ(subnets(topology).size(), 2u);
  for (const Node& node : topology.nodes)
    EXPECT_TRUE(node.type != NodeType::router || node.port_count == 2);
}

TEST(Decorate, RoutersOfOneSubnetHaveTheGivenNumberOfPorts) {
  const Topology topology = add_routers(tree(), 2, 3);
  expect_sound(topology);
  EXPECT_EQ(topology.nodes.back().port_count, 3u);
  EXPECT_EQ(subnets(topology).size(), 1u);
}

TEST(Decorate, ParallelLinksConnectTheSameSwitches) {
  const Topology topology = multiply_cables(tree(), 3);
  expect_sound(topology);
  EXPECT_EQ(topology.links.size(), 32u + 3 * 32);
  EXPECT_THAT(refusal([] { multiply_cables(tree(), 100); }), HasSubstr("more than 254 ports"));
}

TEST(Decorate, SecondPortsGoToTheNextLeaf) {
  const Topology topology = add_host_ports(tree(), 2);
  expect_sound(topology);
  std::vector<std::set<std::size_t>> leaves(topology.nodes.size());
  for (const Link& link : topology.links) {
    if (topology.nodes[link.a.node].type == NodeType::ca) leaves[link.a.node].insert(link.b.node);
  }
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(leaves[i].size(), 2u);
}

TEST(Decorate, AddsAndRemovesNodesAndLinks) {
  const Topology whole = tree();
  const Topology without = drop_node(whole, "S2-0");
  EXPECT_EQ(without.nodes.size(), whole.nodes.size() - 1);
  EXPECT_EQ(without.links.size(), whole.links.size() - 8);
  expect_sound(without);

  const Topology cut = drop_link(whole, "H3", {1});
  EXPECT_EQ(cut.links.size(), whole.links.size() - 1);
  EXPECT_THAT(refusal([&] { drop_link(cut, "H3", {1}); }), HasSubstr("has no link"));

  const Topology more = add_host(cut, "S1-0");  // takes the free port
  expect_sound(more);
  EXPECT_EQ(more.nodes[more.find("H32")].port_count, 1u);
  EXPECT_EQ(more.nodes[more.find("S1-0")].port_count, whole.nodes[whole.find("S1-0")].port_count);
  EXPECT_EQ(more.links.back().b.port, mad::PortNum{4});
  EXPECT_THAT(refusal([&] { add_host(whole, "H0"); }), HasSubstr("not a switch"));
  EXPECT_THAT(refusal([&] { drop_node(whole, "unknown"); }),
              HasSubstr("no node is called 'unknown'"));
}

}  // namespace decorate_test
}  // namespace topology
