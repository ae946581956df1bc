#include "routing/multicast/multicast.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "routing/engines/distance/distance_engines.h"
#include "routing/graph/tree_order.h"
#include "routing/multicast/multicast_dependencies.h"
#include "routing/multicast/multicast_update.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"

namespace multicast_test {

using fabric::NodeIndex;
using fabric::PortIndex;
using fabrics::Maker;
using routing::MulticastFinding;
using routing::MulticastGroup;
using routing::MulticastRouter;

constexpr mad::Mlid mlid(unsigned index) {
  return {static_cast<std::uint16_t>(mad::kMlidMin.value + index)};
}

std::vector<PortIndex> list_hosts(const fabric::Fabric& fabric) {
  std::vector<PortIndex> hosts;
  for (const PortIndex port : fabric.end_ports) {
    if (!fabric.owning_node(port).is_switch()) hosts.push_back(port);
  }
  return hosts;
}

/// The number of MLIDs on each link between switches, by channel; only the lower channel of a link.
std::map<fabric::ChannelIndex, unsigned> link_use(const fabric::SwitchGraph& graph,
                                                  const fabric::MulticastTables& tables,
                                                  unsigned mlids) {
  std::map<fabric::ChannelIndex, unsigned> use;
  for (const fabric::SwitchIndex sw : graph.all_switches()) {
    for (const fabric::ChannelIndex channel : graph.channels(sw)) {
      if (channel > graph.reverse[channel]) continue;
      use[channel] = 0;
      for (unsigned i = 0; i < mlids; ++i)
        use[channel] += tables.test(sw, mlid(i), graph.port[channel]);
    }
  }
  return use;
}

std::set<fabric::SwitchIndex> switches(std::initializer_list<unsigned> numbers) {
  std::set<fabric::SwitchIndex> out;
  for (const unsigned number : numbers) out.insert(fabric::SwitchIndex{number});
  return out;
}

std::vector<PortIndex> ports(std::initializer_list<unsigned> numbers) {
  std::vector<PortIndex> out;
  for (const unsigned number : numbers) out.push_back(PortIndex{number});
  return out;
}

/// Switches with any port of the MLID.
std::set<fabric::SwitchIndex> find_switches(const fabric::MulticastTables& tables, mad::Mlid of) {
  std::set<fabric::SwitchIndex> used;
  for (const fabric::SwitchIndex sw : tables.all_switches()) {
    for (std::size_t position = 0; position < tables.positions(); ++position) {
      if (tables.mask(sw, of, position) != 0) used.insert(sw);
    }
  }
  return used;
}

/// Two leaves with two hosts each, two spines; links of leaf 0: ports 3, 4; leaf 1: ports 3, 4.
struct TwoLevels {
  TwoLevels() {
    for (NodeIndex& leaf : leaves) leaf = maker.sw(8);
    for (NodeIndex& spine : spines) spine = maker.sw(8);
    for (std::size_t i = 0; i < 4; ++i) {
      const NodeIndex host = maker.ca();
      maker.cable(leaves[i / 2], host);
      hosts[i] = PortIndex{0};
      host_nodes[i] = host;
    }
    for (const NodeIndex leaf : leaves) {
      for (const NodeIndex spine : spines) maker.cable(leaf, spine);
    }
  }
  void build() {
    fabric = maker.build();
    graph = fabric::make_switch_graph(fabric);
    for (std::size_t i = 0; i < 4; ++i) hosts[i] = fabric.port(host_nodes[i], {1});
  }
  Maker maker;
  NodeIndex leaves[2], spines[2], host_nodes[4];
  PortIndex hosts[4];
  fabric::Fabric fabric;
  fabric::SwitchGraph graph;
};

TEST(MulticastRouter, MembersOfOneLeafNeedNoLink) {
  TwoLevels net;
  net.build();
  MulticastRouter router(net.fabric, net.graph, {});
  std::vector<MulticastFinding> findings;
  router.route({.mlid = mlid(0), .receivers = {net.hosts[0], net.hosts[1]}, .senders = {}},
               findings);
  EXPECT_EQ(find_switches(router.tables(), mlid(0)), switches({0}));
  EXPECT_EQ(router.tables().mask(fabric::SwitchIndex{0}, mlid(0), 0), 0b110);
  EXPECT_TRUE(findings.empty());
}

TEST(MulticastRouter, SendersAreConnectedAndReceiveNothing) {
  TwoLevels net;
  net.build();
  MulticastRouter router(net.fabric, net.graph, {});
  std::vector<MulticastFinding> findings;
  router.route({.mlid = mlid(3), .receivers = {net.hosts[0]}, .senders = {net.hosts[2]}}, findings);
  EXPECT_EQ(find_switches(router.tables(), mlid(3)).size(), 3u);
  EXPECT_TRUE(router.tables().test(fabric::SwitchIndex{0}, mlid(3), {1}));
  EXPECT_FALSE(router.tables().test(fabric::SwitchIndex{1}, mlid(3), {1}));
  router.route({.mlid = mlid(3), .receivers = {}, .senders = {}}, findings);
  EXPECT_EQ(router.tables().top().value, 0xBFFF);
}

TEST(MulticastRouter, SwitchPortZeroCanBeAMember) {
  TwoLevels net;
  net.build();
  MulticastRouter router(net.fabric, net.graph, {});
  std::vector<MulticastFinding> findings;
  router.route({.mlid = mlid(0),
                .receivers = {net.hosts[0], net.fabric.nodes[net.spines[1]].first_port},
                .senders = {}},
               findings);
  EXPECT_TRUE(router.tables().test(fabric::SwitchIndex{3}, mlid(0), {0}));
  EXPECT_EQ(find_switches(router.tables(), mlid(0)), switches({0, 3}));
}

TEST(MulticastRouter, RepeatedGroupChangesNothingAndJoinsOnlyAddPorts) {
  const fabric::Fabric fabric = fabrics::from_topology(
      topology::xgft({.children = {3, 3, 3}, .parents = {1, 3, 3}, .cables = {}}));
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  MulticastRouter router(fabric, graph, {});
  std::vector<MulticastFinding> findings;
  MulticastGroup group{.mlid = mlid(7), .receivers = {}, .senders = {}};
  std::vector<PortIndex> hosts = list_hosts(fabric);
  topology::Random(5).shuffle(hosts);
  for (const PortIndex host : hosts) {
    const fabric::MulticastTables before = router.tables();
    group.receivers.push_back(host);
    router.route(group, findings);
    const fabric::MulticastTables after = router.tables();
    router.route(group, findings);
    EXPECT_EQ(router.tables(), after);
    std::size_t switches_changed = 0;
    for (const fabric::SwitchIndex sw : graph.all_switches()) {
      const std::uint16_t was = before.mask(sw, group.mlid, 0), is = after.mask(sw, group.mlid, 0);
      EXPECT_EQ(was & ~is, 0) << "a join removes no port";
      switches_changed += was != is;
    }
    EXPECT_LE(switches_changed, 5u) << "up to the new root and down to the leaf";
  }
  EXPECT_TRUE(findings.empty());
}

TEST(MulticastRouter, LinkDownChangesOnlyItsBranch) {
  TwoLevels net;
  net.build();
  MulticastRouter router(net.fabric, net.graph, {});
  std::vector<MulticastFinding> findings;
  const MulticastGroup group{
      .mlid = mlid(0), .receivers = {net.hosts[0], net.hosts[2]}, .senders = {}};
  router.route(group, findings);
  const bool first_spine = find_switches(router.tables(), mlid(0)).contains(fabric::SwitchIndex{2});
  net.maker.set_state(net.leaves[0], first_spine ? 3 : 4, mad::PortState::down);
  net.build();
  MulticastRouter next(net.fabric, net.graph, router.tables());
  next.route_all({&group, 1}, findings);
  EXPECT_EQ(find_switches(next.tables(), mlid(0)), switches({0, 1, first_spine ? 3u : 2u}));
  EXPECT_TRUE(findings.empty());
}

TEST(MulticastRouter, KeepsLegalTreeOfAnotherSm) {
  TwoLevels net;
  net.build();
  for (const unsigned spine : {0u, 1u}) {
    fabric::MulticastTables theirs(4, 1);
    theirs.grow(1);
    const auto up = static_cast<std::uint8_t>(3 + spine);
    for (const fabric::SwitchIndex leaf : switches({0, 1})) {
      theirs.set(leaf, mlid(0), {up});
      theirs.set(leaf, mlid(0), {1});
      theirs.set(fabric::SwitchIndex(2 + spine), mlid(0), {static_cast<std::uint8_t>(1 + leaf)});
    }
    const MulticastGroup group{
        .mlid = mlid(0), .receivers = {net.hosts[0], net.hosts[2]}, .senders = {}};
    MulticastRouter router(net.fabric, net.graph, theirs);
    std::vector<MulticastFinding> findings;
    router.route_all({&group, 1}, findings);
    EXPECT_EQ(router.tables(), theirs);
    // A cycle is not kept.
    for (const fabric::SwitchIndex leaf : switches({0, 1})) {
      for (const std::uint8_t port : {std::uint8_t{3}, std::uint8_t{4}})
        theirs.set(leaf, mlid(0), {port});
      for (const fabric::SwitchIndex other : switches({2, 3}))
        theirs.set(other, mlid(0), {static_cast<std::uint8_t>(1 + leaf)});
    }
    MulticastRouter after_cycle(net.fabric, net.graph, theirs);
    after_cycle.route_all({&group, 1}, findings);
    EXPECT_EQ(find_switches(after_cycle.tables(), mlid(0)).size(), 3u);
    EXPECT_TRUE(findings.empty());
  }
}

TEST(MulticastRouter, ClearsDeletedGroups) {
  TwoLevels net;
  net.build();
  MulticastRouter router(net.fabric, net.graph, {});
  std::vector<MulticastFinding> findings;
  for (const unsigned i : {0u, 40u})
    router.route({.mlid = mlid(i), .receivers = {net.hosts[0], net.hosts[2]}, .senders = {}},
                 findings);
  const MulticastGroup stays{
      .mlid = mlid(0), .receivers = {net.hosts[0], net.hosts[2]}, .senders = {}};
  router.route_all({&stays, 1}, findings);
  EXPECT_EQ(router.tables().top(), mlid(0));
}

TEST(MulticastRouter, AvoidsSwitchesWithoutMulticast) {
  TwoLevels net;
  net.maker.set_multicast_cap(net.spines[0], 0);
  net.maker.set_multicast_cap(net.spines[1], 40);
  net.build();
  MulticastRouter router(net.fabric, net.graph, {});
  std::vector<MulticastFinding> findings;
  const PortIndex port0 = net.fabric.nodes[net.spines[0]].first_port;
  router.route({.mlid = mlid(39), .receivers = {net.hosts[0], net.hosts[2], port0}, .senders = {}},
               findings);
  EXPECT_EQ(find_switches(router.tables(), mlid(39)), switches({0, 1, 3}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0], (MulticastFinding{MulticastFinding::Kind::no_multicast, mlid(39), port0}));
  EXPECT_NE(make_condition(findings[0], net.fabric).text.find("0xc027"), std::string::npos)
      << make_condition(findings[0], net.fabric).text;
  EXPECT_NE(make_condition(findings[0], net.fabric).text.find(net.fabric.port_name(port0)),
            std::string::npos);

  findings.clear();  // no spine holds this one
  router.route(
      {.mlid = mlid(40), .receivers = {net.hosts[0], net.hosts[1], net.hosts[2]}, .senders = {}},
      findings);
  EXPECT_EQ(find_switches(router.tables(), mlid(40)), switches({0, 1}));
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0],
            (MulticastFinding{MulticastFinding::Kind::not_connected, mlid(40), net.hosts[2]}));
}

