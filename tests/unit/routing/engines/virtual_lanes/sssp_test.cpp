#include "routing/engines/virtual_lanes/virtual_lane_engines.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/qos/acyclic_channels.h"
#include "routing/qos/vl_assignment.h"
#include "routing/quality/quality.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "sm/ctl/topology/generators.h"
#include "support/conditions.h"
#include "unit/routing/opensm_tables.h"

namespace sssp_test {

using fabric::NodeIndex;
using fabrics::Maker;
using fabrics::Subnet;
using testing::Contains;
using testing::HasSubstr;

using Result = tl::expected<routing::RoutingResult, routing::Refusal>;

Result run(Result (*engine)(const routing::RoutingInput&), const Subnet& subnet,
           const routing::RoutingOptions& options = {}) {
  return engine({subnet.fabric, subnet.graph, subnet.lids, options});
}
bool has_loops(const Subnet& subnet, const routing::RoutingResult& result) {
  return !routing::find_credit_loops(subnet.graph, subnet.lids, result.lfts,
                                     {result.sls, result.sl_to_vl}, routing::Traffic::between_hosts)
              .ok();
}

TEST(Dfsssp, NeedsNoMoreVlsAndHasNoHigherLoadThanOpenSm) {
  for (const auto& [fabric, vls_of_opensm] :
       {std::pair("fattree2-16h", 1u), std::pair("fattree3-64h", 1u), std::pair("torus-3x3x3", 3u),
        std::pair("dragonfly-4-2-2", 3u), std::pair("random-20s-40h", 2u)}) {
    const opensm_tables::Recorded recorded(fabric, "dfsssp");
    const Subnet& subnet = recorded.subnet;
    const Result result = run(routing::dfsssp, subnet);
    ASSERT_TRUE(result);
    EXPECT_TRUE(routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts).ok());
    EXPECT_FALSE(has_loops(subnet, *result));
    // Where tables are needed in any case, the other VLs balance the load.
    EXPECT_EQ(result->vls, vls_of_opensm == 1 ? 1u : 8u) << fabric;
    EXPECT_EQ(result->sl_to_vl.empty(), vls_of_opensm == 1) << fabric;
    const auto needed =
        routing::assign_vls({subnet.fabric, subnet.graph, subnet.lids, {}}, result->lfts, 8);
    ASSERT_TRUE(needed);
    EXPECT_LE(needed->needed, vls_of_opensm) << fabric;
    EXPECT_LE(routing::all_to_all(subnet.graph, subnet.lids, result->lfts).worst,
              routing::all_to_all(subnet.graph, subnet.lids, recorded.lfts).worst)
        << fabric;
  }
}

TEST(Dfsssp, ATorusOf125SwitchesNeedsAtMostEightVls) {
  const Subnet subnet(
      fabrics::from_topology(topology::torus({.dimensions = {5, 5, 5}, .hosts_per_switch = 2})));
  const Result result = run(routing::dfsssp, subnet);
  ASSERT_TRUE(result) << result.error().why;
  EXPECT_FALSE(has_loops(subnet, *result));
}

TEST(Dfsssp, RefusesWhenVlsDoNotSufficeAndNamesAPath) {
  const Subnet subnet(fabrics::from_topology(topology::torus({.dimensions = {5}})));
  routing::RoutingOptions options;
  options.vls_max = 1;
  const Result result = run(routing::dfsssp, subnet, options);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().why,
              testing::AllOf(HasSubstr("1 virtual lanes are not enough: packets from \"S"),
                             HasSubstr(" to LID ")));
  options.vls_max = 2;
  EXPECT_TRUE(run(routing::dfsssp, subnet, options));
}

TEST(Dfsssp, VlsThatLinksDoNotHaveAreNotUsed) {
  fabric::Fabric fabric = fabrics::from_topology(topology::torus({.dimensions = {5}}));
  for (fabric::Port& port : fabric.ports) port.info.set_vl_cap(2);  // two data VLs
  const Result result = run(routing::dfsssp, Subnet(std::move(fabric)));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->vls, 2u);
}

TEST(Dfsssp, OnOneVlThereIsNoSlToVlTable) {
  const Subnet subnet(fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8})));
  routing::RoutingOptions options;
  options.vls_max = 1;
  const Result result = run(routing::dfsssp, subnet, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->sl_to_vl.empty());
  EXPECT_EQ(result->sls.shape(), routing::PathSls::Shape::zero);
}

TEST(Dfsssp, SpreadsLoadOverVlsThatExcludeNoCreditLoopOnlyByTheOption) {
  const Subnet subnet(fabrics::from_topology(topology::fat_tree({.hosts = 16, .radix = 8})));
  const Result one = run(routing::dfsssp, subnet);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->vls, 1u);
  EXPECT_TRUE(one->sl_to_vl.empty());
  EXPECT_TRUE(one->vl_weights.empty()) << "VLs of qos_sl2vl keep the weights of qos_vlarb_low";
  EXPECT_EQ(one->sls.shape(), routing::PathSls::Shape::zero);
  EXPECT_THAT(texts(one->conditions),
              Contains("dfsssp: 1 of 8 VLs needed to exclude credit loops"));

  routing::RoutingOptions options;
  options.spread_vls = true;
  const Result all = run(routing::dfsssp, subnet, options);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->vls, 8u);
  EXPECT_EQ(all->sl_to_vl, routing::SlToVl::identity(8));
  EXPECT_EQ(all->vl_weights, std::vector<std::uint8_t>(8, 64));
  EXPECT_EQ(all->lfts, one->lfts);
  EXPECT_FALSE(has_loops(subnet, *all));
  std::set<std::uint8_t> sls;
  for (const std::uint8_t sl : all->sls.row(0)) sls.insert(sl);
  EXPECT_EQ(sls.size(), 8u);
}

