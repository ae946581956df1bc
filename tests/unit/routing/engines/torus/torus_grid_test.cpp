#include "routing/engines/torus/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/tori.h"

namespace torus_grid_test {

using fabric::kNoIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;
using routing::RoutingOptions;
using testing::AllOf;
using testing::HasSubstr;
using tori::At;
using tori::Lattice;

tl::expected<routing::torus::Grid, routing::Refusal> coordinates(
    const Subnet& subnet, const routing::TorusOptions& torus) {
  RoutingOptions options;
  options.torus = torus;
  return routing::torus::place_switches({subnet.fabric, subnet.graph, subnet.lids, options});
}

// All switches have the coordinates given by their GUIDs.
void expect_coordinates(const Lattice& lattice, const std::vector<At>& seeds) {
  const Subnet subnet(lattice.fabric(7));
  const auto grid = coordinates(subnet, lattice.options(seeds));
  ASSERT_TRUE(grid) << grid.error().why;
  for (const SwitchIndex sw : subnet.graph.all_switches()) {
    if (subnet.graph.degree(sw) == 0) continue;
    EXPECT_EQ(grid->shape.coordinates(grid->cell_of[sw]), Lattice::coordinates(subnet.fabric, sw));
    EXPECT_EQ(grid->switch_at[grid->cell_of[sw]], sw);
  }
}

TEST(TorusGrid, EverySwitchGetsItsCoordinatesFromOneSeed) {
  for (const At radix :
       {At{3, 3, 3}, At{5, 5, 5}, At{4, 4, 4}, At{4, 5, 4}, At{2, 5, 3}, At{2, 2, 2}, At{2, 4, 2},
        At{8, 8, 1}, At{1, 6, 4}, At{9, 1, 1}, At{1, 1, 4}, At{3, 1, 2}, At{4, 4, 2}})
    for (const std::array<bool, 3> wraps :
         {std::array{true, true, true}, std::array{false, false, false},
          std::array{true, false, true}}) {
      SCOPED_TRACE(testing::PrintToString(radix));
      expect_coordinates({radix, wraps}, {{0, 0, 0}});
      expect_coordinates({radix, wraps, 1, 2}, {{radix[0] - 1, radix[1] - 1,
                                                 radix[2] - 1}});  // a dateline moves the origin
    }
}

TEST(TorusGrid, OtherSeedsAreTriedWhenSwitchesOfOneAreLost) {
  Lattice lattice{{5, 4, 3}};
  lattice.lost_switches = {{1, 0, 0}};
  expect_coordinates(lattice, {{0, 0, 0}, {3, 2, 1}});
  const auto grid = coordinates(Subnet(lattice.fabric()), lattice.options({{0, 0, 0}}));
  ASSERT_FALSE(grid);
  EXPECT_EQ(grid.error().why, "switch 0x0002c90201000000 of seed 1 is not in the fabric");
}

TEST(TorusGrid, MissingSwitchesAndLinksCauseNoWrongCoordinates) {
  Lattice lattice{{6, 5, 4}};
  lattice.lost_switches = {{2, 2, 2}, {2, 2, 3}, {4, 0, 1}};
  lattice.lost_cables = {{{1, 1, 1}, 0}, {{0, 3, 2}, 1}, {{5, 4, 3}, 2}, {{5, 4, 3}, 0}};
  expect_coordinates(lattice, {{0, 0, 0}});
}

TEST(TorusGrid, RingsOfFourNeedBothDirections) {
  const Lattice lattice{{4, 4, 4}};
  routing::TorusOptions options = lattice.options();
  std::erase_if(options.seeds[0].links, [](const auto& link) { return !link.plus; });
  const auto grid = coordinates(Subnet(lattice.fabric()), options);
  ASSERT_FALSE(grid);
  EXPECT_THAT(
      grid.error().why,
      AllOf(HasSubstr("has no position in the torus or mesh 4 x 4 x 4 (8 of 64 switches have one)"),
            HasSubstr("needs both xp_link and xm_link")));
}

TEST(TorusGrid, RefusesWrongSizesAndNamesASwitchWithoutCoordinates) {
  const Lattice lattice{{5, 5, 5}};
  routing::TorusOptions options = lattice.options();
  options.dimensions[2].radix = 4;
  options.dimensions[2].wraps = false;
  const auto grid = coordinates(Subnet(lattice.fabric()), options);
  ASSERT_FALSE(grid);
  EXPECT_THAT(grid.error().why, AllOf(HasSubstr("has no position in the torus or mesh 5 x 5 x 4m"),
                                      HasSubstr(", a neighbour of \"S")));
}

TEST(TorusGrid, SeedsThatContradictThemselvesAreRefused) {
  const Lattice lattice{{5, 5, 3}};
  const Subnet subnet(lattice.fabric());
  const auto refusal = [&](auto change) {
    routing::TorusOptions options = lattice.options();
    change(options);
    const auto grid = coordinates(subnet, options);
    return grid ? std::string() : grid.error().why;
  };
  EXPECT_EQ(refusal([](auto& o) { o.seeds[0].links.pop_back(); }),
            "seed 1 has no link in z: zp_link or zm_link is missing");
  EXPECT_THAT(refusal([](auto& o) { o.seeds[0].links[1].to = o.seeds[0].links[0].to; }),
              HasSubstr("two positions"));
  EXPECT_THAT(refusal([](auto& o) { o.seeds[0].links[1].from = o.seeds[0].links[0].to; }),
              HasSubstr("do not all begin at 0x0002c90200000000"));
  EXPECT_THAT(refusal([](auto& o) { o.seeds[0].links[1].to = mad::Guid{1}; }),
              HasSubstr("switch 0x0000000000000001 of seed 1 is not in the fabric"));
  EXPECT_THAT(
      refusal([](auto& o) { o.dimensions[0].wraps = false, o.seeds[0].links[0].plus = false; }),
      HasSubstr("xm_link of seed 1 leads out of 5m x 5 x 3"));
  EXPECT_EQ(refusal([](auto& o) { o.seeds[0].links.clear(); }), "seed 1 names no switches");
}

// Links between switches instead of those to two hosts.
void join_hosts_ports(const Lattice& lattice, fabric::Fabric& fabric, At a, At b) {
  const auto port = [&](At at) {
    const fabric::NodeIndex node = fabric.node_of_guid.at(lattice.guid(at));
    fabric::PortIndex index = fabric.nodes[node].first_port + 1;
    while (fabric.ports[index].peer == kNoIndex ||
           fabric.owning_node(fabric.ports[index].peer).is_switch())
      ++index;
    fabric.ports[fabric.ports[index].peer].peer = kNoIndex;
    return index;
  };
  const fabric::PortIndex one = port(a), other = port(b);
  fabric.ports[one].peer = other;
  fabric.ports[other].peer = one;
}

TEST(TorusGrid, LinksBetweenSwitchesThatAreNotNeighboursAreNotUsed) {
  const Lattice lattice{{5, 5, 5}};
  fabric::Fabric fabric = lattice.fabric();
  join_hosts_ports(lattice, fabric, {4, 1, 2}, {2, 3, 3});
  const Subnet subnet(fabric);
  const auto grid = coordinates(subnet, lattice.options());
  ASSERT_TRUE(grid) << grid.error().why;
  EXPECT_EQ(std::ranges::count(grid->direction, routing::torus::kNoDirection), 2);
  for (const SwitchIndex sw : subnet.graph.all_switches())
    EXPECT_EQ(grid->shape.coordinates(grid->cell_of[sw]), Lattice::coordinates(subnet.fabric, sw));
}

}  // namespace torus_grid_test
