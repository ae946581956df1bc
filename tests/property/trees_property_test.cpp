// Engines for trees on small random trees, complete and degraded, against paths of a simple search.

#include <set>

#include <gtest/gtest.h>

#include "routing/engines/trees/tree_engines.h"
#include "routing/graph/roots.h"
#include "routing/trees/tree_routes.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"
#include "support/trees.h"

namespace trees_property_test {

using fabric::NodeIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;
using routing::RoutingOptions;
using topology::Random;

constexpr unsigned kFar = 1000;

// A tree with random changes: links and hosts removed, servers above the leaves, additional links.
struct Case {
  Random random;
  topology::XgftParams params;
  bool whole;
  Subnet subnet;
  RoutingOptions options;

  explicit Case(std::uint64_t seed)
      : random(seed * 977),
        params(some_params(random)),
        whole(random.percent(25)),
        subnet(make(seed)) {
    if (random.percent(30)) options.roots = tops();
    options.connect_roots = random.percent(15);
    options.max_reverse_hops = random.percent(60) ? 1 + random.below(2) : 0;
    for (const auto& end : subnet.graph.end_ports) {
      const bool above =
          !subnet.fabric.nodes[subnet.fabric.switches[end.sw].node].description.text().starts_with(
              "S1-");
      if (end.out != mad::PortNum{0} && random.percent(above ? 80 : 3))
        options.io_nodes.push_back(subnet.fabric.ports[end.port].guid);
    }
  }
  routing::RoutingInput input() const {
    return {subnet.fabric, subnet.graph, subnet.lids, options};
  }

 private:
  static topology::XgftParams some_params(Random& random) {
    topology::XgftParams out;
    for (std::size_t level = 0; level < 2 + random.below(2); ++level) {
      out.children.push_back(1 + random.below(level == 0 ? 4 : 3));
      out.parents.push_back(level == 0 ? 1 : 1 + random.below(3));
      out.cables.push_back(level == 0 ? 1 : 1 + (random.percent(30) ? random.below(3) : 0));
    }
    return out;
  }

  Subnet make(std::uint64_t seed) {
    const topology::Topology topology = trees::scrambled(topology::xgft(params), seed);
    fabrics::Maker maker;
    std::vector<NodeIndex> switches;
    for (const topology::Node& node : topology.nodes) {
      const bool is_switch = node.type == topology::NodeType::switch_;
      const NodeIndex made = maker.add(is_switch ? mad::NodeType::switch_ : mad::NodeType::ca,
                                       node.port_count + (is_switch ? 3 : 0), node.name, node.guid);
      if (is_switch) switches.push_back(made);
    }
    const unsigned lost_percent = whole || random.percent(40) ? 0 : random.below(25);
    for (const topology::Link& link : topology.links)
      if (!random.percent(lost_percent))
        maker.cable(NodeIndex(link.a.node), link.a.port.value, NodeIndex(link.b.node),
                    link.b.port.value);
    const auto some = [&] {
      return switches[random.below(static_cast<std::uint32_t>(switches.size()))];
    };
    for (unsigned servers = !whole && random.percent(40) ? 1 + random.below(2) : 0; servers > 0;
         --servers)
      maker.host(some());
    if (!whole && random.percent(20))
      if (const NodeIndex a = some(), b = some(); a != b) maker.cable(a, b);
    const unsigned lmc = random.percent(70) ? 0 : 1 + random.below(2), gap = random.below(3);
    fabric::Fabric fabric = maker.build();
    fabric::LidMap lids = fabrics::assign_lids(fabric, lmc, gap);
    return {std::move(fabric), std::move(lids)};
  }

  std::vector<mad::Guid> tops() const {
    std::vector<mad::Guid> out;
    const std::string prefix = "S" + std::to_string(params.children.size()) + "-";
    for (const fabric::Switch& sw : subnet.fabric.switches)
      if (subnet.fabric.nodes[sw.node].description.text().starts_with(prefix))
        out.push_back(subnet.fabric.nodes[sw.node].guid);
    return out;
  }
};

// Length of the path from each switch that goes down if it can, and else up to where it is
// shortest; by trying all hops.
std::vector<unsigned> lengths_to(const fabric::SwitchGraph& graph,
                                 const routing::UpDownOrder& order, SwitchIndex to) {
  std::vector<unsigned> down(graph.switches(), kFar);
  down[to] = 0;
  const auto relax = [&](auto&& allowed, std::vector<unsigned>& length) {
    for (std::size_t round = 0; round <= graph.switches(); ++round)
      for (const SwitchIndex sw : graph.all_switches())
        for (const SwitchIndex other : graph.neighbours(sw))
          if (allowed(sw, other)) length[sw] = std::min(length[sw], length[other] + 1);
  };
  relax([&](SwitchIndex sw, SwitchIndex other) { return order[other] > order[sw]; }, down);
  std::vector<unsigned> legal = down;
  relax([&](SwitchIndex sw,
            SwitchIndex other) { return order[other] < order[sw] && down[sw] >= kFar; },
        legal);
  return legal;
}

// Every path between hosts goes up, then down, and is a shortest one of these.
void check_ways(const Case& test, const routing::TreeLevels& tree,
                const routing::RoutingResult& result) {
  const fabric::SwitchGraph& graph = test.subnet.graph;
  const routing::ChannelTable channels(graph);
  std::set<SwitchIndex> sources;
  for (const auto& end : graph.end_ports)
    if (end.out != mad::PortNum{0}) sources.insert(end.sw);
  for (const auto& end : graph.end_ports) {
    if (end.out == mad::PortNum{0}) continue;
    const std::vector<unsigned> length = lengths_to(graph, tree.order, end.sw);
    for (unsigned lid = 1; lid <= test.subnet.lids.lid_top.value; ++lid) {
      if (test.subnet.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)}) != end.port) continue;
      for (const SwitchIndex from : sources) {
        if (length[from] >= kFar)
          continue;  // in another component, or (with max_reverse_hops) against the rule
        unsigned hops = 0;
        bool descends = false;
        for (SwitchIndex sw = from; sw != end.sw; ++hops) {
          const fabric::ChannelIndex channel = channels.channel(
              sw, result.lfts.at(sw, mad::Lid{static_cast<std::uint16_t>(lid)}).value);
          ASSERT_NE(channel, fabric::kNoIndex);
          const SwitchIndex next = graph.neighbour[channel];
          const bool down = tree.order[next] > tree.order[sw];
          ASSERT_TRUE(down || !descends);
          descends = down;
          sw = next;
          ASSERT_LE(hops, graph.switches());
        }
        ASSERT_EQ(hops, length[from]);
      }
    }
  }
}

