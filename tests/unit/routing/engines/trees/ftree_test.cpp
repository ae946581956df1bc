#include "routing/engines/trees/tree_engines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "routing/quality/quality.h"
#include "routing/registry.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/conditions.h"
#include "support/trees.h"
#include "unit/routing/opensm_tables.h"

namespace ftree_test {

using fabric::NodeIndex;
using fabrics::Maker;
using fabrics::Subnet;
using routing::RoutingOptions;
using routing::RoutingResult;
using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

tl::expected<RoutingResult, routing::Refusal> run(const Subnet& subnet,
                                                  const RoutingOptions& options = {}) {
  return routing::ftree({subnet.fabric, subnet.graph, subnet.lids, options});
}
std::string why(const Subnet& subnet, const RoutingOptions& options = {}) {
  const auto result = run(subnet, options);
  return result ? "it routes" : result.error().why;
}
RoutingResult good(const Subnet& subnet, const RoutingOptions& options = {}) {
  auto result = run(subnet, options);
  if (!result) throw std::runtime_error(result.error().why);
  EXPECT_TRUE(routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts,
                              {.switch_lids_may_be_withheld = true})
                  .ok());
  EXPECT_TRUE(routing::find_credit_loops(subnet.graph, subnet.lids, result->lfts, {{}, {}},
                                         routing::Traffic::between_hosts)
                  .ok());
  return std::move(*result);
}
std::vector<mad::Guid> tops(const Subnet& subnet, std::string_view prefix) {
  std::vector<mad::Guid> out;
  for (const fabric::Switch& sw : subnet.fabric.switches)
    if (subnet.fabric.nodes[sw.node].description.text().starts_with(prefix))
      out.push_back(subnet.fabric.nodes[sw.node].guid);
  return out;
}

// Leaves L0 .. with hosts under spines; all names as given.
struct Clos {
  Maker maker;
  std::vector<NodeIndex> leaves, spines;
  Clos(int leaf_count, int spine_count, int hosts) {
    for (int i = 0; i < leaf_count; ++i) leaves.push_back(maker.sw(36, "L" + std::to_string(i)));
    for (int i = 0; i < spine_count; ++i) spines.push_back(maker.sw(36, "T" + std::to_string(i)));
    for (const NodeIndex leaf : leaves) {
      for (int host = 0; host < hosts; ++host) maker.host(leaf);
      for (const NodeIndex spine : spines) maker.cable(leaf, spine);
    }
  }
};