TEST(MulticastRouter, FatTreeWithoutCommonAncestorHasATurn) {
  TwoLevels net;
  const NodeIndex third = net.maker.sw(8), host = net.maker.ca();
  net.maker.cable(third, host);
  net.maker.cable(third, net.spines[0]);
  net.maker.set_state(
      net.leaves[0], 3,
      mad::PortState::down);  // now leaf 0 has spine 1 only, and the third leaf spine 0 only
  net.build();
  MulticastRouter router(net.fabric, net.graph, {});
  std::vector<MulticastFinding> findings;
  router.route(
      {.mlid = mlid(0), .receivers = {net.hosts[0], net.fabric.port(host, {1})}, .senders = {}},
      findings);
  EXPECT_EQ(find_switches(router.tables(), mlid(0)).size(), 5u) << "leaf, spine, leaf, spine, leaf";
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, MulticastFinding::Kind::turns);
}

TEST(MulticastRouter, BalancesGroupsOverSpines) {
  // Three levels of 12-port switches: 432 hosts, 36 top switches.
  const fabric::Fabric fabric =
      fabrics::from_topology(topology::fat_tree({.hosts = 432, .radix = 12}));
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  MulticastRouter router(fabric, graph, {});
  std::vector<MulticastFinding> findings;
  constexpr unsigned kGroups = 64;
  for (unsigned i = 0; i < kGroups; ++i)
    router.route({.mlid = mlid(i), .receivers = list_hosts(fabric), .senders = {}}, findings);
  EXPECT_TRUE(findings.empty());
  std::vector<bool> is_leaf(graph.switches(), false);
  for (const auto& end : graph.end_ports) is_leaf[end.sw] = is_leaf[end.sw] || end.out.value != 0;
  // Every group uses one of a leaf's 6 links, and one of the 36 top switches: no choice is better
  // than 64 / 6 and 64 / 36, rounded up.
  for (const auto& [channel, times] : link_use(graph, router.tables(), kGroups)) {
    const bool at_leaf =
        is_leaf[graph.neighbour[channel]] || is_leaf[graph.neighbour[graph.reverse[channel]]];
    EXPECT_LE(times, at_leaf ? 11u : 2u);
    EXPECT_GE(times, at_leaf ? 10u : 1u);
  }
}

