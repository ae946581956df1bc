#include "routing/engines/virtual_lanes/virtual_lane_engines.h"

#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mad/attributes/port_info.h"
#include "routing/qos/spanning_tree.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/conditions.h"
#include "unit/routing/opensm_tables.h"
#include "unit/routing/routed.h"

namespace nue_test {

using fabric::kNoIndex;
using fabric::SwitchIndex;
using fabrics::Maker;
using fabrics::Subnet;
using routed::Result;
using routed::run;
using testing::Contains;
using testing::HasSubstr;

routing::RoutingOptions on_vls(unsigned count) {
  routing::RoutingOptions options;
  options.nue_max_num_vls = count;
  return options;
}

struct Bound {
  const char* name;
  topology::Topology topology;
  double detour,
      detour_on_four;         // mean path length in units of the shortest, on one VL and on four
  double peak, peak_on_four;  // highest load of a link in units of the mean
};

TEST(Nue, RoutesKnownTopologiesOnAnyNumberOfVlsWithShortDetours) {
  const std::vector<Bound> bounds{
      {"ring of 5", topology::torus({.dimensions = {5}}), 1.07, 1.0, 1.3, 1.01},
      {"ring of 9", topology::torus({.dimensions = {9}}), 1.16, 1.01, 1.4, 1.3},
      {"torus 8x8", topology::torus({.dimensions = {8, 8}}), 1.10, 1.02, 3.5, 2.5},
      {"torus 4x4x4", topology::torus({.dimensions = {4, 4, 4}}), 1.02, 1.01, 2.5, 1.7},
      {"torus 5x5x5", topology::torus({.dimensions = {5, 5, 5}}), 1.08, 1.03, 4.0, 2.7},
      {"torus 5x5x5, 20 % lost",
       topology::degrade(topology::torus({.dimensions = {5, 5, 5}}), 0.2, 1), 1.15, 1.05, 6.0, 4.0},
      {"hypercube of 64", topology::hypercube({.dimensions = 6}), 1.02, 1.01, 2.0, 1.5},
      {"dragonfly", topology::dragonfly({}), 1.12, 1.03, 3.0, 2.0},
      {"slim fly of 50", topology::slim_fly({.q = 5}), 1.15, 1.02, 3.5, 3.0},
      {"random regular of 60", topology::random_regular({.switches = 60, .degree = 6}), 1.12, 1.04,
       4.0, 3.0},
      {"fat tree", topology::fat_tree({.hosts = 128, .radix = 8}), 1.0, 1.0, 1.5, 1.5},
      {"fat tree, 5 % lost",
       topology::degrade(topology::fat_tree({.hosts = 128, .radix = 8}), 0.05, 1), 1.0, 1.0, 3.0,
       3.0},
  };
  for (const Bound& bound : bounds) {
    SCOPED_TRACE(bound.name);
    const Subnet subnet(fabrics::from_topology(bound.topology));
    const double shortest = routed::shortest(subnet).mean;
    for (const unsigned vls : {1u, 4u}) {
      SCOPED_TRACE(vls);
      const Result result = run(routing::nue, subnet, on_vls(vls));
      ASSERT_TRUE(result) << result.error().why;
      EXPECT_TRUE(routed::is_good(subnet, *result));
      EXPECT_LE(result->vls, vls);
      const double detour = routed::lengths(subnet, result->lfts).mean / shortest,
                   peak = routed::peak(subnet, result->lfts);
      EXPECT_LE(detour, vls == 1 ? bound.detour : bound.detour_on_four);
      EXPECT_LE(peak, vls == 1 ? bound.peak : bound.peak_on_four);
      if (detour > 1.0001) {
        EXPECT_THAT(texts(result->conditions),
                    Contains(HasSubstr("are reached by detours from some switches")));
      }
    }
  }
}

TEST(Nue, HasNoLongerPathsAndNoHigherLoadThanOpenSm) {
  for (const char* fabric : {"fattree2-16h", "random-20s-40h"}) {
    SCOPED_TRACE(fabric);
    const opensm_tables::Recorded recorded(fabric, "nue");
    const Subnet& subnet = recorded.subnet;
    const Result result = run(routing::nue, subnet);  // one VL, as OpenSM's run
    ASSERT_TRUE(result);
    EXPECT_TRUE(routed::is_good(subnet, *result));
    const auto ours = routed::lengths(subnet, result->lfts),
               theirs = routed::lengths(subnet, recorded.lfts);
    EXPECT_LE(ours.longest(), theirs.longest());
    EXPECT_LE(ours.mean, theirs.mean);
    EXPECT_LE(routing::all_to_all(subnet.graph, subnet.lids, result->lfts).worst,
              routing::all_to_all(subnet.graph, subnet.lids, recorded.lfts).worst);
  }
}

TEST(Nue, UsesAtMostTheAvailableVlsByDestination) {
  fabric::Fabric fabric = fabrics::from_topology(topology::torus({.dimensions = {5, 5}}));
  for (fabric::Port& port : fabric.ports) port.info.set_vl_cap(3);  // four data VLs
  const Subnet subnet(std::move(fabric));
  const Result all = run(routing::nue, subnet, on_vls(0)),
               many = run(routing::nue, subnet, on_vls(15));
  ASSERT_TRUE(all && many);
  EXPECT_EQ(all->vls, 4u);
  EXPECT_EQ(many->vls, 4u);
  EXPECT_EQ(all->sls.shape(), routing::PathSls::Shape::destination);
  const auto pairs =
      routing::pairs_per_vl(subnet.graph, subnet.lids, all->lfts, all->sls, all->sl_to_vl);
  ASSERT_EQ(pairs.size(), 4u);
  for (const std::uint64_t count : pairs)
    EXPECT_NEAR(static_cast<double>(count), 25 * 24 / 4.0, 24.0);
}

TEST(Nue, OnOneVlThereIsNoSlToVlTable) {
  const Subnet subnet(fabrics::from_topology(topology::torus({.dimensions = {5}})));
  const Result result = run(routing::nue, subnet);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->vls, 1u);
  EXPECT_TRUE(result->sl_to_vl.empty());
  EXPECT_EQ(result->sls.shape(), routing::PathSls::Shape::zero);
}

