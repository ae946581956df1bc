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

TEST(Ftree, GapsOfMissingHostsKeepTheOrderFreeOfContention) {
  Subnet subnet(fabrics::from_topology(
      topology::xgft({.children = {6, 6, 3}, .parents = {1, 6, 6}, .cables = {}})));
  const std::size_t hosts = good(subnet).ca_order.size();
  for (std::size_t i = 0; i < subnet.graph.end_ports.size(); ++i)
    if (subnet.graph.end_ports[i].out != mad::PortNum{0} && i % 4 == 0)
      subnet.fabric.ports[subnet.fabric.ports[subnet.graph.end_ports[i].port].peer]
          .info.set_port_state(mad::PortState::down);
  subnet.graph = fabric::make_switch_graph(subnet.fabric);
  const RoutingResult result = good(subnet);
  EXPECT_EQ(result.ca_order.size(), hosts);
  EXPECT_GT(std::ranges::count(result.ca_order, mad::Guid{}), 20);
  EXPECT_EQ(trees::shift_along(subnet, result.ca_order, result.lfts).worst, 1u);
}

TEST(Ftree, DegradedTreesNeedNamedRoots) {
  for (const double fraction : {0.01, 0.05, 0.2}) {
    const Subnet subnet(fabrics::from_topology(
        topology::degrade(topology::fat_tree({.hosts = 432, .radix = 12}), fraction, 3)));
    EXPECT_THAT(why(subnet), HasSubstr("root_guid_file allows uneven trees"));
    RoutingOptions options;
    options.roots = tops(subnet, "S3-");
    const RoutingResult result = good(subnet, options);
    EXPECT_LE(trees::shift_along(subnet, result.ca_order, result.lfts, 5).mean,
              fraction < 0.02  ? 2.8
              : fraction < 0.1 ? 4.0
                               : 6.8);
  }
}

TEST(Ftree, RefusesUnevenLevelsWithTheCounts) {
  Clos fewer(4, 3, 3);
  fewer.maker.cable(fewer.leaves[2], fewer.spines[0]);
  EXPECT_EQ(why(Subnet(fewer.maker.build())),
            "leaf \"L2\" (0x0002c90200000200) has 4 up-links, \"L0\" (0x0002c90200000000) has 3; "
            "root_guid_file allows uneven trees");
  Clos doubled(4, 2, 3);
  for (const NodeIndex leaf : doubled.leaves)
    for (const NodeIndex spine : doubled.spines) doubled.maker.cable(leaf, spine);
  EXPECT_EQ(why(Subnet(doubled.maker.build())), "it routes");
  Clos moved(4, 3, 3);
  for (std::size_t leaf = 0; leaf < 4; ++leaf)
    moved.maker.cable(moved.leaves[leaf], moved.spines[leaf == 1 ? 1 : 0]);
  EXPECT_THAT(
      why(Subnet(moved.maker.build())),
      StartsWith(
          "\"T0\" (0x0002c90200000400) has 7 down-links, \"T2\" (0x0002c90200000600) has 4"));
}

TEST(Ftree, RefusesFurtherLidsAndShallowTrees) {
  const Clos tree(4, 3, 3);
  EXPECT_THAT(why(Subnet(tree.maker.build(), 2)),
              HasSubstr(" port 1 has 4 LIDs; ftree supports one LID per port (lmc 0)"));
  EXPECT_EQ(why(Subnet(fabrics::from_topology(topology::row({.switches = 1})))),
            "the tree has 1 level of switches; ftree supports 2 to 8");
  EXPECT_THAT(why(Subnet(fabrics::from_topology(topology::torus({.dimensions = {3, 3}})))),
              StartsWith("the fabric is not a tree: "));
}