/// Trees of two hosts far apart: a block of 32 MLIDs has few switches, and links stay balanced.
TEST(MulticastRouter, GathersSmallTreesOfABlockAsLoadsGrow) {
  const fabric::Fabric fabric =
      fabrics::from_topology(topology::fat_tree({.hosts = 432, .radix = 12}));
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  MulticastRouter router(fabric, graph, {});
  std::vector<MulticastFinding> findings;
  const std::vector<fabric::PortIndex> all = list_hosts(fabric);
  constexpr unsigned kGroups = 1024;
  for (unsigned i = 0; i < kGroups; ++i)
    router.route({.mlid = mlid(i), .receivers = {all.front(), all.back()}, .senders = {}},
                 findings);
  EXPECT_TRUE(findings.empty());
  const auto switches_of = [&](unsigned block) {
    std::size_t count = 0;
    for (const fabric::SwitchIndex sw : graph.all_switches()) {
      bool used = false;
      for (unsigned i = 0; i < 32; ++i)
        for (std::size_t position = 0; position < router.tables().positions(); ++position)
          used = used || router.tables().mask(sw, mlid(block * 32 + i), position) != 0;
      count += used;
    }
    return count;
  };
  EXPECT_GT(switches_of(0), 20u) << "the first groups use all spines";
  EXPECT_LE(switches_of(kGroups / 32 - 1), 16u);
  const auto leaf =
      std::ranges::find(graph.end_ports, all.front(), [](auto& end) { return end.port; })->sw;
  std::vector<unsigned> uses;
  for (const fabric::ChannelIndex channel : graph.channels(leaf)) {
    uses.push_back(0);
    for (unsigned i = 0; i < kGroups; ++i)
      uses.back() += router.tables().test(leaf, mlid(i), graph.port[channel]);
  }
  const auto [least, most] = std::ranges::minmax(uses);
  EXPECT_GT(least, 0u);
  EXPECT_LE(most, least + least / 4) << least << " to " << most;
}