TEST(Nue, BalancesOverThirtyParallelLinks) {
  Maker maker;
  const auto a = maker.sw(64), b = maker.sw(64);
  maker.cable(a, b, 30);
  for (int i = 0; i < 30; ++i) {
    maker.host(a);
    maker.host(b);
  }
  const Subnet subnet(maker.build());
  const Result result = run(routing::nue, subnet);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routed::is_good(subnet, *result));
  EXPECT_EQ(routed::peak(subnet, result->lfts), 1.0);
}

TEST(Nue, RoutesEachConnectedComponent) {
  Maker maker;
  for (int component = 0; component < 2; ++component) {
    std::vector<fabric::NodeIndex> ring;
    for (int i = 0; i < 5; ++i) ring.push_back(maker.sw());
    for (std::size_t i = 0; i < 5; ++i) maker.cable(ring[i], ring[(i + 1) % 5]);
    for (const fabric::NodeIndex sw : ring) maker.host(sw);
  }
  const Subnet subnet(maker.build());
  for (const unsigned vls : {1u, 3u}) {
    const Result result = run(routing::nue, subnet, on_vls(vls));
    ASSERT_TRUE(result);
    EXPECT_TRUE(routed::is_good(subnet, *result));
    EXPECT_EQ(std::ranges::count(result->multicast_up, fabric::ChannelIndex(kNoIndex)), 2);
  }
}

TEST(Nue, SwitchesHaveNoCreditLoopWhenIncluded) {
  const Subnet subnet(fabrics::from_topology(
      topology::degrade(topology::fat_tree({.hosts = 128, .radix = 8}), 0.05, 1)));
  routing::RoutingOptions options;
  options.nue_include_switches = true;
  const Result result = run(routing::nue, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts)
                  .ok());  // no LID is left out
  EXPECT_TRUE(routing::find_credit_loops(subnet.graph, subnet.lids, result->lfts,
                                         {result->sls, result->sl_to_vl}, routing::Traffic::all)
                  .ok());
}

TEST(Nue, SwitchesOfACompleteTreeReachEachOther) {
  const Subnet subnet(fabrics::from_topology(topology::fat_tree({.hosts = 128, .radix = 8})));
  const Result result = run(routing::nue, subnet);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts).ok());
}

TEST(Nue, DoesNotUseSlowLinks) {
  Maker maker;
  const auto a = maker.sw(), b = maker.sw();
  maker.cable(a, b, 2);
  for (int i = 0; i < 4; ++i) {
    maker.host(a);
    maker.host(b);
  }
  fabric::Fabric fabric = maker.build();
  for (const fabric::NodeIndex node : {a, b})
    for (const std::uint8_t number : {std::uint8_t{1}, std::uint8_t{2}}) {
      mad::PortInfo& info = fabric.ports[fabric.port(node, mad::PortNum{number})].info;
      info.set_link_width_supported(mad::link_width::k1x | mad::link_width::k4x);
      info.set_link_width_active(number == 1 ? mad::link_width::k1x : mad::link_width::k4x);
    }
  const Subnet subnet(std::move(fabric));
  routing::RoutingOptions options;
  options.avoid_throttled_links = true;
  const Result result = run(routing::nue, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routed::is_good(subnet, *result));
  for (const auto& end : subnet.graph.end_ports) {
    if (end.sw == 1 && end.out.value != 0) {
      EXPECT_EQ(result->lfts.at(fabric::SwitchIndex{0}, subnet.find_lid(end.port)),
                mad::PortNum{2});
    }
  }
}

