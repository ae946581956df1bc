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

  explicit Routed(const topology::Topology& topology) : subnet(fabrics::from_topology(topology)) {
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

TEST(ConflictRemoval, TheEffortBoundsTheMemory) {
  EXPECT_EQ(routing::effort_for(500, 1'000).stride, 1u);
  EXPECT_EQ(routing::effort_for(4'000, 10'000).stride, 4u);
  const routing::RemovalEffort large = routing::effort_for(40'000, 250'000);
  EXPECT_LE(40'000u / large.stride * 250'000u, 136u << 20);
}

}  // namespace conflict_removal_test
