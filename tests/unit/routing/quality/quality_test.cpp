#include "routing/quality/quality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/engines/distance/distance_engines.h"
#include "routing/registry.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"

namespace quality_test {

using fabrics::Maker;
using fabrics::Subnet;

// Two switches, one link, two hosts each: LIDs 1 2 | 3 4.
struct Line {
  Subnet subnet{
      fabrics::from_topology(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 2}))};
  fabric::ForwardingTables lfts =
      routing::minhop({subnet.fabric, subnet.graph, subnet.lids, {}, nullptr})->lfts;
};

TEST(Quality, CountsLidsPerChannel) {
  const Line line;
  EXPECT_THAT(routing::lids_per_channel(line.subnet.graph, line.subnet.lids, line.lfts),
              testing::ElementsAre(2, 2));
}

TEST(Quality, ShiftLoadOfALine) {
  const Line line;
  const auto load = routing::shift_load(line.subnet.graph, line.subnet.lids,
                                        line.lfts);  // shifts 1, 2, 3: 1, 2, 1 pairs cross
  EXPECT_EQ(load.worst, 2u);
  EXPECT_DOUBLE_EQ(load.mean, 4.0 / 3);
}

/// Two leaves of three hosts, two spines: 1, 2, 3, 2, 1 pairs cross, spread over two links.
TEST(Quality, AdaptiveLoadIsSpreadEvenlyOverTheGroup) {
  const Subnet subnet(fabrics::from_topology(
      topology::xgft({.children = {3, 2}, .parents = {1, 2}, .cables = {}})));
  const routing::RoutingOptions options;
  const auto routed =
      routing::route_with_chain(std::vector<std::string>{"ar_updn"}, true,
                                {subnet.fabric, subnet.graph, subnet.lids, options});
  ASSERT_TRUE(routed);
  const auto& lfts = routed->routing.lfts;
  fabric::AdaptiveGroups groups = *routed->routing.adaptive;
  const auto load = routing::adaptive_shift_load(subnet.graph, subnet.lids, lfts, groups);
  EXPECT_DOUBLE_EQ(load.worst, 1.5);
  EXPECT_DOUBLE_EQ(load.mean, 0.9);
  const auto random =
      routing::adaptive_random_permutations(subnet.graph, subnet.lids, lfts, groups, 50, 3);
  EXPECT_LE(random.worst, 1.5);
  EXPECT_LT(random.mean, routing::random_permutations(subnet.graph, subnet.lids, lfts, 50, 3).mean);
  groups.group_of_lid.clear();  // LIDs without a group have the path of the tables
  EXPECT_DOUBLE_EQ(routing::adaptive_shift_load(subnet.graph, subnet.lids, lfts, groups).mean,
                   routing::shift_load(subnet.graph, subnet.lids, lfts).mean);
}

TEST(Quality, BisectionOfALineIsBetweenHalfAndOne) {
  const Line line;
  const double value =
      routing::effective_bisection(line.subnet.graph, line.subnet.lids, line.lfts, 100, 1);
  EXPECT_GE(value, 0.5);
  EXPECT_LT(value, 1.0);
}

TEST(Quality, AllToAllOfThreeSwitches) {
  const Subnet subnet(
      fabrics::from_topology(topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 2})));
  const auto lfts = routing::minhop({subnet.fabric, subnet.graph, subnet.lids, {}, nullptr})->lfts;
  const auto load =
      routing::all_to_all(subnet.graph, subnet.lids,
                          lfts);  // 2 senders to 4 LIDs and 4 to 2 on each link, in each direction
  EXPECT_THAT(load.per_channel, testing::Each(8u));
  EXPECT_EQ(load.worst, 8u);
  EXPECT_EQ(load.p99, 8u);
  EXPECT_DOUBLE_EQ(load.mean, 8);
  EXPECT_DOUBLE_EQ(load.variation, 0);
  EXPECT_EQ(load.unused, 0u);
  const auto lengths = routing::path_lengths(subnet.graph, subnet.lids, lfts);
  EXPECT_THAT(lengths.pairs, testing::ElementsAre(6, 16, 8));
  EXPECT_EQ(lengths.lost, 0u);
  EXPECT_DOUBLE_EQ(lengths.mean, 32.0 / 30);
}

TEST(Quality, CountsLostPairsAndUnusedChannels) {
  Line line;
  line.lfts.writable_row(fabric::SwitchIndex{0})[3] = mad::kNoPort.value;
  line.lfts.writable_row(fabric::SwitchIndex{0})[4] = mad::kNoPort.value;
  EXPECT_EQ(routing::path_lengths(line.subnet.graph, line.subnet.lids, line.lfts).lost, 4u);
  EXPECT_EQ(routing::all_to_all(line.subnet.graph, line.subnet.lids, line.lfts).unused, 1u);
}

