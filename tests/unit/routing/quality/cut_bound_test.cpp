// The least load that any tables can reach, and orders of hosts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/graph/hops.h"
#include "routing/quality/quality.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"

namespace cut_bound_test {

using fabric::NodeIndex;
using fabrics::Maker;
using fabrics::Subnet;
using testing::ElementsAre;

TEST(CutBound, ALeafWithFewLinksBoundsTheShifts) {
  Maker maker;
  const NodeIndex spine = maker.sw(), narrow = maker.sw(), wide = maker.sw();
  maker.cable(narrow, spine, 2);
  maker.cable(wide, spine, 5);
  for (int i = 0; i < 5; ++i) {
    maker.host(narrow);
    maker.host(wide);
  }
  const Subnet subnet(maker.build());
  const auto hosts = routing::hosts_by_lid(subnet.graph, subnet.lids);
  const routing::CutBound bound =
      routing::cut_bound(subnet.graph, routing::hops_to_leaf(subnet.graph), hosts);
  // Shift k of ten: min(k, 10 - k) flows leave the leaf by two links: 1 1 2 2 3 2 2 1 1.
  EXPECT_DOUBLE_EQ(bound.mean, 15.0 / 9);
  EXPECT_EQ(bound.cut.first, subnet.sw(narrow));
  EXPECT_EQ(bound.cut.hosts, 5u);
  EXPECT_EQ(bound.cut.links, 2u);
}

/// A spine that lost all of its links is at no distance from a leaf.
TEST(CutBound, LeavesOutWhatIsNotConnected) {
  Maker maker;
  const NodeIndex spine = maker.sw(), a = maker.sw(), b = maker.sw();
  maker.sw();  // without a link
  for (const NodeIndex leaf : {a, b}) {
    maker.cable(leaf, spine);
    maker.host(leaf);
  }
  const Subnet subnet(maker.build());
  const auto hosts = routing::hosts_by_lid(subnet.graph, subnet.lids);
  EXPECT_EQ(routing::cut_bound(subnet.graph, routing::hops_to_leaf(subnet.graph), hosts).mean, 1.0);
}

TEST(CutBound, IsOneOnAFullTree) {
  const Subnet subnet(
      fabrics::from_topology(topology::fat_tree({.hosts = 128, .radix = 8, .levels = 3})));
  const auto hosts = routing::hosts_by_lid(subnet.graph, subnet.lids);
  EXPECT_EQ(routing::cut_bound(subnet.graph, routing::hops_to_leaf(subnet.graph), hosts).mean, 1.0);
}

TEST(Hosts, CasInsideOfSwitchesAreNoHosts) {
  Maker maker;
  const NodeIndex sw = maker.sw(), inside = maker.ca(), host = maker.ca(), other = maker.ca();
  for (const NodeIndex node : {inside, host, other}) maker.cable(sw, node);
  maker.set_system(sw, mad::Guid{7});
  maker.set_system(inside, mad::Guid{7});
  maker.set_system(host, mad::Guid{8});
  maker.set_system(other, mad::Guid{});
  const Subnet subnet(maker.build());
  EXPECT_EQ(routing::hosts_by_lid(subnet.graph, subnet.lids).size(), 2u);
  maker.set_system(host, mad::Guid{7});
  maker.set_system(other, mad::Guid{7});
  const Subnet all_inside(maker.build());
  EXPECT_EQ(routing::hosts_by_lid(all_inside.graph, all_inside.lids).size(), 3u)
      << "a chassis that has one SystemImageGUID for all that is in it";
}

TEST(Hosts, NamesAreOrderedByTheirNumbers) {
  Maker maker;
  const NodeIndex sw = maker.sw();
  for (const char* const name : {"n10 mlx5_0", "n2 mlx5_1", "n2 mlx5_0", "n1 mlx5_0", "a7"})
    maker.cable(sw, maker.ca(1, name));
  const Subnet subnet(maker.build());
  std::vector<std::string> names;
  for (const auto& host : routing::hosts_by_name(subnet.fabric, subnet.graph, subnet.lids))
    names.push_back(subnet.fabric.owning_node(host.port).description.text());
  EXPECT_THAT(names, ElementsAre("a7", "n1 mlx5_0", "n2 mlx5_0", "n2 mlx5_1", "n10 mlx5_0"));
}

TEST(Hosts, RailsAreThePortsOfAHostInOrder) {
  Maker maker;
  const NodeIndex first = maker.sw(), second = maker.sw();
  maker.cable(first, second);
  for (const char* const name : {"a mlx5_10", "b mlx5_10"}) maker.cable(first, maker.ca(1, name));
  for (const char* const name : {"b mlx5_2", "a mlx5_2"}) maker.cable(second, maker.ca(1, name));
  const Subnet subnet(maker.build());
  const auto rails =
      routing::rails(subnet.fabric, routing::hosts_by_lid(subnet.graph, subnet.lids));
  ASSERT_EQ(rails.size(), 2u);
  std::vector<std::string> names;
  for (const auto& rail : rails)
    for (const auto& host : rail)
      names.push_back(subnet.fabric.owning_node(host.port).description.text());
  EXPECT_THAT(names, ElementsAre("a mlx5_2", "b mlx5_2", "a mlx5_10", "b mlx5_10"));
}

}  // namespace cut_bound_test
