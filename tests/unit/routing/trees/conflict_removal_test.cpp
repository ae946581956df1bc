// Entries move until fewer flows of a shift share a link; paths keep their length and direction.

#include "routing/trees/conflict_removal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/engines/trees/tree_engines.h"
#include "routing/graph/in_tree.h"
#include "routing/quality/quality.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/trees.h"

namespace conflict_removal_test {

using fabrics::Subnet;

struct Routed {
  Subnet subnet;
  routing::RoutingOptions options = {};
  routing::RoutingResult result = {};
  std::vector<routing::OrderedHost> hosts = {};

  explicit Routed(const topology::Topology& topology) : Routed(fabrics::from_topology(topology)) {}
  explicit Routed(const fabric::Fabric& fabric) : subnet(fabric) {
    auto routed = routing::dmodc(input());
    if (!routed) throw std::runtime_error(routed.error().why);
    result = std::move(*routed);
    hosts = routing::hosts_along_tree(input());
  }
  routing::RoutingInput input() const {
    return {subnet.fabric, subnet.graph, subnet.lids, options};
  }
  std::size_t remove(routing::RemovalEffort effort) {
    return routing::remove_conflicts(input(), *result.candidates, hosts, effort, result.lfts);
  }
  double load() const { return routing::shift_load(subnet.graph, result.lfts, hosts).mean; }
};

topology::Topology dirty() {
  return topology::degrade(topology::fat_tree({.hosts = 432, .radix = 12}), 0.05, 7);
}

TEST(ConflictRemoval, LowersTheLoadOfADegradedTree) {
  Routed tree(dirty());
  const double before = tree.load();
  EXPECT_GT(tree.remove({.stride = 1, .passes = 2}), 0u);
  EXPECT_LT(tree.load(), before - 0.5);
  Routed sampled(dirty());
  sampled.remove({.stride = 4, .passes = 1});
  EXPECT_LT(sampled.load(), before - 0.3);
}

TEST(ConflictRemoval, MovesNothingOnAFullTree) {
  for (const topology::XgftParams& params : trees::full_trees()) {
    Routed tree(topology::xgft(params));
    EXPECT_EQ(tree.remove({}), 0u);
  }
}

TEST(ConflictRemoval, PathsKeepTheirLength) {
  Routed tree(dirty());
  const fabric::ForwardingTables before = tree.result.lfts;
  tree.remove({});
  ASSERT_NE(tree.result.lfts, before);
  const fabric::SwitchGraph& graph = tree.subnet.graph;
  routing::InTree old_tree(graph, before), new_tree(graph, tree.result.lfts);
  for (const routing::OrderedHost& host : tree.hosts) {
    old_tree.trace(host.lid, host.sw, host.out);
    new_tree.trace(host.lid, host.sw, host.out);
    for (const fabric::SwitchIndex sw : graph.all_switches()) {
      if (sw == host.sw) continue;
      ASSERT_EQ(old_tree.arrives(sw), new_tree.arrives(sw));
      if (old_tree.arrives(sw)) {
        ASSERT_EQ(old_tree.hops(sw), new_tree.hops(sw));
      }
    }
  }
}

TEST(ConflictRemoval, LidsOfSwitchesStay) {
  Routed tree(dirty());
  const fabric::ForwardingTables before = tree.result.lfts;
  tree.remove({});
  for (const fabric::PortIndex port : tree.subnet.fabric.end_ports) {
    if (!tree.subnet.fabric.owning_node(port).is_switch()) continue;
    const mad::Lid lid = tree.subnet.find_lid(port);
    for (const fabric::SwitchIndex sw : tree.subnet.graph.all_switches())
      ASSERT_EQ(tree.result.lfts.at(sw, lid), before.at(sw, lid));
  }
}

/// A spine has no entries for high LIDs: paths over it do not arrive, and count nowhere.
TEST(ConflictRemoval, LeavesOutPathsThatATableTooSmallBreaks) {
  fabric::Fabric fabric = fabrics::from_topology(dirty());
  std::vector<std::uint8_t> has_hosts(fabric.switches.size(), 0);
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  for (const auto& end : graph.end_ports)
    if (end.is_host()) has_hosts[end.sw] = 1;
  const auto spine = fabric::SwitchIndex(std::ranges::find(has_hosts, 0) - has_hosts.begin());
  fabric.switches[spine].info.set_linear_fdb_cap(100);
  Routed tree(fabric);
  const fabric::ForwardingTables before = tree.result.lfts;
  EXPECT_GT(tree.remove({.stride = 1, .passes = 2}), 0u);
  for (const routing::OrderedHost& host : tree.hosts) {
    if (host.lid.value < 100) continue;
    routing::InTree now(tree.subnet.graph, tree.result.lfts), then(tree.subnet.graph, before);
    now.trace(host.lid, host.sw, host.out);
    then.trace(host.lid, host.sw, host.out);
    for (const fabric::SwitchIndex sw : tree.subnet.graph.all_switches())
      ASSERT_TRUE(now.arrives(sw) || !then.arrives(sw));
  }
}

/// One cable between two trees carries more flows than a byte counts.
TEST(ConflictRemoval, CountsHundredsOfFlows) {
  fabrics::Maker maker;
  std::vector<fabric::NodeIndex> spines;
  for (int tree = 0; tree < 2; ++tree) {
    const fabric::NodeIndex a = maker.sw(), b = maker.sw();
    for (int leaf = 0; leaf < 10; ++leaf) {
      const fabric::NodeIndex sw = maker.sw();
      maker.cable(sw, a, 3);
      maker.cable(sw, b, 3);
      for (int host = 0; host < 28; ++host) maker.host(sw);
    }
    spines.push_back(a);
  }
  maker.cable(spines[0], spines[1], 2);
  Routed trees(maker.build());
  const double before = trees.load();
  EXPECT_GT(before, 70);
  trees.remove({.stride = 1, .passes = 2});
  EXPECT_LE(trees.load(), before);
}

TEST(ConflictRemoval, TheEffortBoundsTheMemory) {
  EXPECT_EQ(routing::effort_for(500, 1'000).stride, 1u);
  EXPECT_EQ(routing::effort_for(4'000, 10'000).stride, 4u);
  const routing::RemovalEffort large = routing::effort_for(40'000, 250'000);
  EXPECT_LE(40'000u / large.stride * 250'000u * 2, 136u << 20);
}

}  // namespace conflict_removal_test
