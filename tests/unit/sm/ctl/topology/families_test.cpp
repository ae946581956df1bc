// Every family has the numbers of nodes and links, the degree and the diameter of its formula.

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"
#include "unit/fabric/topology/sound.h"

namespace topology {
namespace families_test {

using ::testing::HasSubstr;

std::size_t switch_links(const Topology& topology) {
  std::size_t links = 0;
  for (const auto& neighbours : switch_neighbours(topology)) links += neighbours.size();
  return links / 2;
}

// Degrees of all switches, counting links between switches only.
std::set<std::size_t> degrees(const Topology& topology) {
  std::set<std::size_t> all;
  const auto neighbours = switch_neighbours(topology);
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    if (topology.nodes[i].type == NodeType::switch_) all.insert(neighbours[i].size());
  }
  return all;
}

TEST(Families, TorusHasTwoLinksPerDimension) {
  const Topology topology = torus({.dimensions = {4, 5, 6}, .hosts_per_switch = 2});
  expect_sound(topology);
  EXPECT_EQ(topology.count(NodeType::ca), 240u);
  EXPECT_EQ(degrees(topology), std::set<std::size_t>{6});
  EXPECT_EQ(switch_links(topology), 3u * 120);
  EXPECT_EQ(switch_diameter(topology), 2u + 2 + 3);
}

TEST(Families, MeshHasNoWraparoundLinks) {
  const Topology topology = mesh({.dimensions = {4, 5}, .hosts_per_switch = 1});
  expect_sound(topology);
  EXPECT_EQ(switch_links(topology), 3u * 5 + 4 * 4);
  EXPECT_EQ(switch_diameter(topology), 3u + 4);
}

TEST(Families, HypercubeHasItsDimensionAsDegreeAndDiameter) {
  for (unsigned n = 1; n <= 8; ++n) {
    const Topology topology = hypercube({.dimensions = n, .hosts_per_switch = 1});
    expect_sound(topology);
    EXPECT_EQ(topology.count(NodeType::switch_), 1u << n);
    EXPECT_EQ(degrees(topology), std::set<std::size_t>{n});
    EXPECT_EQ(switch_diameter(topology), n);
  }
  EXPECT_THAT(refusal([] { hypercube({.dimensions = 16, .hosts_per_switch = 0}); }),
              HasSubstr("1 to 15"));
}

TEST(Families, DragonflyOfAllGroupsHasDiameterThree) {
  for (const auto& [a, h, p] : {std::tuple{4u, 2u, 2u}, {2u, 1u, 1u}, {6u, 3u, 3u}, {3u, 1u, 4u}}) {
    const Topology topology = dragonfly(
        {.switches_per_group = a, .global_cables = h, .hosts_per_switch = p, .groups = 0});
    expect_sound(topology);
    const std::size_t groups = a * h + 1;
    EXPECT_EQ(topology.count(NodeType::switch_), groups * a);
    EXPECT_EQ(topology.count(NodeType::ca), groups * a * p);
    EXPECT_EQ(degrees(topology), std::set<std::size_t>{a - 1 + h});
    EXPECT_EQ(switch_diameter(topology), 3u);
  }
}

TEST(Families, DragonflyOfFewerGroupsHasMoreLinksBetweenTwo) {
  for (unsigned groups = 2; groups <= 9; ++groups) {
    const Topology topology = dragonfly(
        {.switches_per_group = 4, .global_cables = 2, .hosts_per_switch = 1, .groups = groups});
    expect_sound(topology);
    EXPECT_EQ(switch_links(topology), groups * 6 + groups * (groups - 1) / 2 * (8 / (groups - 1)));
    EXPECT_LE(switch_diameter(topology), 3u);
    EXPECT_EQ(subnets(topology).size(), 1u);
  }
  EXPECT_THAT(refusal([] { dragonfly({.groups = 10}); }), HasSubstr("enough for 9 groups"));
}

TEST(Families, DragonflyPlusLeavesAreThreeLinksApart) {
  const Topology topology = dragonfly_plus(
      {.leaves_per_group = 3, .spines_per_group = 2, .global_cables = 2, .hosts_per_leaf = 4});
  expect_sound(topology);
  EXPECT_EQ(topology.count(NodeType::switch_), 5u * 5);
  EXPECT_EQ(topology.count(NodeType::ca), 5u * 3 * 4);
  EXPECT_EQ(switch_links(topology), 5u * 6 + 10);
  const auto neighbours = switch_neighbours(topology);
  for (const Link& link : topology.links) {  // breadth first from every leaf, three steps
    if (topology.nodes[link.a.node].type != NodeType::ca) continue;
    std::set<std::size_t> reached{link.b.node};
    for (int step = 0; step < 3; ++step) {
      std::set<std::size_t> next = reached;
      for (const std::size_t node : reached)
        next.insert(neighbours[node].begin(), neighbours[node].end());
      reached = next;
    }
    std::size_t leaves = 0;
    for (const std::size_t node : reached) leaves += neighbours[node].size() == 2;
    EXPECT_EQ(leaves, 5u * 3);
  }
}

class SlimFly : public ::testing::TestWithParam<unsigned> {};

TEST_P(SlimFly, HasDiameterTwo) {
  const unsigned q = GetParam();
  const int delta = q % 4 == 3 ? -1 : static_cast<int>(q % 4);
  const auto degree = static_cast<std::size_t>((3 * static_cast<int>(q) - delta) / 2);
  const Topology topology = slim_fly({.q = q, .hosts_per_switch = 0});
  expect_sound(topology);
  EXPECT_EQ(topology.count(NodeType::switch_), std::size_t{2} * q * q);
  EXPECT_EQ(topology.count(NodeType::ca), std::size_t{2} * q * q * ((degree + 1) / 2));
  EXPECT_EQ(degrees(topology), std::set<std::size_t>{degree});
  EXPECT_EQ(switch_diameter(topology), 2u);
}

INSTANTIATE_TEST_SUITE_P(PrimePowers, SlimFly, ::testing::Values(3, 4, 5, 7, 8, 9, 11, 13, 16));

TEST(Families, SlimFlyReportsInvalidParameters) {
  EXPECT_THAT(refusal([] { slim_fly({.q = 6}); }),
              HasSubstr("q is 6; it must be a power of a prime"));
  EXPECT_THAT(refusal([] { slim_fly({.q = 15}); }), HasSubstr("not a power of a prime"));
  EXPECT_THAT(refusal([] { slim_fly({.q = 200}); }), HasSubstr("3 to 156"));
}

TEST(Families, RandomRegularIsRegularSimpleAndConnected) {
  seeds::for_each(50, [&](std::uint64_t seed) {
    const unsigned degree = 2 + static_cast<unsigned>(seed % 5),
                   switches = 10 + 2 * static_cast<unsigned>(seed % 7);
    const Topology topology = random_regular(
        {.switches = switches, .degree = degree, .hosts_per_switch = 2, .seed = seed});
    expect_sound(topology);
    EXPECT_EQ(degrees(topology), std::set<std::size_t>{degree});
    EXPECT_EQ(subnets(topology).size(), 1u);
    for (const auto& neighbours : switch_neighbours(topology)) {
      EXPECT_EQ(std::set<std::size_t>(neighbours.begin(), neighbours.end()).size(),
                neighbours.size());
    }
  });
  EXPECT_THAT(refusal([] { random_regular({.switches = 5, .degree = 3}); }),
              HasSubstr("must be even"));
  EXPECT_THAT(refusal([] { random_regular({.switches = 4, .degree = 4}); }),
              HasSubstr("smaller than the number of switches"));
}

TEST(Families, SeedsGiveDifferentRandomRegularGraphs) {
  const auto make = [](std::uint64_t seed) {
    return random_regular({.switches = 20, .degree = 3, .hosts_per_switch = 1, .seed = seed});
  };
  EXPECT_EQ(make(5), make(5));
  EXPECT_NE(make(5), make(6));
}

TEST(Families, RailsAreSubnetsWithTheSameHosts) {
  const Topology one = fat_tree({.hosts = 16, .radix = 8, .levels = 2});
  const Topology two = rails(one, {.rails = 3, .multi_port = false});
  expect_sound(two);
  EXPECT_EQ(two.nodes.size(), 3 * one.nodes.size());
  EXPECT_EQ(two.links.size(), 3 * one.links.size());
  ASSERT_EQ(subnets(two).size(), 3u);
  for (const Subnet& subnet : subnets(two)) EXPECT_EQ(subnet.lids(), one.nodes.size());
  std::map<mad::Guid, unsigned> hcas_of_host;
  for (const Node& node : two.nodes) {
    if (node.type == NodeType::ca)
      ++hcas_of_host[node.system_guid.value != 0 ? node.system_guid : node.guid];
  }
  EXPECT_EQ(hcas_of_host.size(), 16u);
  for (const auto& [host, hcas] : hcas_of_host) EXPECT_EQ(hcas, 3u);
}

TEST(Families, MultiPortRailsShareTheHca) {
  const Topology one = fat_tree({.hosts = 16, .radix = 8, .levels = 2});
  const Topology two = rails(one, {.rails = 2, .multi_port = true});
  expect_sound(two);
  EXPECT_EQ(two.count(NodeType::ca), 16u);
  EXPECT_EQ(two.nodes[0].port_count, 2u);
  EXPECT_EQ(subnets(two).size(), 2u);
  EXPECT_THAT(refusal([&] { rails(one, {.rails = 16, .multi_port = true}); }),
              HasSubstr("15 ports"));
}

TEST(Families, SubnetsUseAtMostTheWholeLidSpace) {
  // 254-port leaves on a few spines: 49,151 LIDs = hosts + switches.
  RandomParams params{
      .switches = 400, .hosts = mad::kUnicastLidMax.value - 400u, .extra_links = 10, .seed = 1};
  const Topology full = random_graph(params);
  ASSERT_EQ(subnets(full).size(), 1u);
  EXPECT_EQ(subnets(full).front().lids(), 49'151u);
  ++params.hosts;
  EXPECT_THAT(refusal([&] { random_graph(params); }), HasSubstr("unicast LIDs"));
  EXPECT_EQ(subnets(rails(full, {.rails = 2, .multi_port = false})).size(),
            2u);  // several subnets may have more together
  EXPECT_THAT(refusal([&] { add_host(full, "S0"); }), HasSubstr("49152 LIDs"));
}

TEST(Families, SwitchesOfMoreThan254PortsAreErrors) {
  EXPECT_THAT(refusal([] { row({.switches = 1, .hosts_per_switch = 255}); }),
              HasSubstr("more than 254 ports"));
  EXPECT_EQ(refusal([] { row({.switches = 1, .hosts_per_switch = 254}); }), "built");
  EXPECT_THAT(refusal([] { xgft({.children = {255}, .parents = {1}, .cables = {}}); }),
              HasSubstr("more than 254 ports"));
}

}  // namespace families_test
}  // namespace topology