// The dependencies of all multicast traffic on its tree close no cycle with those of unicast.
TEST(Nue, MulticastOnTheFirstVlClosesNoCycle) {
  for (const unsigned vls : {1u, 4u}) {
    const Subnet subnet(fabrics::from_topology(topology::torus({.dimensions = {4, 5}})));
    const Result result = run(routing::nue, subnet, on_vls(vls));
    ASSERT_TRUE(result);
    ASSERT_EQ(result->multicast_up.size(), subnet.graph.switches());
    routing::SpanningTree tree{result->multicast_up, {}};
    for (const SwitchIndex sw : subnet.graph.all_switches()) tree.top_first.push_back(sw);
    const auto depth = [&](SwitchIndex sw) {
      unsigned hops = 0;
      for (; tree.up[sw] != kNoIndex; sw = subnet.graph.neighbour[tree.up[sw]]) ++hops;
      return hops;
    };
    std::ranges::sort(tree.top_first, {}, [&](SwitchIndex sw) { return std::pair(depth(sw), sw); });
    const std::vector<std::uint32_t> all_switches(subnet.graph.switches(), 1);
    const auto others = routing::dependencies_on(subnet.graph, tree, all_switches, all_switches);
    EXPECT_FALSE(others.empty());
    const routing::VlMapping with{result->sls, result->sl_to_vl};
    EXPECT_TRUE(routing::find_credit_loops(subnet.graph, subnet.lids, result->lfts, with,
                                           routing::Traffic::between_hosts, others)
                    .ok());
  }
  const Subnet tree(fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8})));
  EXPECT_TRUE(run(routing::nue, tree)->multicast_up.empty());  // any tree closes no cycle there
}

TEST(SpanningTree, TowardsASwitchAllLinksLeadThere) {
  const Subnet subnet(fabrics::from_topology(
      topology::random_graph({.switches = 30, .hosts = 30, .extra_links = 30})));
  std::vector<SwitchIndex> order(subnet.graph.switches());
  std::iota(order.begin(), order.end(), SwitchIndex{0});
  const std::vector<std::uint8_t> open(subnet.graph.port.size(), 1);
  const std::vector<std::uint32_t> unused(subnet.graph.port.size(), 0);
  const routing::SpanningTree tree = routing::spanning_tree(subnet.graph, open, order, unused);
  for (const SwitchIndex last_switch : order) {
    const auto towards = tree.towards(subnet.graph, last_switch);
    for (SwitchIndex sw : order) {
      for (unsigned hops = 0; sw != last_switch; ++hops) {
        ASSERT_LT(hops, subnet.graph.switches());
        sw = subnet.graph.neighbour[towards[sw]];
      }
    }
  }
}

TEST(SpanningTree, IsFoundNextToExistingDependencies) {
  // A ring of three in which all channels of one direction depend on each other, but for one pair:
  // a tree needs turns in both directions at its middle switch.
  Maker maker;
  const fabric::NodeIndex ring[] = {maker.sw(), maker.sw(), maker.sw()};
  for (std::size_t i = 0; i < 3; ++i) maker.cable(ring[i], 2, ring[(i + 1) % 3], 1);
  const Subnet subnet(maker.build());
  std::vector<fabric::ChannelIndex> channels(6);
  std::iota(channels.begin(), channels.end(), fabric::ChannelIndex{0});
  const SwitchIndex s0{0}, s1{1}, s2{2}, order[] = {s0, s1, s2};
  const std::vector<std::uint8_t> open(6, 1);
  const auto ahead = [](SwitchIndex sw) {
    return fabric::ChannelIndex(2 * sw + 1);
  };  // the channel to the next switch
  const auto back = [](SwitchIndex sw) { return fabric::ChannelIndex(2 * sw); };
  routing::AcyclicChannels free(subnet.graph, channels);
  const auto any = routing::spanning_tree_within(free, subnet.graph, open, order);
  ASSERT_TRUE(any);
  EXPECT_EQ(std::ranges::count(any->up, fabric::ChannelIndex(kNoIndex)), 1);
  // Dependencies forward at switches 1 and 2 exist, so none is possible forward at 0, and a tree
  // must not have 0 in its middle.
  routing::AcyclicChannels taken(subnet.graph, channels);
  ASSERT_TRUE(taken.allow(ahead(s0), 1) && taken.allow(ahead(s1), 1));
  ASSERT_FALSE(taken.allow(ahead(s2), 1));
  const auto tree = routing::spanning_tree_within(taken, subnet.graph, open, order);
  ASSERT_TRUE(tree);
  EXPECT_NE(subnet.graph.neighbour[tree->up[s1]] == s0, subnet.graph.neighbour[tree->up[s2]] == s0);
  // Two of the switches lack one dependency each: the third is the middle.
  routing::AcyclicChannels full(subnet.graph, channels);
  ASSERT_TRUE(full.allow(ahead(s0), 1) &&
              full.allow(ahead(s1), 1));  // forward at 1 and at 2: never at 0
  ASSERT_TRUE(full.allow(back(s0), 0));   // comes to 2 and goes on to 1: backward at 2
  ASSERT_TRUE(full.allow(back(s1), 0));   // backward at 0: so never at 1
  const auto last = routing::spanning_tree_within(full, subnet.graph, open, order);
  ASSERT_TRUE(last);
  EXPECT_TRUE(last->up[s1] == ahead(s1) && last->up[s2] == ahead(s2));  // 1 below 2 below 0
}

}  // namespace nue_test