TEST(Ftree, NoLinkCarriesTwoFlowsOfAShiftOnAFullTree) {
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

TEST(Ftree, LeavesWithFewerHostsAreFilledUpInTheOrder) {
  Subnet subnet(fabrics::from_topology(
      topology::xgft({.children = {6, 6, 3}, .parents = {1, 6, 6}, .cables = {}})));
  const std::size_t hosts = good(subnet).ca_order.size();
  for (std::size_t i = 0; i < subnet.graph.end_ports.size(); ++i)
    if (subnet.graph.end_ports[i].is_host() && i % 10 == 0)
      subnet.fabric.ports[subnet.fabric.ports[subnet.graph.end_ports[i].port].peer]
          .info.set_port_state(mad::PortState::down);
  subnet.graph = fabric::make_switch_graph(subnet.fabric);
  const RoutingResult result = good(subnet);
  EXPECT_EQ(result.ca_order.size(), hosts);
  EXPECT_GT(std::ranges::count(result.ca_order, mad::Guid{}), 5);
  EXPECT_LE(trees::shift_along(subnet, result.ca_order, result.lfts).worst, 2u);
}

TEST(Ftree, DegradedTreesNeedNoNamedRoots) {
  for (const double fraction : {0.01, 0.05, 0.2}) {
    const Subnet subnet(fabrics::from_topology(
        topology::degrade(topology::fat_tree({.hosts = 432, .radix = 12}), fraction, 3)));
    RoutingOptions named;
    named.roots = tops(subnet, "S3-");
    for (const RoutingOptions& options : {RoutingOptions(), named}) {
      const RoutingResult result = good(subnet, options);
      EXPECT_LE(trees::shift_along(subnet, result.ca_order, result.lfts, 5).mean,
                fraction < 0.02  ? 2.8
                : fraction < 0.1 ? 4.0
                                 : 6.8);
    }
  }
}

TEST(Ftree, RoutesUnevenLevels) {
  Clos fewer(4, 3, 3);
  fewer.maker.cable(fewer.leaves[2], fewer.spines[0]);
  good(Subnet(fewer.maker.build()));
  Clos moved(4, 3, 3);
  for (std::size_t leaf = 0; leaf < 4; ++leaf)
    moved.maker.cable(moved.leaves[leaf], moved.spines[leaf == 1 ? 1 : 0]);
  good(Subnet(moved.maker.build()));
}

TEST(Ftree, RoutesOneSwitch) {
  good(Subnet(fabrics::from_topology(topology::row({.switches = 1}))));
}

TEST(Ftree, RefusesFurtherLidsAndTori) {
  const Clos tree(4, 3, 3);
  EXPECT_THAT(why(Subnet(tree.maker.build(), 2)),
              HasSubstr(" port 1 has 4 LIDs; ftree supports one LID per port (lmc 0)"));
  EXPECT_THAT(why(Subnet(fabrics::from_topology(topology::torus({.dimensions = {3, 3}})))),
              StartsWith("the fabric is not a tree: "));
}

TEST(Ftree, AServerOnASpineComesAfterTheHostsOfLeaves) {
  Clos tree(4, 3, 3);
  const fabric::PortIndex server = tree.maker.host(tree.spines[1]);
  const Subnet subnet(tree.maker.build());
  const mad::Guid guid = subnet.fabric.ports[server].guid;
  RoutingResult result = good(subnet);
  ASSERT_EQ(result.ca_order.size(), 13u);
  EXPECT_EQ(result.ca_order.back(), guid);
  RoutingOptions options;
  options.io_nodes = {guid};
  result = good(subnet, options);
  EXPECT_EQ(result.ca_order.size(), 12u);
  EXPECT_THAT(result.ca_order, testing::Not(Contains(guid)));
  options.io_nodes.clear();
  for (const mad::Guid node : result.ca_order) options.compute_nodes.push_back(node);
  options.compute_nodes.pop_back();
  result = good(subnet, options);
  EXPECT_EQ(std::ranges::count(result.ca_order, mad::Guid{}), 1) << "not a compute node: a gap";
  EXPECT_EQ(result.ca_order.size(), 12u);
}

TEST(Ftree, ServersOnDifferentTopSwitchesTurnInOneLeaf) {
  Clos tree(4, 3, 3);
  tree.maker.host(tree.spines[0]);
  tree.maker.host(tree.spines[2]);
  const Subnet subnet(tree.maker.build());
  RoutingOptions options;
  options.max_reverse_hops = 1;
  const RoutingResult result = good(subnet, options);
  EXPECT_TRUE(result.turns);
  EXPECT_THAT(texts(result.conditions), Contains(HasSubstr("; their packets turn in \"L")));
  EXPECT_THAT(texts(result.conditions), Contains(HasSubstr("max_reverse_hops has no effect")));
}

TEST(Ftree, TopSwitchesThatShareNoSwitchBelowAreConnectedOverALeaf) {
  // Top switches of different columns are connected at leaves only.
  const topology::Topology topology =
      topology::xgft({.children = {2, 2, 2}, .parents = {1, 2, 2}, .cables = {}});
  Maker maker;
  for (const topology::Node& node : topology.nodes)
    maker.add(node.type == topology::NodeType::switch_ ? mad::NodeType::switch_ : mad::NodeType::ca,
              node.port_count + 1, node.name, node.guid);
  for (const topology::Link& link : topology.links)
    maker.cable(NodeIndex(link.a.node), link.a.port.value, NodeIndex(link.b.node),
                link.b.port.value);
  maker.host(NodeIndex(topology.find("S3-0")));
  maker.host(NodeIndex(topology.find("S3-3")));
  RoutingOptions options;
  const Subnet subnet(maker.build());
  options.roots = tops(subnet, "S3-");
  EXPECT_TRUE(good(subnet, options).turns);
}

TEST(Ftree, ASwitchIsNotAComputeNode) {
  const Subnet subnet(Clos(4, 3, 3).maker.build());
  const auto plain = run(subnet, RoutingOptions());
  ASSERT_TRUE(plain);
  RoutingOptions options;
  options.compute_nodes = options.io_nodes = {
      subnet.fabric.nodes[subnet.fabric.switches[fabric::SwitchIndex{0}].node].guid};
  const auto result = run(subnet, options);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->lfts, plain->lfts) << "the entry is ignored: all hosts are compute nodes";
}

TEST(Ftree, ConnectsRootsWhenConfigured) {
  const Subnet subnet(Clos(4, 3, 3).maker.build());
  RoutingOptions options;
  options.connect_roots = true;
  const auto result = run(subnet, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts).ok());
}

// OpenSM's tables of the same trees, measured in OpenSM's order of the hosts.
TEST(Ftree, BalancesAsOpenSm) {
  for (const char* const fabric : {"fattree2-16h", "fattree3-64h"}) {
    const opensm_tables::Recorded recorded(fabric, "ftree");
    std::istringstream list(
        opensm_tables::read_data(std::string("opensm_tables/") + fabric + ".ftree.ca-order"));
    std::vector<mad::Guid> order;
    for (std::string word; list >> word;) {
      const mad::Lid lid{static_cast<std::uint16_t>(std::stoul(word, nullptr, 16))};
      order.push_back(recorded.subnet.fabric.ports[recorded.subnet.lids.owner(lid)].guid);
    }
    const RoutingResult result = good(recorded.subnet);
    EXPECT_EQ(result.ca_order.size(), order.size());
    EXPECT_EQ(trees::shift_along(recorded.subnet, order, recorded.lfts).worst, 1u);
    EXPECT_EQ(trees::shift_along(recorded.subnet, result.ca_order, result.lfts).worst, 1u);
    // Leaf by leaf, as OpenSM's; the order of the leaves may differ.
    EXPECT_EQ(trees::shift_along(recorded.subnet, order, result.lfts).worst, 1u) << fabric;
    const auto ours = routing::all_to_all(recorded.subnet.graph, recorded.subnet.lids, result.lfts);
    const auto theirs =
        routing::all_to_all(recorded.subnet.graph, recorded.subnet.lids, recorded.lfts);
    EXPECT_LE(ours.worst, theirs.worst);
    EXPECT_EQ(
        routing::path_lengths(recorded.subnet.graph, recorded.subnet.lids, result.lfts).pairs,
        routing::path_lengths(recorded.subnet.graph, recorded.subnet.lids, recorded.lfts).pairs);
  }
}

}  // namespace ftree_test
