#pragma once
// The fabric as it was found: nodes, ports and cables as dense indices into vectors. Immutable once
// built (FabricBuilder), so that decisions are functions of it and others may read it from any
// thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mad/attributes/node_description.h"
#include "mad/attributes/node_info.h"
#include "mad/attributes/p_key_table.h"
#include "mad/attributes/port_info.h"
#include "mad/attributes/switch_info.h"
#include "mad/directed_route.h"
#include "mad/ids.h"

namespace sm {

using NodeIndex = std::uint32_t;
using PortIndex = std::uint32_t;
using SwitchIndex = std::uint32_t;
inline constexpr std::uint32_t kNoIndex = 0xFFFFFFFFu;

/// One port of a node. Switches have ports 0..NumPorts, other nodes 1..NumPorts.
struct Port {
  NodeIndex node = kNoIndex;
  PortIndex peer = kNoIndex;  // the port at the other end of the cable
  mad::PortNum number;
  bool known =
      false;  // its PortInfo was read; false: silent, or a port of a CA that no cable led to
  std::uint16_t p_key_blocks = 0;
  std::uint32_t first_p_key_block = 0;  // into Fabric::p_key_blocks
  mad::Guid guid;  // end ports only: CA and router ports, and a switch's port 0
  mad::PortInfo info;

  bool is_up() const { return known && info.port_state() >= mad::PortState::init; }
};

struct Node {
  mad::NodeType type{};
  std::uint8_t num_ports = 0;
  PortIndex first_port = 0;
  SwitchIndex switch_index = kNoIndex;
  mad::Guid guid;
  mad::NodeInfo info;
  mad::NodeDescription description;
  mad::DirectedRoute route;  // switches, and the node that the manager runs on: the shortest way
                             // there, lowest port numbers first

  bool is_switch() const { return type == mad::NodeType::switch_; }
};

struct Switch {
  NodeIndex node = kNoIndex;
  mad::SwitchInfo info;
};

/// A fault of the fabric that discovery met and worked around. Told to the operator once it
/// appears.
struct Finding {
  enum class Kind : std::uint8_t {
    silent,           // does not answer (or stopped answering), or answers only in part
    malformed,        // answers nonsense: port numbers, types or counts out of range
    duplicate_guid,   // two ports or nodes carry one GUID
    ends_disagree,    // the two ends of a cable tell different stories
    loopback,         // a cable from a node to itself
    too_far,          // more than 63 hops away: no directed route reaches it
    table_too_small,  // a switch's LinearFDBCap is less than the fabric needs
    lids_exhausted,
    p_keys_do_not_fit,  // a port has room for fewer P_Keys than its partitions need
    too_many,           // more nodes or ports than a subnet can have: the survey was cut there
  };
  Kind kind;
  std::string text;
  bool operator==(const Finding&) const = default;
};

struct Fabric {
  std::vector<Node> nodes;  // breadth first from the manager's node, cables in port order: the same
                            // fabric gives the same indices
  std::vector<Port> ports;  // a node's ports are contiguous
  std::vector<Switch> switches;      // in node order
  std::vector<PortIndex> end_ports;  // every port that has a LID of its own: CA and router ports
                                     // that a cable led to, switch port 0; in node and port order
  std::vector<mad::PKeyTable> p_key_blocks;
  std::unordered_map<mad::Guid, PortIndex> port_of_guid;  // end ports
  std::unordered_map<mad::Guid, NodeIndex> node_of_guid;
  PortIndex sm_port = kNoIndex;  // the port that the manager sends from
  std::vector<Finding> findings;

  const Node& node_of(PortIndex port) const { return nodes[ports[port].node]; }
  /// The index of a node's port; the number must exist on that node.
  PortIndex port(NodeIndex node, mad::PortNum number) const {
    const Node& n = nodes[node];
    return n.first_port + number.value - (n.is_switch() ? 0u : 1u);
  }
  std::span<const Port> ports_of(NodeIndex node) const {
    const Node& n = nodes[node];
    return {ports.data() + n.first_port, n.num_ports + (n.is_switch() ? 1u : 0u)};
  }
  std::span<const mad::PKeyTable> p_keys(PortIndex port) const {
    return {p_key_blocks.data() + ports[port].first_p_key_block, ports[port].p_key_blocks};
  }
  /// The switch that forwards a port's packets: the one behind its cable, the switch itself for
  /// port 0; kNoIndex if there is none.
  SwitchIndex leaf_of(PortIndex port) const {
    if (node_of(port).is_switch()) return node_of(port).switch_index;
    return ports[port].peer == kNoIndex ? kNoIndex : node_of(ports[port].peer).switch_index;
  }
  bool is_end_port(PortIndex port) const { return ports[port].guid != mad::Guid{}; }
  /// Both ends of the cable are up, and it joins two different nodes.
  bool is_link_up(PortIndex port) const {
    const Port& p = ports[port];
    return p.peer != kNoIndex && p.is_up() && ports[p.peer].is_up() && ports[p.peer].node != p.node;
  }
  /// The directed route from the manager to the node of this port, entering a CA or router by this
  /// very port. Nothing when the only way is longer than 63 hops.
  std::optional<mad::DirectedRoute> route_to(PortIndex port) const;

  /// "H0-3 mlx5_0" (0x0002c90000000030): for logs.
  std::string name(NodeIndex node) const;
  /// "H0-3 mlx5_0" (0x0002c90000000030) port 1: for logs.
  std::string port_name(PortIndex port) const;
};

}  // namespace sm
