#include "routing/engines/virtual_lanes/virtual_lane_engines.h"

#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/engines/virtual_lanes/lash_paths.h"
#include "routing/engines/virtual_lanes/lash_result.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "unit/routing/opensm_tables.h"
#include "unit/routing/routed.h"

namespace lash_test {

using fabric::SwitchIndex;
using fabrics::Maker;
using fabrics::Subnet;
using routed::Result;
using routed::run;
using testing::HasSubstr;

routing::RoutingOptions with_mesh_analysis() {
  routing::RoutingOptions options;
  options.do_mesh_analysis = true;
  return options;
}

// Both directions of a pair of hosts have the same SL, so that a response can use that of the
// request.
bool answers_take_the_same_sl(const Subnet& subnet, const routing::RoutingResult& result) {
  for (const auto& a : subnet.graph.end_ports)
    for (const auto& b : subnet.graph.end_ports)
      if (a.out.value != 0 && b.out.value != 0 &&
          result.sls.at(a.sw, subnet.find_lid(b.port), b.sw) !=
              result.sls.at(b.sw, subnet.find_lid(a.port), a.sw))
        return false;
  return true;
}

TEST(Lash, NeedsNoMoreVlsThanOpenSmAndHasNoLongerPaths) {
  for (const auto& [fabric, vls] :
       {std::pair("fattree2-16h", 1u), std::pair("fattree3-64h", 4u), std::pair("torus-3x3x3", 1u),
        std::pair("dragonfly-4-2-2", 3u), std::pair("random-20s-40h", 2u)}) {
    SCOPED_TRACE(fabric);
    const opensm_tables::Recorded recorded(fabric, "lash");
    const Subnet& subnet = recorded.subnet;
    const Result result = run(routing::lash, subnet);
    ASSERT_TRUE(result) << result.error().why;
    EXPECT_TRUE(routed::is_good(subnet, *result));
    EXPECT_TRUE(answers_take_the_same_sl(subnet, *result));
    EXPECT_LE(result->vls, vls);
    const auto ours = routed::lengths(subnet, result->lfts),
               theirs = routed::lengths(subnet, recorded.lfts);
    EXPECT_LE(ours.longest(), theirs.longest());
    EXPECT_LE(ours.mean, theirs.mean);
    EXPECT_LE(routed::peak(subnet, result->lfts), routed::peak(subnet, recorded.lfts));
  }
}

struct Need {
  const char* name;
  topology::Topology topology;
  unsigned vls, vls_along_dimensions;
};

TEST(Lash, KnownTopologiesNeedFewVlsOnShortestPaths) {
  const std::vector<Need> needs{
      {"ring of 5", topology::torus({.dimensions = {5}}), 2, 2},
      {"ring of 9", topology::torus({.dimensions = {9}}), 3, 3},
      {"torus 8x8", topology::torus({.dimensions = {8, 8}}), 5, 5},
      {"torus 4x4x4", topology::torus({.dimensions = {4, 4, 4}}), 3, 1},
      {"torus 5x5x5", topology::torus({.dimensions = {5, 5, 5}}), 7, 5},
      {"mesh 5x5x5", topology::mesh({.dimensions = {5, 5, 5}}), 1, 1},
      {"hypercube of 64", topology::hypercube({.dimensions = 6}), 1, 1},
      {"dragonfly", topology::dragonfly({}), 3, 3},
      {"slim fly of 50", topology::slim_fly({.q = 5}), 2, 2},
      {"random regular of 60", topology::random_regular({.switches = 60, .degree = 6}), 4, 4},
      {"fat tree", topology::fat_tree({.hosts = 128, .radix = 8}), 1, 1},
      {"fat tree, 5 % lost",
       topology::degrade(topology::fat_tree({.hosts = 128, .radix = 8}), 0.05, 1), 1, 1},
  };
  for (const Need& need : needs) {
    SCOPED_TRACE(need.name);
    const Subnet subnet(fabrics::from_topology(need.topology));
    const auto shortest = routed::shortest(subnet);
    for (const bool along : {false, true}) {
      const Result result =
          run(routing::lash, subnet, along ? with_mesh_analysis() : routing::RoutingOptions{});
      ASSERT_TRUE(result) << result.error().why;
      EXPECT_TRUE(routed::is_good(subnet, *result));
      EXPECT_EQ(routed::lengths(subnet, result->lfts).pairs, shortest.pairs);
      EXPECT_TRUE(answers_take_the_same_sl(subnet, *result));
      EXPECT_LE(result->vls, along ? need.vls_along_dimensions : need.vls);
    }
  }
}

TEST(Lash, RoutesADegradedTorusOrGivesAReason) {
  routing::RoutingOptions options;
  options.vls_max = 15;
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    fabric::Fabric fabric = fabrics::from_topology(
        topology::degrade(topology::torus({.dimensions = {4, 4, 4}}), 0.2, seed));
    for (fabric::Port& port : fabric.ports) port.info.set_vl_cap(5);
    const Subnet subnet(std::move(fabric));
    const Result result = run(routing::lash, subnet, options);
    ASSERT_TRUE(result) << result.error().why;
    EXPECT_TRUE(routed::is_good(subnet, *result));
  }
}