TEST(Ftree, ComputeNodesMustBeAttachedToOneLevel) {
  Clos tree(4, 3, 3);
  const fabric::PortIndex server = tree.maker.host(tree.spines[1]);
  const Subnet subnet(tree.maker.build());
  EXPECT_THAT(why(subnet),
              StartsWith("compute nodes are attached to switches of different levels, such as "
                         "\"L0\" (0x0002c90200000000) and \"T1\""));
  RoutingOptions options;
  options.io_nodes = {subnet.fabric.ports[server].guid};
  RoutingResult result = good(subnet, options);
  EXPECT_EQ(result.ca_order.size(), 12u);
  EXPECT_THAT(result.ca_order, testing::Not(Contains(subnet.fabric.ports[server].guid)));
  options.io_nodes.clear();
  for (const mad::Guid guid : result.ca_order) options.compute_nodes.push_back(guid);
  options.compute_nodes.pop_back();
  result = good(subnet, options);
  EXPECT_EQ(std::ranges::count(result.ca_order, mad::Guid{}), 1) << "not a compute node: a gap";
  EXPECT_EQ(result.ca_order.size(), 12u);
}

TEST(Ftree, ReverseHopsConnectServersOnDifferentTopSwitches) {
  Clos tree(4, 3, 3);
  RoutingOptions options;
  const fabric::PortIndex one = tree.maker.host(tree.spines[0]),
                          two = tree.maker.host(tree.spines[2]);
  const Subnet subnet(tree.maker.build());
  options.io_nodes = {subnet.fabric.ports[one].guid, subnet.fabric.ports[two].guid};
  EXPECT_EQ(why(subnet, options),
            "no Up*/Down* path from \"T0\" (0x0002c90200000400) to \"T2\" (0x0002c90200000600); "
            "both have hosts");
  options.max_reverse_hops = 1;
  const auto result = run(subnet, options);
  ASSERT_TRUE(result) << result.error().why;
  EXPECT_TRUE(result->may_deadlock);
  EXPECT_THAT(
      texts(result->conditions),
      Contains(HasSubstr("go up after going down (max_reverse_hops); a credit loop is possible")));
  EXPECT_TRUE(routing::verify(subnet.fabric, subnet.graph, subnet.lids, result->lfts,
                              {.switch_lids_may_be_withheld = true})
                  .ok());
  // The chain accepts tables that may have a credit loop if the operator configured them, with a
  // note.
  const auto chain = routing::route_with_chain(std::vector<std::string>{"ftree"}, true,
                                               {subnet.fabric, subnet.graph, subnet.lids, options});
  ASSERT_TRUE(chain) << chain.error().why;
  EXPECT_EQ(chain->routing.engine, "ftree");
}

TEST(Ftree, RefusesMoreReverseHopsThanConfigured) {
  // Top switches of different columns are connected at leaves only: down, down, then up.
  const topology::Topology topology =
      topology::xgft({.children = {2, 2, 2}, .parents = {1, 2, 2}, .cables = {}});
  fabric::Fabric fabric = fabrics::from_topology(topology);
  Maker maker;
  for (const topology::Node& node : topology.nodes)
    maker.add(node.type == topology::NodeType::switch_ ? mad::NodeType::switch_ : mad::NodeType::ca,
              node.port_count + 1, node.name, node.guid);
  for (const topology::Link& link : topology.links)
    maker.cable(NodeIndex(link.a.node), link.a.port.value, NodeIndex(link.b.node),
                link.b.port.value);
  const fabric::PortIndex one = maker.host(NodeIndex(topology.find("S3-0"))),
                          two = maker.host(NodeIndex(topology.find("S3-3")));
  const Subnet subnet(maker.build());
  RoutingOptions options;
  options.io_nodes = {subnet.fabric.ports[one].guid, subnet.fabric.ports[two].guid};
  options.max_reverse_hops = 1;
  EXPECT_THAT(why(subnet, options),
              HasSubstr("goes down 2 times before it goes up; max_reverse_hops is 1"));
  options.max_reverse_hops = 2;
  EXPECT_EQ(why(subnet, options), "it routes");
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