TEST(MulticastRouter, BalancesGroupsOverParallelLinks) {
  const fabric::Fabric fabric =
      fabrics::from_topology(topology::row({.switches = 2, .cables = 8, .hosts_per_switch = 2}));
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  MulticastRouter router(fabric, graph, {});
  std::vector<MulticastFinding> findings;
  for (unsigned i = 0; i < 64; ++i)
    router.route({.mlid = mlid(i), .receivers = list_hosts(fabric), .senders = {}}, findings);
  for (const auto& [channel, times] : link_use(graph, router.tables(), 64)) EXPECT_EQ(times, 8u);
}

/// The channel dependencies of all trees of a fabric have no cycle, on any fabric.
TEST(MulticastRouter, TreesOfAllGroupsAreFreeOfCreditLoops) {
  const std::vector<topology::Topology> topologies{
      topology::fat_tree({.hosts = 54, .radix = 6}),
      topology::torus({.dimensions = {4, 5}, .hosts_per_switch = 1}),
      topology::dragonfly(
          {.switches_per_group = 4, .global_cables = 2, .hosts_per_switch = 1, .groups = 6}),
      topology::hypercube({.dimensions = 5, .hosts_per_switch = 1}),
      topology::random_regular({.switches = 24, .degree = 4, .hosts_per_switch = 1})};
  for (const topology::Topology& topology : topologies) {
    const fabric::Fabric fabric = fabrics::from_topology(topology);
    const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
    MulticastRouter router(fabric, graph, {});
    std::vector<MulticastFinding> findings;
    std::vector<PortIndex> hosts = list_hosts(fabric);
    topology::Random dice(3);
    std::vector<routing::ChannelDependency> dependencies;
    for (unsigned i = 0; i < 60; ++i) {
      dice.shuffle(hosts);
      router.route({.mlid = mlid(i),
                    .receivers = {hosts.begin(), hosts.begin() + 2 + dice.below(8u)},
                    .senders = {}},
                   findings);
      routing::multicast_dependencies(graph, router.tables(), mlid(i), dependencies);
    }
    EXPECT_TRUE(findings.empty());
    EXPECT_FALSE(dependencies.empty());
    // Channels that no channel depends on are removed, until none is left or a cycle remains.
    std::vector<std::set<std::uint32_t>> successors(graph.port.size());
    std::vector<unsigned> in_degree(graph.port.size(), 0);
    for (const auto& dependency : dependencies)
      in_degree[dependency.to] += successors[dependency.from].insert(dependency.to).second;
    std::vector<std::uint32_t> free;
    for (fabric::ChannelIndex channel(0); channel < in_degree.size(); ++channel) {
      if (in_degree[channel] == 0) free.push_back(channel);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      for (const std::uint32_t next : successors[free[i]]) {
        if (--in_degree[next] == 0) free.push_back(next);
      }
    }
    EXPECT_EQ(free.size(), in_degree.size());
  }
}

