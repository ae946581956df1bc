#pragma once
// The discovered fabric: nodes, ports and links as dense indices into vectors. It is immutable once
// FabricBuilder has built it: decisions are pure functions of it, and any thread may read it.

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/condition.h"
#include "fabric/index.h"
#include "fabric/p_key_blocks.h"
#include "mad/attributes/node_info.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/port_tables.h"
#include "mad/attributes/switch_info.h"
#include "mad/directed_route.h"
#include "mad/ids.h"

namespace fabric {

/// One port of a node. Switches have ports 0..NumPorts, other nodes 1..NumPorts.
struct Port {
  NodeIndex node = kNoIndex;
  PortIndex peer = kNoIndex;  // the port at the other end of the link
  mad::PortNum number;
  bool known =
      false;  // its PortInfo was read; false: no response, or a port of a CA without a link
  bool withheld = false;  // it rejects Armed or Active: no path between switches uses its link
  bool isolated = false;  // kept out of use (sm/health): no path between switches uses its link,
                          // and a host's link is not activated
  std::uint16_t p_key_blocks = 0;
  std::uint32_t first_p_key_block = 0;  // into Fabric::p_key_blocks
  mad::Guid guid;  // end ports only: CA and router ports, and a switch's port 0
  mad::PortInfo info;

  bool is_up() const { return known && info.port_state() >= mad::PortState::init; }
};

struct Node {
  mad::NodeType type{};
  std::uint8_t num_ports = 0;
  PortIndex first_port{0};
  SwitchIndex switch_index = kNoIndex;
  mad::Guid guid;
  mad::NodeInfo info;
  mad::NodeDescription description;
  mad::DirectedRoute route;  // switches, and the node that the SM runs on: the shortest route,
                             // lowest port numbers first

  bool is_switch() const { return type == mad::NodeType::switch_; }
};

struct Switch {
  NodeIndex node = kNoIndex;
  mad::SwitchInfo info;
};

/// Names that the operator gives nodes (node_name_map_name), by NodeGUID.
using NodeNames = std::unordered_map<mad::Guid, std::string>;

/// A map in one block of memory, because a Fabric is copied at each change.
template <class Value>
using ByGuid = boost::unordered_flat_map<mad::Guid, Value, std::hash<mad::Guid>>;

struct Fabric {
  IndexVector<NodeIndex, Node> nodes;  // breadth first from the SM's node, links in port order: the
                                       // same fabric gives the same indices
  IndexVector<PortIndex, Port> ports;  // a node's ports are contiguous
  IndexVector<SwitchIndex, Switch> switches;  // in node order
  IndexVector<EndPortIndex, PortIndex>
      end_ports;  // every port with a LID of its own: CA and router ports with a
                  // link, switch port 0; in node and port order
  PKeyBlocks p_key_blocks;
  ByGuid<PortIndex> port_of_guid;  // end ports
  ByGuid<NodeIndex> node_of_guid;
  PortIndex sm_port = kNoIndex;                 // the port that the SM sends from
  std::vector<Condition> conditions;            // faults found by discovery
  std::shared_ptr<const NodeNames> node_names;  // null: nodes have their NodeDescription only

  const Node& owning_node(PortIndex port) const { return nodes[ports[port].node]; }
  /// Returns the index of a node's port; the number must exist on that node.
  PortIndex port(NodeIndex node, mad::PortNum number) const {
    const Node& n = nodes[node];
    return n.first_port + number.value - (n.is_switch() ? 0u : 1u);
  }
  std::span<const Port> node_ports(NodeIndex node) const {
    const Node& n = nodes[node];
    return {ports.data() + n.first_port, n.num_ports + (n.is_switch() ? 1u : 0u)};
  }
  /// Returns the blocks of the port's P_Key table, a random-access range.
  auto p_keys(PortIndex port) const {
    return p_key_blocks.slice(ports[port].first_p_key_block, ports[port].p_key_blocks);
  }
  /// Returns the bytes of an attribute of the port or its node; nullopt if the fabric does not hold
  /// it.
  std::optional<std::span<const std::uint8_t, mad::kAttributeBytes>> attribute(
      mad::AttributeId id, PortIndex port, std::size_t p_key_block = 0) const;
  /// Returns the switch that forwards a port's packets: the switch at the other end of its link, or
  /// the switch itself for port 0; kNoIndex if there is none.
  SwitchIndex leaf_switch(PortIndex port) const {
    if (owning_node(port).is_switch()) return owning_node(port).switch_index;
    return ports[port].peer == kNoIndex ? kNoIndex : owning_node(ports[port].peer).switch_index;
  }
  /// Returns the PortGUID of the port whose M_Key protects this one: a switch's port 0, or itself.
  mad::Guid m_key_port(PortIndex port) const {
    return ports[owning_node(port).is_switch() ? owning_node(port).first_port : port].guid;
  }
  bool is_end_port(PortIndex port) const { return ports[port].guid != mad::Guid{}; }
  /// True if both ends of the link are up, and it connects two different nodes.
  bool is_link_up(PortIndex port) const {
    const Port& p = ports[port];
    return p.peer != kNoIndex && p.is_up() && ports[p.peer].is_up() && ports[p.peer].node != p.node;
  }
  /// True if no path between switches may use the link of this port. The port must have a peer.
  bool is_kept_out(PortIndex port) const {
    const Port &here = ports[port], &there = ports[here.peer];
    return here.withheld || here.isolated || there.withheld || there.isolated;
  }
  /// Returns the directed route from the SM to the node of this port; the route enters a CA or
  /// router by this very port. nullopt if the route would be longer than 63 hops, or if the port of
  /// a CA or router has no link and another port of the node has one.
  std::optional<mad::DirectedRoute> route_to(PortIndex port) const;

  /// Returns the operator's name of a node, else its NodeDescription. For logs, dumps and messages;
  /// the SA answers with the NodeDescription.
  std::string description(NodeIndex node) const;
  /// Returns "H0-3 mlx5_0" (0x0002c90000000030), for logs.
  std::string name(NodeIndex node) const;
  /// Returns "H0-3 mlx5_0" (0x0002c90000000030) port 1, for logs.
  std::string port_name(PortIndex port) const;
};

}  // namespace fabric