TEST(Quality, PermutationsOfALineHaveAtMostTwoPairsOnTheLink) {
  const Line line;
  const auto load =
      routing::random_permutations(line.subnet.graph, line.subnet.lids, line.lfts, 200, 1);
  EXPECT_EQ(load.worst, 2u);
  EXPECT_EQ(load.p99, 2u);
  EXPECT_GT(load.mean,
            0.5);  // 4 of 24 permutations cross not at all, 16 with one pair in each direction, 4
                   // with two: mean 1
  EXPECT_LT(load.mean, 1.5);
}

TEST(Quality, CountsPairsPerVl) {
  const Line line;
  auto sls = routing::PathSls::by_destination(line.subnet.lids.lid_top);
  sls.row(0)[4] = 2;
  EXPECT_THAT(routing::pairs_per_vl(line.subnet.graph, line.subnet.lids, line.lfts, sls,
                                    routing::SlToVl::identity(3)),
              testing::ElementsAre(6, 0, 2));
  EXPECT_THAT(routing::pairs_per_vl(line.subnet.graph, line.subnet.lids, line.lfts, sls, {}),
              testing::ElementsAre(8));
}

TEST(Quality, CountsChangedEntriesBlocksAndPaths) {
  const Subnet subnet(
      fabrics::from_topology(topology::row({.switches = 3, .cables = 2, .hosts_per_switch = 2})));
  const auto before =
      routing::minhop({subnet.fabric, subnet.graph, subnet.lids, {}, nullptr})->lfts;
  EXPECT_EQ(routing::table_changes(subnet.graph, subnet.lids, before, before).paths, 0u);
  auto after = before;
  // LID 5 is on the last switch: the middle one takes its other link, which changes the paths of
  // the hosts of the first two switches.
  std::uint8_t& entry = after.writable_row(fabric::SwitchIndex{1})[5];
  const auto last = subnet.graph.out_ports(fabric::SwitchIndex{1}).subspan(2);
  entry = entry == last[0].value ? last[1].value : last[0].value;
  auto changes = routing::table_changes(subnet.graph, subnet.lids, before, after);
  EXPECT_EQ(changes.entries, 1u);
  EXPECT_EQ(changes.blocks, 1u);
  EXPECT_EQ(changes.paths, 4u);
  after.writable_row(fabric::SwitchIndex{2})[5] =
      mad::kNoPort.value;  // now no host reaches it, nor does its neighbour on the same switch
  changes = routing::table_changes(subnet.graph, subnet.lids, before, after);
  EXPECT_EQ(changes.entries, 2u);
  EXPECT_EQ(changes.blocks, 2u);
  EXPECT_EQ(changes.paths, 5u);
}

TEST(Quality, ComparesTablesInPartsAsAtOnce) {
  const Subnet subnet(fabrics::from_topology(topology::torus({.dimensions = {3, 3}})));
  const auto before = routing::minhop({subnet.fabric, subnet.graph, subnet.lids, {}})->lfts;
  routing::RoutingOptions other;
  other.scatter_ports = 5;
  const auto after = routing::minhop({subnet.fabric, subnet.graph, subnet.lids, other})->lfts;
  const auto at_once = routing::table_changes(subnet.graph, subnet.lids, before, after);
  ASSERT_GT(at_once.paths, 0u);
  routing::TableComparison parts(subnet.graph, subnet.lids, before, after);
  unsigned rounds = 1;
  while (parts.proceed(2)) ++rounds;
  EXPECT_GT(rounds, 3u);
  EXPECT_EQ(parts.changes().entries, at_once.entries);
  EXPECT_EQ(parts.changes().blocks, at_once.blocks);
  EXPECT_EQ(parts.changes().paths, at_once.paths);
  EXPECT_EQ(parts.worst_load_before(),
            routing::all_to_all(subnet.graph, subnet.lids, before).worst);
  EXPECT_EQ(parts.worst_load_after(), routing::all_to_all(subnet.graph, subnet.lids, after).worst);
}

TEST(Quality, NothingToMeasureIsZero) {
  const Subnet subnet((Maker().build()));
  const fabric::ForwardingTables none(0, mad::Lid{0});
  EXPECT_EQ(routing::shift_load(subnet.graph, subnet.lids, none).worst, 0u);
  EXPECT_EQ(routing::effective_bisection(subnet.graph, subnet.lids, none, 3, 1), 0);
}

}  // namespace quality_test