/// A routing can give the only tree that multicast may use: here a path through a torus.
TEST(MulticastRouter, StaysOnTheTreeOfTheRouting) {
  const fabric::Fabric fabric =
      fabrics::from_topology(topology::torus({.dimensions = {4, 4}, .hosts_per_switch = 1}));
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  std::vector<fabric::ChannelIndex> up(graph.switches(), fabric::kNoIndex);
  std::vector<bool> met(graph.switches(), false);
  fabric::SwitchIndex at{0};
  for (bool more = true; more;) {  // from each switch to the last neighbour that is not on the path
                                   // yet: its parent is the previous switch
    met[at] = more = true;
    more = false;
    for (fabric::ChannelIndex channel = graph.offsets[at + 1];
         channel > graph.offsets[at] && !more;) {
      --channel;
      if (met[graph.neighbour[channel]]) continue;
      up[graph.neighbour[channel]] = graph.reverse[channel];
      at = graph.neighbour[channel];
      more = true;
    }
  }
  std::set<fabric::ChannelIndex> allowed;
  for (const fabric::ChannelIndex channel : up)
    if (channel != fabric::kNoIndex) allowed.insert({channel, graph.reverse[channel]});
  ASSERT_GT(allowed.size(), 12u);

  // Previous trees use other links.
  std::vector<PortIndex> hosts;
  for (const auto& end : graph.end_ports)
    if (end.out != mad::PortNum{0} && met[end.sw]) hosts.push_back(end.port);
  MulticastRouter free(fabric, graph, {});
  std::vector<MulticastFinding> findings;
  topology::Random dice(5);
  std::vector<MulticastGroup> groups;
  for (unsigned i = 0; i < 20; ++i) {
    dice.shuffle(hosts);
    groups.push_back({.mlid = mlid(i),
                      .receivers = {hosts.begin(), hosts.begin() + 2 + dice.below(5u)},
                      .senders = {}});
    free.route(groups.back(), findings);
  }
  for (const fabric::MulticastTables& before : {fabric::MulticastTables{}, free.tables()}) {
    MulticastRouter router(fabric, graph, before, {}, up);
    router.route_all(groups, findings);
    EXPECT_TRUE(findings.empty()) << routing::make_condition(findings.front(), fabric).text;
    for (const MulticastGroup& group : groups) {
      std::size_t halves = 0;
      std::set<fabric::SwitchIndex> switches;
      for (const fabric::SwitchIndex sw : graph.all_switches()) {
        for (const fabric::ChannelIndex channel : graph.channels(sw)) {
          if (!router.tables().test(sw, group.mlid, graph.port[channel])) continue;
          EXPECT_TRUE(allowed.contains(channel));
          EXPECT_TRUE(router.tables().test(graph.neighbour[channel], group.mlid,
                                           graph.port[graph.reverse[channel]]))
              << "both ends send";
          switches.insert({sw, graph.neighbour[channel]});
          ++halves;
        }
      }
      EXPECT_EQ(halves, 2 * (switches.size() - 1)) << "a tree";
      for (const auto& end : graph.end_ports) {
        const bool member = std::ranges::find(group.receivers, end.port) != group.receivers.end();
        EXPECT_EQ(router.tables().test(end.sw, group.mlid, end.out), member);
        EXPECT_TRUE(!member || switches.contains(end.sw));
      }
    }
  }
}

