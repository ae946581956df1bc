#include "routing/engines/trees/tree_engines.h"

#include <bit>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/registry.h"
#include "routing/trees/tree_routes.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/trees.h"

namespace dmodc_test {

using fabric::NodeIndex;
using fabric::SwitchIndex;
using fabrics::Maker;
using fabrics::Subnet;
using routing::RoutingOptions;
using routing::RoutingResult;
using testing::HasSubstr;

tl::expected<RoutingResult, routing::Refusal> run(const Subnet& subnet,
                                                  const RoutingOptions& options = {}) {
  return routing::dmodc({subnet.fabric, subnet.graph, subnet.lids, options});
}

RoutingResult good(const Subnet& subnet, const RoutingOptions& options = {}) {
  auto result = run(subnet, options);
  if (!result) throw std::runtime_error(result.error().why);
  const auto report = routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts,
                                      {.switch_lids_may_be_withheld = true});
  EXPECT_TRUE(report.ok()) << routing::describe(report, subnet.fabric, subnet.lids).front();
  EXPECT_TRUE(routing::find_credit_loops(subnet.graph, subnet.lids, result->lfts, {{}, {}},
                                         routing::Traffic::between_hosts)
                  .ok());
  return std::move(*result);
}

TEST(Dmodc, NoLinkCarriesTwoFlowsOfAShiftOnAFullTree) {
  for (const topology::XgftParams& params : trees::full_trees())
    for (const std::uint64_t seed : {0, 1, 2}) {
      const topology::Topology topology = topology::xgft(params);
      const Subnet subnet(
          fabrics::from_topology(seed == 0 ? topology : trees::scrambled(topology, seed)));
      const RoutingResult result = good(subnet);
      EXPECT_EQ(trees::shift_along(subnet, result.ca_order, result.lfts).worst, 1u)
          << testing::PrintToString(params.children) << " seed " << seed;
    }
}

TEST(Dmodc, AllLidsOfAPortAreBalancedAndTakeDifferentSwitches) {
  const Subnet subnet(
      fabrics::from_topology(trees::scrambled(
          topology::xgft({.children = {6, 4, 4}, .parents = {1, 6, 4}, .cables = {}}), 3)),
      2);
  const RoutingResult result = good(subnet);
  const routing::ChannelTable channels(subnet.graph);
  for (const auto& end : subnet.graph.end_ports) {
    if (end.out == mad::PortNum{0}) continue;
    for (const SwitchIndex from : subnet.graph.all_switches()) {
      std::set<SwitchIndex> met;
      std::size_t hops = 0;
      for (unsigned i = 0; i < 4; ++i) {
        const mad::Lid lid{static_cast<std::uint16_t>(subnet.find_lid(end.port).value + i)};
        for (SwitchIndex sw = from; sw != end.sw; ++hops) {
          sw = subnet.graph.neighbour[channels.channel(sw, result.lfts.at(sw, lid).value)];
          if (sw != end.sw)
            met.insert(sw);
          else
            --hops;
        }
      }
      if (std::ranges::count(subnet.graph.end_ports, from, &fabric::SwitchGraph::EndPort::sw) == 1)
        continue;  // reached by its own port only: not a leaf
      ASSERT_EQ(met.size(), hops) << "four paths without a common switch in between";
    }
  }
}