// Two switches with two links between them and hosts on both.
struct Pair {
  Maker maker;
  NodeIndex a, b;
  Pair() : a(maker.sw()), b(maker.sw()) {
    maker.cable(a, b, 2);
    for (int i = 0; i < 6; ++i) {
      maker.host(a);
      maker.host(b);
    }
  }
};

std::set<unsigned> exits(const Subnet& subnet, const routing::RoutingResult& result,
                         fabric::SwitchIndex from, fabric::SwitchIndex to) {
  std::set<unsigned> ports;
  for (const auto& end : subnet.graph.end_ports)
    if (end.sw == to && end.out != mad::PortNum{0})
      ports.insert(result.lfts.at(from, subnet.find_lid(end.port)).value);
  return ports;
}

TEST(Sssp, UsesSlowLinksOnlyWhenTheyAreNeeded) {
  Pair pair;
  routing::RoutingOptions options;
  const auto with_speed = [&](std::uint8_t first, std::uint8_t second) {
    fabric::Fabric fabric = pair.maker.build();
    for (const NodeIndex node : {pair.a, pair.b})
      for (unsigned number = 1; number <= 2; ++number) {
        mad::PortInfo& info =
            fabric.ports[fabric.port(node, mad::PortNum{static_cast<std::uint8_t>(number)})].info;
        info.set_link_width_supported(mad::link_width::k1x | mad::link_width::k4x);
        info.set_link_width_active(number == 1 ? first : second);
      }
    return Subnet(std::move(fabric));
  };
  const Subnet one_slow = with_speed(mad::link_width::k1x, mad::link_width::k4x);
  EXPECT_EQ(exits(one_slow, *run(routing::sssp, one_slow, options), fabric::SwitchIndex{0},
                  fabric::SwitchIndex{1}),
            (std::set<unsigned>{1, 2}));
  options.avoid_throttled_links = true;
  const Result avoiding = run(routing::sssp, one_slow, options);
  EXPECT_EQ(exits(one_slow, *avoiding, fabric::SwitchIndex{0}, fabric::SwitchIndex{1}),
            (std::set<unsigned>{2}));
  EXPECT_EQ(exits(one_slow, *avoiding, fabric::SwitchIndex{1}, fabric::SwitchIndex{0}),
            (std::set<unsigned>{2}));
  EXPECT_THAT(
      texts(avoiding->conditions),
      Contains(HasSubstr(
          "1 links between switches run below the capability of both ends and are not used")));
  const Subnet both_slow = with_speed(mad::link_width::k1x, mad::link_width::k1x);
  const Result needing = run(routing::sssp, both_slow, options);
  EXPECT_EQ(exits(both_slow, *needing, fabric::SwitchIndex{0}, fabric::SwitchIndex{1}),
            (std::set<unsigned>{1, 2}));
  EXPECT_THAT(texts(needing->conditions), Contains(HasSubstr("and are used")));
}

TEST(Sssp, DistributesAllLidsOfAPort) {
  const Subnet subnet(Pair().maker.build(), 1);
  const Result result = run(routing::sssp, subnet);
  ASSERT_TRUE(result);
  const auto load = routing::all_to_all(subnet.graph, subnet.lids, result->lfts);
  EXPECT_EQ(load.worst, 6u * 6 * 2 / 2);  // six senders, six ports with two LIDs, two links
}

TEST(AcyclicChannels, AcceptDependenciesThatCloseNoCycleInAnyInitialOrder) {
  // A ring of three: of the three dependencies forward, any two have no cycle.
  Maker maker;
  const NodeIndex sw[] = {maker.sw(), maker.sw(), maker.sw()};
  for (std::size_t i = 0; i < 3; ++i) maker.cable(sw[i], 2, sw[(i + 1) % 3], 1);
  const Subnet subnet(maker.build());
  std::vector<fabric::ChannelIndex> order(6);
  std::iota(order.begin(), order.end(), fabric::ChannelIndex{0});
  do {
    routing::AcyclicChannels channels(subnet.graph, order);
    const auto ahead = [&](std::uint32_t from) {
      return channels.allow(fabric::ChannelIndex(2 * from + 1), 1);
    };
    EXPECT_TRUE(ahead(0));
    EXPECT_TRUE(ahead(2));
    EXPECT_TRUE(ahead(0));
    EXPECT_FALSE(ahead(1));
    EXPECT_FALSE(ahead(1));
    EXPECT_TRUE(channels.allow(fabric::ChannelIndex{2}, 0));  // the other direction: 1 -> 0 -> 2
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace sssp_test