TEST(MulticastVls, DependenciesAreOnTheVlOfTheServiceLevel) {
  const fabric::Fabric fabric =
      fabrics::from_topology(topology::row({.switches = 3, .cables = 1, .hosts_per_switch = 1}));
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  MulticastRouter router(fabric, graph, {});
  std::vector<MulticastFinding> findings;
  MulticastGroup group{.mlid = mlid(3), .receivers = list_hosts(fabric), .senders = {}};
  router.route(group, findings);
  const auto vls_of = [&](const routing::SlToVl& sl_to_vl) {
    std::multiset<std::pair<unsigned, unsigned>> vls;
    for (const routing::Dependency& dependency :
         routing::multicast_dependencies(graph, router.tables(), {&group, 1}, sl_to_vl)) {
      EXPECT_EQ(graph.neighbour[dependency.from.channel],
                graph.neighbour[graph.reverse[dependency.to.channel]])
          << "they meet at a switch";
      vls.emplace(dependency.from.vl, dependency.to.vl);
    }
    return vls;
  };
  using Vls = std::multiset<std::pair<unsigned, unsigned>>;
  EXPECT_EQ(vls_of({}), (Vls{{0, 0}, {0, 0}})) << "through the middle, in both directions";
  group.sls = 1u << 2 | 1u << 3;
  EXPECT_EQ(vls_of({}), (Vls{{0, 0}, {0, 0}})) << "each dependency once";
  EXPECT_EQ(vls_of(routing::SlToVl::identity(8)), (Vls{{2, 2}, {2, 2}, {3, 3}, {3, 3}}));
  routing::SlToVlRow row{};
  row[3] = 15;
  row[2] = 1;
  EXPECT_EQ(vls_of(routing::SlToVl::uniform(row)), (Vls{{1, 1}, {1, 1}})) << "SL 3 is dropped";
  routing::SlToVl changing = routing::SlToVl::by_class(graph.switches(), 2);
  group.sls = 1u << 2;
  for (const fabric::SwitchIndex sw : graph.all_switches())
    for (const mad::PortNum port : graph.out_ports(sw)) changing.set_port_class(sw, port, 1);
  changing.row(0, 1)[2] = 4;  // from a host
  changing.row(1, 1)[2] = 5;
  EXPECT_EQ(vls_of(changing), (Vls{{4, 5}, {4, 5}, {5, 5}, {5, 5}}))
      << "it may have come on either";
}

TEST(MulticastVls, TreesOfUnicastLeadToTheirRoots) {
  const fabrics::Subnet subnet(
      fabrics::from_topology(topology::torus({.dimensions = {3, 4}, .hosts_per_switch = 1})));
  const routing::RoutingOptions options;
  const routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  const auto routed = routing::minhop(input);
  ASSERT_TRUE(routed);
  const mad::Guid root =
      subnet.fabric.nodes[subnet.fabric.switches[fabric::SwitchIndex{7}].node].guid;
  const auto trees = routing::trees_of_unicast(input, routed->lfts, {&root, 1}, 4);
  ASSERT_EQ(trees.size(), 4u);
  EXPECT_EQ(trees.front()[7], fabric::kNoIndex) << "the routing's root first";
  for (const auto& up : trees) {
    const auto top = fabric::SwitchIndex(
        std::ranges::find(up, fabric::ChannelIndex(fabric::kNoIndex)) - up.begin());
    for (fabric::SwitchIndex from{0}; from < up.size(); ++from) {
      fabric::SwitchIndex at = from;
      for (unsigned hops = 0; at != top && hops < up.size(); ++hops)
        at = subnet.graph.neighbour[up[at]];
      EXPECT_EQ(at, top);
    }
  }
}

