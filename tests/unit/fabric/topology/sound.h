#pragma once
// Invariants of every topology, and the identity of two topologies.

#include <map>
#include <set>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "sm/ctl/topology/topology.h"

namespace topology {

/// Names and GUIDs unique, no port used twice, ports within 1..port_count; with `hosts_first` as in
/// generated topologies.
inline void expect_sound(const Topology& topology, bool hosts_first = true) {
  std::set<std::string> names, keys;
  std::set<mad::Guid> node_guids, port_guids;
  bool switch_seen = false;
  for (const Node& node : topology.nodes) {
    EXPECT_TRUE(names.insert(node.name).second) << node.name;
    EXPECT_TRUE(keys.insert(node.key()).second) << node.key();
    EXPECT_TRUE(node_guids.insert(node.guid).second) << node.name;
    EXPECT_LE(node.port_count, mad::kPortNumMax) << node.name;
    for (unsigned port = 1; port <= (node.type == NodeType::switch_ ? 1 : node.port_count);
         ++port) {
      EXPECT_TRUE(port_guids.insert(node.port_guid({static_cast<std::uint8_t>(port)})).second)
          << node.name;
    }
    EXPECT_TRUE(!hosts_first || node.type != NodeType::ca || !switch_seen) << node.name;
    switch_seen = switch_seen || node.type != NodeType::ca;
  }
  std::vector<std::set<unsigned>> used(topology.nodes.size());
  for (const Link& link : topology.links) {
    for (const PortRef& end : {link.a, link.b}) {
      ASSERT_LT(end.node, topology.nodes.size());
      EXPECT_GE(end.port.value, 1);
      EXPECT_LE(end.port.value, topology.nodes[end.node].port_count);
      EXPECT_TRUE(used[end.node].insert(end.port.value).second) << topology.nodes[end.node].name;
    }
  }
}

using CableIdentity = std::tuple<mad::Guid, unsigned, mad::Guid, unsigned>;

/// Links by GUID and port, the smaller end first: independent of the order of nodes, and of names.
inline std::set<CableIdentity> cables_of(const Topology& topology) {
  std::set<CableIdentity> cables;
  for (const Link& link : topology.links) {
    std::pair<mad::Guid, unsigned> a{topology.nodes[link.a.node].guid, link.a.port.value},
        b{topology.nodes[link.b.node].guid, link.b.port.value};
    if (b < a) std::swap(a, b);
    cables.emplace(a.first, a.second, b.first, b.second);
  }
  return cables;
}

inline std::map<mad::Guid, std::pair<NodeType, unsigned>> find_nodes(const Topology& topology) {
  std::map<mad::Guid, std::pair<NodeType, unsigned>> nodes;
  for (const Node& node : topology.nodes) nodes[node.guid] = {node.type, node.port_count};
  return nodes;
}

/// Calls `build` and returns the text of its TopologyError; "built" if there was none.
template <class Build>
std::string refusal(const Build& build) {
  try {
    build();
  } catch (const TopologyError& error) {
    return error.what();
  }
  return "built";
}

}  // namespace topology