TEST(Lash, RefusalGivesTheVlsNeededAndAPairWithoutOne) {
  const Subnet subnet(fabrics::from_topology(topology::torus({.dimensions = {5}})));
  routing::RoutingOptions options;
  options.vls_max = 1;
  EXPECT_THAT(run(routing::lash, subnet, options).error().why,
              HasSubstr("2 VLs needed from VL 0 on, but links between switches have VLs 0 to 0 "
                        "only; 2 pairs of switches would have none, such as \"S"));
  options.vls_max = 4;
  options.lash_start_vl = 3;
  EXPECT_THAT(run(routing::lash, subnet, options).error().why,
              HasSubstr("2 VLs needed from VL 3 on, but links between switches "
                        "have VLs 0 to 3 only"));
  options.lash_start_vl = 9;
  EXPECT_FALSE(run(routing::lash, subnet, options));
}

TEST(Lash, LeavesVlsBelowLashStartVlUnused) {
  const Subnet subnet(fabrics::from_topology(topology::torus({.dimensions = {5}})));
  routing::RoutingOptions options;
  options.lash_start_vl = 3;
  const Result result = run(routing::lash, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routed::is_good(subnet, *result));
  EXPECT_EQ(result->vls, 5u);
  const auto pairs =
      routing::pairs_per_vl(subnet.graph, subnet.lids, result->lfts, result->sls, result->sl_to_vl);
  ASSERT_EQ(pairs.size(), 5u);
  EXPECT_EQ(pairs[0] + pairs[1] + pairs[2], 0u);
  EXPECT_GT(pairs[3], 0u);
  EXPECT_GT(pairs[4], 0u);
}

TEST(Lash, VlsAreBalanced) {
  const Subnet subnet(
      fabrics::from_topology(topology::torus({.dimensions = {8, 8}, .hosts_per_switch = 2})));
  const Result result = run(routing::lash, subnet);
  ASSERT_TRUE(result);
  const auto pairs =
      routing::pairs_per_vl(subnet.graph, subnet.lids, result->lfts, result->sls, result->sl_to_vl);
  const auto [least, most] = std::ranges::minmax(pairs);
  EXPECT_LE(most, least + least / 2);
}

TEST(Lash, DistributesLidsOverParallelLinks) {
  Maker maker;
  const auto a = maker.sw(64), b = maker.sw(64);
  maker.cable(a, b, 30);
  for (int i = 0; i < 30; ++i) {
    maker.host(a);
    maker.host(b);
  }
  const Subnet subnet(maker.build());
  const Result result = run(routing::lash, subnet);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routed::is_good(subnet, *result));
  EXPECT_EQ(result->vls, 1u);
  EXPECT_EQ(routed::peak(subnet, result->lfts), 1.0);
}