TEST(MulticastRouter, DoesNotDependOnNodeNumbers) {
  for (const topology::Topology& topology :
       {topology::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {1, 2}}),
        topology::torus({.dimensions = {4, 4}, .hosts_per_switch = 1})}) {
    const fabrics::Subnet one(fabrics::from_topology(topology));
    const fabrics::Subnet other = fabrics::renumbered(one, 17);
    const auto tree = [](const fabrics::Subnet& subnet) {
      MulticastRouter router(subnet.fabric, subnet.graph, {});
      std::vector<MulticastFinding> findings;
      std::map<std::pair<mad::Guid, unsigned>, std::uint16_t> masks;
      for (unsigned i = 0; i < 5; ++i) {
        MulticastGroup group{.mlid = mlid(i), .receivers = {}, .senders = {}};
        for (const PortIndex host : list_hosts(subnet.fabric)) {
          if (subnet.fabric.ports[host].guid.value / 256 % 3 != i % 3)
            group.receivers.push_back(host);
        }
        router.route(group, findings);
        for (const fabric::Switch& sw : subnet.fabric.switches) {
          masks[{subnet.fabric.nodes[sw.node].guid, i}] =
              router.tables().mask(subnet.fabric.nodes[sw.node].switch_index, mlid(i), 0);
        }
      }
      return masks;
    };
    EXPECT_EQ(tree(one), tree(other));
  }
}

TEST(JoinedByMlid, GroupsThatShareAnMlidAreOne) {
  const auto groups = routing::joined_by_mlid({{mlid(2), ports({5}), {}},
                                               {mlid(1), ports({3}), ports({4})},
                                               {mlid(2), ports({6}), ports({7})}});
  EXPECT_EQ(groups, (std::vector<MulticastGroup>{{mlid(1), ports({3}), ports({4})},
                                                 {mlid(2), ports({5, 6}), ports({7})}}));
}

TEST(TreeOrder, FatTreeWithOneWrongLinkHasLevels) {
  Maker maker;
  std::vector<NodeIndex> leaves, spines;
  for (unsigned i = 0; i < 6; ++i) leaves.push_back(maker.sw());
  for (unsigned i = 0; i < 3; ++i) spines.push_back(maker.sw());
  for (const NodeIndex leaf : leaves) {
    for (unsigned i = 0; i < 4; ++i) maker.host(leaf);
    for (const NodeIndex spine : spines) maker.cable(leaf, spine);
  }
  maker.host(spines[0]);              // the SM's host
  maker.cable(leaves[0], leaves[1]);  // the wrong link
  const fabric::Fabric fabric = maker.build();
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  std::vector<mad::Guid> guids;
  for (const fabric::Switch& sw : fabric.switches) guids.push_back(fabric.nodes[sw.node].guid);
  const routing::TreeOrder order =
      routing::tree_order(graph, guids, std::vector<bool>(graph.switches(), false), {});
  EXPECT_TRUE(order.by_levels);
  for (unsigned leaf = 0; leaf < 6; ++leaf) {
    for (unsigned spine = 6; spine < 9; ++spine)
      EXPECT_LT(order.position[spine], order.position[leaf]);
  }
}

TEST(TreeOrder, KeepsThePreviousCentre) {
  const fabric::Fabric fabric =
      fabrics::from_topology(topology::torus({.dimensions = {3, 3}, .hosts_per_switch = 1}));
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  std::vector<mad::Guid> guids;
  for (const fabric::Switch& sw : fabric.switches) guids.push_back(fabric.nodes[sw.node].guid);
  const std::vector<bool> none(graph.switches(), false);
  const routing::TreeOrder first = routing::tree_order(graph, guids, none, {});
  EXPECT_FALSE(first.by_levels);
  EXPECT_EQ(first.centres, (std::vector<mad::Guid>{*std::ranges::min_element(guids)}))
      << "all switches have the same distances";
  const std::vector<mad::Guid> before{guids[5]};
  const routing::TreeOrder second = routing::tree_order(graph, guids, none, before);
  EXPECT_EQ(second.centres, before);
  EXPECT_EQ(second.position[5], 0u);
}

}  // namespace multicast_test