routing::VerifyReport verified(const Case& test, const routing::RoutingResult& result) {
  return routing::verify(test.subnet.fabric, test.subnet.graph, test.subnet.lids, result.lfts,
                         {.switch_lids_may_be_withheld = !test.options.connect_roots});
}

TEST(TreesProperty, DmodcUsesTheShortestLegalPaths) {
  std::size_t routed = 0, refused = 0;
  seeds::for_each(3000, [&](std::uint64_t seed) {
    const Case test(seed);
    const auto result = routing::dmodc(test.input());
    const auto tree =
        routing::tree_levels(test.input(), {.roots = routing::named_roots(test.input()).roots});
    ASSERT_EQ(result.has_value(), tree.has_value());
    if (!result) {
      ASSERT_FALSE(test.whole) << result.error().why;
      ++refused;
      return;
    }
    ++routed;
    check_ways(test, *tree, *result);
    const auto report = verified(test, *result);
    ASSERT_TRUE(report.ok())
        << routing::describe(report, test.subnet.fabric, test.subnet.lids).front();
    ASSERT_TRUE(result->turns ||
                routing::find_credit_loops(test.subnet.graph, test.subnet.lids, result->lfts,
                                           {{}, {}}, routing::Traffic::between_hosts)
                    .ok());
  });
  if (!seeds::are_default()) return;
  EXPECT_GT(routed, 2000u);
}

TEST(TreesProperty, FtreeReachesAllHostsOrRefuses) {
  std::size_t routed = 0, turning = 0;
  seeds::for_each(3000,
                  [&](std::uint64_t seed) {
                    const Case test(seed);
                    const auto result = routing::ftree(test.input());
                    if (!result) {
                      ASSERT_FALSE(result.error().why.empty());
                      return;
                    }
                    ++routed;
                    turning += result->turns ? 1u : 0u;
                    const auto report = verified(test, *result);
                    ASSERT_TRUE(report.ok())
                        << routing::describe(report, test.subnet.fabric, test.subnet.lids).front();
                    if (!result->turns) {
                      ASSERT_TRUE(routing::find_credit_loops(test.subnet.graph, test.subnet.lids,
                                                             result->lfts, {{}, {}},
                                                             routing::Traffic::between_hosts)
                                      .ok());
                    }
                    std::set<mad::Guid> seen;
                    for (const mad::Guid guid : result->ca_order)
                      ASSERT_TRUE(guid == mad::Guid{} || seen.insert(guid).second);
                  });
  if (!seeds::are_default()) return;
  EXPECT_GT(routed, 500u);
  EXPECT_GT(turning, 0u);
}

// The levels of a complete tree are those that it was built with, for any GUIDs and ports.
TEST(TreesProperty, LevelsAreFound) {
  seeds::for_each(1000, [](std::uint64_t seed) {
    const Case test(seed);
    bool all_meet = test.whole && test.params.children[0] > 0;
    for (std::size_t level = 1; level < test.params.children.size(); ++level)
      all_meet &= test.params.children[level] > 1;
    if (!all_meet) return;
    const auto tree = routing::tree_levels(test.input(), {});
    ASSERT_TRUE(tree);
    ASSERT_EQ(tree->height, test.params.children.size());
    for (const SwitchIndex sw : test.subnet.graph.all_switches()) {
      const std::string name =
          test.subnet.fabric.nodes[test.subnet.fabric.switches[sw].node].description.text();
      ASSERT_EQ(name[1] - '1', static_cast<int>(tree->level[sw]));
      ASSERT_EQ(tree->idle[sw], 0);
    }
    // Each parent of a switch has a column of its own.
    const routing::TreePlan plan(test.input(), *tree);
    for (const SwitchIndex sw : test.subnet.graph.all_switches()) {
      std::set<std::uint32_t> columns;
      std::size_t parents = 0;
      for (const routing::LinkGroup& group : plan.groups.of(sw)) {
        if (tree->level[group.to] < tree->level[sw]) continue;
        ++parents;
        columns.insert(plan.columns.column[group.to]);
        ASSERT_LT(plan.columns.column[group.to], plan.columns.width[sw]);
      }
      ASSERT_EQ(columns.size(), parents);
      ASSERT_EQ(plan.columns.width[sw], parents);
    }
  });
}

}  // namespace trees_property_test