TEST(Dmodc, FurtherLidsTakeOtherSwitchesWhereLinksAreMissing) {
  const Subnet subnet(
      fabrics::from_topology(topology::degrade(
          topology::xgft({.children = {6, 6, 4}, .parents = {1, 6, 6}, .cables = {}}), 0.1, 5)),
      2);
  const RoutingResult result = good(subnet);
  const RoutingOptions options;
  const auto tree = routing::tree_levels({subnet.fabric, subnet.graph, subnet.lids, options}, {});
  const std::size_t switches = subnet.graph.switches();
  const auto distances = routing::up_down_distances(
      subnet.graph, tree->order,
      {std::vector<std::uint8_t>(switches, 0), std::vector<std::uint32_t>(switches, 0), {}});
  const routing::UpDownCandidates candidates(subnet.graph, tree->order, *distances);
  const routing::ChannelTable channels(subnet.graph);
  routing::CandidateMasks masks(subnet.graph.switches());
  std::size_t pairs = 0, few = 0;
  for (const SwitchIndex from : subnet.graph.all_switches()) {
    if (tree->level[from] != 0) continue;  // one of the paths of a host leads there, if any
    std::vector<fabric::ChannelIndex> of(subnet.graph.degree(from));
    std::iota(of.begin(), of.end(), subnet.graph.offsets[from]);
    candidates.find(from, of, masks);
    for (const auto& end : subnet.graph.end_ports) {
      if (end.out == mad::PortNum{0} || end.sw == from || masks.word(0, end.sw) == 0) continue;
      std::set<SwitchIndex> next;
      for (unsigned i = 0; i < 4; ++i) {
        const mad::Lid lid{static_cast<std::uint16_t>(subnet.find_lid(end.port).value + i)};
        next.insert(
            subnet.graph.neighbour[channels.channel(from, result.lfts.at(from, lid).value)]);
      }
      const std::size_t number_from = static_cast<std::size_t>(
          std::popcount(masks.word(0, end.sw)));  // this tree has no parallel links
      ++pairs;
      few += number_from < 6 ? 1u : 0u;
      ASSERT_GE(next.size(), std::min<std::size_t>(4, number_from));
    }
  }
  EXPECT_GT(pairs, 3'000u);
  EXPECT_GT(few, 1'000u);
}

TEST(Dmodc, TwoSwitchesBalanceOverThirtyLinks) {
  Maker maker;
  const NodeIndex a = maker.sw(80), b = maker.sw(80);
  for (int i = 0; i < 30; ++i) {
    maker.host(a);
    maker.host(b);
  }
  maker.cable(a, b, 30);
  const Subnet subnet(maker.build());
  const RoutingResult result = good(subnet);
  EXPECT_EQ(trees::shift_along(subnet, result.ca_order, result.lfts).worst, 1u);
  const Subnet with_lmc(subnet.fabric, 1);
  const RoutingResult two = good(with_lmc);
  for (const auto& end : with_lmc.graph.end_ports) {
    if (end.out == mad::PortNum{0}) continue;
    const mad::Lid lid = with_lmc.find_lid(end.port);
    EXPECT_NE(two.lfts.at(fabric::SwitchIndex(1 - end.sw), lid),
              two.lfts.at(fabric::SwitchIndex(1 - end.sw),
                          mad::Lid{static_cast<std::uint16_t>(lid.value + 1)}));
  }
}

TEST(Dmodc, OneSwitchAndALineOfSwitches) {
  for (const unsigned switches : {1u, 2u, 5u}) {
    const Subnet subnet(fabrics::from_topology(
        topology::row({.switches = switches, .cables = 2, .hosts_per_switch = 3})));
    EXPECT_FALSE(good(subnet).lfts.switches() == 0);
  }
}

TEST(Dmodc, AShiftOfTheHostsThatArePresentSharesNoLink) {
  Subnet subnet(fabrics::from_topology(
      topology::xgft({.children = {6, 6, 3}, .parents = {1, 6, 6}, .cables = {}})));
  for (std::size_t i = 0; i < subnet.graph.end_ports.size(); ++i)
    if (subnet.graph.end_ports[i].is_host() && i % 5 == 0)
      subnet.fabric.ports[subnet.fabric.ports[subnet.graph.end_ports[i].port].peer]
          .info.set_port_state(mad::PortState::down);
  subnet.graph = fabric::make_switch_graph(subnet.fabric);
  const RoutingResult result = good(subnet);
  std::vector<mad::Guid> present;
  std::ranges::copy_if(result.ca_order, std::back_inserter(present),
                       [](mad::Guid guid) { return guid != mad::Guid{}; });
  EXPECT_LE(trees::shift_along(subnet, present, result.lfts).worst, 2u);
  EXPECT_LE(trees::shift_along(subnet, present, result.lfts).mean, 1.9);
}

TEST(Dmodc, AMissingLinkChangesOnlyRoutesOverIt) {
  const topology::Topology topology =
      topology::xgft({.children = {6, 6, 6}, .parents = {1, 6, 6}, .cables = {}});
  const Subnet whole(fabrics::from_topology(topology));
  const RoutingResult before = good(whole);
  for (const std::size_t lost :
       {std::size_t{216 + 40}, topology.links.size() - 20}) {  // leaf to middle, middle to top
    Subnet damaged = whole;
    const topology::Link& link = topology.links[lost];
    damaged.fabric
        .ports[damaged.fabric.port(NodeIndex(link.a.node), mad::PortNum{link.a.port.value})]
        .info.set_port_state(mad::PortState::down);
    damaged.graph = fabric::make_switch_graph(damaged.fabric);
    ASSERT_EQ(damaged.graph.port.size() + 2, whole.graph.port.size());
    const RoutingResult after = good(damaged);
    std::size_t changed = 0, all = 0;
    for (const SwitchIndex sw : whole.graph.all_switches())
      for (const fabric::PortIndex host : whole.fabric.end_ports) {
        if (whole.fabric.owning_node(host).is_switch()) continue;
        ++all;
        changed +=
            after.lfts.at(sw, whole.find_lid(host)) != before.lfts.at(sw, whole.find_lid(host))
                ? 1u
                : 0u;
      }
    EXPECT_LT(changed, all / 50);
    EXPECT_LE(trees::shift_along(damaged, after.ca_order, after.lfts).worst, 2u);
  }
}

TEST(Dmodc, DegradedTreesAreBetterBalancedThanWithOtherEngines) {
  for (const auto& [percent, bound] : {std::pair(1, 2.9), std::pair(5, 4.0), std::pair(20, 6.5)}) {
    const Subnet subnet(fabrics::from_topology(
        topology::degrade(topology::fat_tree({.hosts = 1728, .radix = 24}), percent / 100.0, 8)));
    const RoutingResult result = good(subnet);
    const double mean = trees::shift_along(subnet, result.ca_order, result.lfts, 40).mean;
    EXPECT_LE(mean, bound) << percent;
    for (const char* other : {"minhop", "updn", "sssp"}) {
      const RoutingOptions options;
      const auto theirs =
          routing::find_engine(other)->route({subnet.fabric, subnet.graph, subnet.lids, options});
      if (!theirs) continue;
      EXPECT_LE(mean, 1.05 * trees::shift_along(subnet, result.ca_order, theirs->lfts, 40).mean)
          << other << " " << percent;
    }
  }
}

// The level of a spine or a leaf does not depend on how many of its hosts are present.
TEST(Dmodc, LevelsOfUnevenTrees) {
  Maker maker;
  std::vector<NodeIndex> leaves, spines;
  for (int i = 0; i < 4; ++i) spines.push_back(maker.sw());
  for (int i = 0; i < 6; ++i) {
    leaves.push_back(maker.sw());
    for (std::size_t s = 0; s < spines.size(); ++s)
      if (i != 5 || s < 2)
        maker.cable(leaves.back(), spines[s]);  // the last one has two links only
    for (int host = 0; host < (i < 3 ? 12 : i == 3 ? 1 : i == 4 ? 0 : 5); ++host)
      maker.host(leaves.back());
  }
  maker.host(spines[0]);  // the management node's
  const Subnet subnet(maker.build());
  const RoutingOptions options;
  const auto tree = routing::tree_levels({subnet.fabric, subnet.graph, subnet.lids, options}, {});
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->pairs_without_path, 0u);
  EXPECT_EQ(tree->height, 2u);
  for (const NodeIndex spine : spines) EXPECT_EQ(tree->level[subnet.sw(spine)], 1u);
  for (const std::size_t i : {0, 1, 2, 3, 5}) EXPECT_EQ(tree->level[subnet.sw(leaves[i])], 0u) << i;
  EXPECT_EQ(tree->idle[subnet.sw(leaves[4])], 1u);
  good(subnet);
}

TEST(Dmodc, HostsOnSpinesAreConnectedOverAnotherSpine) {
  Maker maker;
  std::vector<NodeIndex> spines;
  for (int i = 0; i < 9; ++i) spines.push_back(maker.sw());
  for (int i = 0; i < 8; ++i) {
    const NodeIndex leaf = maker.sw();
    for (const NodeIndex spine : spines) maker.cable(leaf, spine);
    for (int host = 0; host < 9; ++host) maker.host(leaf);
  }
  maker.host(spines[3]);
  maker.host(spines[4]);
  good(Subnet(maker.build()));
}

TEST(Dmodc, ColumnsAreTheSameInAllSubtrees) {
  const topology::Topology topology = trees::scrambled(
      topology::xgft({.children = {4, 5, 3}, .parents = {1, 4, 5}, .cables = {}}), 9);
  const Subnet subnet(fabrics::from_topology(topology));
  const RoutingOptions options;
  const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  const routing::TreePlan plan(input, std::move(*routing::tree_levels(input, {})));
  EXPECT_EQ(plan.columns.width_max, (std::vector<std::uint32_t>{1, 4, 5}));
  for (const SwitchIndex sw : subnet.graph.all_switches())
    EXPECT_EQ(plan.columns.divider[sw], (std::array{1u, 4u, 20u})[plan.levels.level[sw]]);
  // Middle switches below one top switch have one column; those of one subtree have four.
  for (const SwitchIndex sw : subnet.graph.all_switches()) {
    std::set<std::uint32_t> above, below;
    for (const SwitchIndex other : subnet.graph.neighbours(sw))
      (plan.levels.level[other] > plan.levels.level[sw] ? above : below)
          .insert(plan.columns.column[other]);
    EXPECT_EQ(above.size(), (std::array{4u, 5u, 0u})[plan.levels.level[sw]]);
    EXPECT_EQ(below.size(), plan.levels.level[sw] == 0 ? 0u : 1u);
  }
}

TEST(Dmodc, RefusesAFabricThatIsNotATree) {
  const auto torus = run(Subnet(fabrics::from_topology(topology::torus({.dimensions = {4, 4}}))));
  ASSERT_FALSE(torus);
  EXPECT_THAT(torus.error().why,
              testing::StartsWith(
                  "the fabric is not a tree: 32 of 32 links between switches connect two at "
                  "the same distance from the hosts, such as \"S"));
  Maker without_hosts;
  without_hosts.cable(without_hosts.sw(), without_hosts.sw());
  const auto empty = run(Subnet(without_hosts.build()));
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().why, "no hosts are attached to switches");
}

TEST(Dmodc, HostsWithoutALegalPathTurn) {
  // Two subtrees connected by a leaf only.
  Maker maker;
  std::vector<NodeIndex> sw;
  for (int i = 0; i < 5; ++i) sw.push_back(maker.sw());
  using Pair = std::pair<std::size_t, std::size_t>;
  for (const auto& [a, b] : {Pair(0, 3), Pair(1, 3), Pair(1, 4), Pair(2, 4)})
    maker.cable(sw[a], sw[b]);
  maker.cable(sw[0], sw[3]);
  for (int i = 0; i < 3; ++i)
    for (int host = 0; host < 3; ++host) maker.host(sw[static_cast<std::size_t>(i)]);
  const Subnet subnet(maker.build());
  RoutingOptions options;
  options.roots = {mad::Guid{0x0002c90200000300u}, mad::Guid{0x0002c90200000400u}};
  EXPECT_TRUE(good(subnet, options).turns);
  EXPECT_FALSE(good(subnet).turns) << "without roots: it is a tree in the strict sense";
}

}  // namespace dmodc_test