TEST(Lash, LidsOfOnePortTakeDifferentPaths) {
  const Subnet subnet(fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8})), 2);
  const Result result = run(routing::lash, subnet);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routed::is_good(subnet, *result));
  const auto& far = subnet.graph.end_ports.back();
  std::set<unsigned> exits;
  for (const auto& end : subnet.graph.end_ports) {
    if (end.out.value == 0 || end.sw == subnet.graph.end_ports.front().sw) continue;
    exits.clear();
    for (unsigned offset = 0; offset < 4; ++offset)
      exits.insert(
          result->lfts
              .at(subnet.graph.end_ports.front().sw,
                  mad::Lid{static_cast<std::uint16_t>(subnet.find_lid(end.port).value + offset)})
              .value);
    EXPECT_GE(exits.size(), 2u);
  }
  EXPECT_NE(far.sw, subnet.graph.end_ports.front().sw);
  // If there are too few VLs, they take the same path: that is better than a refusal.
  const Subnet torus(fabrics::from_topology(topology::torus({.dimensions = {5, 5, 5}})), 2);
  const Result one_way = run(routing::lash, torus);
  ASSERT_TRUE(one_way) << one_way.error().why;
  EXPECT_TRUE(routed::is_good(torus, *one_way));
}

TEST(Lash, OnOneVlThereIsNoSlToVlTable) {
  const Subnet subnet(fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8})));
  const Result result = run(routing::lash, subnet);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->sl_to_vl.empty());
  EXPECT_EQ(result->sls.shape(), routing::PathSls::Shape::zero);
}

TEST(MeshAxes, AreFoundFromTheLinksAlone) {
  const auto axes_of = [](const topology::Topology& topology) {
    const Subnet subnet(fabrics::from_topology(topology));
    const routing::Bundles bundles = routing::bundles_of(subnet.graph);
    std::vector<SwitchIndex> order(subnet.graph.switches());
    std::iota(order.begin(), order.end(), SwitchIndex{0});
    const auto axes = routing::mesh_axes(bundles.graph, order);
    return axes ? axes->count : 0;
  };
  EXPECT_EQ(axes_of(topology::torus({.dimensions = {5, 6}})), 2u);
  EXPECT_EQ(axes_of(topology::torus({.dimensions = {3, 5, 7}})), 3u);
  EXPECT_EQ(axes_of(topology::mesh({.dimensions = {3, 4, 5}})), 3u);
  EXPECT_EQ(axes_of(topology::hypercube({.dimensions = 5})), 5u);
  EXPECT_EQ(axes_of(topology::torus({.dimensions = {4, 5}})),
            3u);  // a ring of four is the same graph as two dimensions of two
  EXPECT_EQ(axes_of(topology::torus({.dimensions = {9}})), 0u);
  EXPECT_EQ(axes_of(topology::dragonfly({})), 0u);
  EXPECT_EQ(axes_of(topology::fat_tree({.hosts = 16, .radix = 8})), 0u);
}

TEST(Bundles, HaveAllLinksInPortOrder) {
  Maker maker;
  const auto a = maker.sw(), b = maker.sw(), c = maker.sw();
  maker.cable(a, 4, b, 9);
  maker.cable(a, 2, c, 1);
  maker.cable(a, 7, b, 3);
  const Subnet subnet(maker.build());
  const routing::Bundles bundles = routing::bundles_of(subnet.graph);
  const SwitchIndex sa = subnet.sw(a), sb = subnet.sw(b);
  ASSERT_EQ(bundles.graph.degree(sa), 2u);
  const fabric::ChannelIndex to_b =
      bundles.graph.offsets[sa] + 1;  // connected by port 2, which leads to c
  EXPECT_EQ(bundles.graph.neighbour[to_b], sb);
  EXPECT_EQ(bundles.graph.neighbour[bundles.graph.reverse[to_b]], sa);
  std::vector<unsigned> ports;
  for (const fabric::ChannelIndex channel : bundles.find_links(to_b))
    ports.push_back(subnet.graph.port[channel].value);
  EXPECT_THAT(ports, testing::ElementsAre(4, 7));
}

}  // namespace lash_test
