#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace fabric {

/// True if the route begins with one of `first`, and hence uses the links of that one.
bool traverses(const mad::DirectedRoute& route, std::span<const mad::DirectedRoute> first);

/// A fabric during discovery: nodes and ports in the order of responses, links as they are found.
/// build() makes the immutable Fabric, in an order that does not depend on the order of responses.
class FabricBuilder {
 public:
  FabricBuilder() = default;
  /// Starts from `known`, with its indices; build() finds the end ports.
  explicit FabricBuilder(const Fabric& known);

  /// Returns the invalid field of a NodeInfo as text; nullopt if all fields are valid. Call it
  /// before add(): a NodeInfo from the wire may hold any value.
  static std::optional<std::string> defect_of(const mad::NodeInfo& info);

  NodeIndex find(mad::Guid node_guid) const;
  /// Adds a node. Preconditions: `info` has no defect, and no node has its GUID.
  NodeIndex add(const mad::NodeInfo& info, const mad::DirectedRoute& route);

  Node& node(NodeIndex index) { return draft_.nodes[index]; }
  const Node& node(NodeIndex index) const { return draft_.nodes[index]; }
  Port& port(PortIndex index) { return draft_.ports[index]; }
  const Port& port(PortIndex index) const { return draft_.ports[index]; }
  std::size_t node_count() const { return draft_.nodes.size(); }
  PortIndex port_index(NodeIndex node, mad::PortNum number) const {
    return draft_.port(node, number);
  }
  bool has_port(NodeIndex node, mad::PortNum number) const;
  const Fabric& draft() const { return draft_; }

  /// Stores the SwitchInfo of a switch. The Fabric leaves out a switch without SwitchInfo.
  void set_switch_info(NodeIndex node, const mad::SwitchInfo& info);
  void forget_switch_info(NodeIndex node) {
    switch_info_read_[node] = false;
    leads_over_unread_ = true;
  }
  bool has_switch_info(NodeIndex node) const {
    return node < switch_info_read_.size() && switch_info_read_[node];
  }
  const mad::SwitchInfo& switch_info(NodeIndex node) const {
    return draft_.switches[draft_.nodes[node].switch_index].info;
  }
  /// Allocates a port's P_KeyTable, and drops blocks that were read before if the size differs.
  void reserve_p_keys(PortIndex port, unsigned blocks);
  void set_p_keys(PortIndex port, unsigned block, const mad::PKeyTable& keys);

  void connect(PortIndex a, PortIndex b);
  /// Removes the link of this port, at both ends.
  void disconnect(PortIndex port);
  /// Returns the nodes that connect() or disconnect() were called for, some more than once. A
  /// builder that starts from nothing does not collect them.
  std::span<const NodeIndex> relinked() const { return relinked_; }
  /// Computes the directed routes of known nodes again from the links that exist now: a removed
  /// link may have been on the routes of other nodes. Unreachable nodes, and end nodes other than
  /// the SM's own, keep their old route; Fabric::route_to() computes the right route for end nodes.
  void refresh_routes();
  /// Finds other routes for switches whose routes used the lost links. Each lost link is given by
  /// the route to the node behind it. Cost: grows with the number of those switches.
  void reroute_around(std::span<const mad::DirectedRoute> lost);
  /// True if a route led to a switch at the latest refresh_routes() or reroute_around(), or if the
  /// switch was added since.
  bool is_reachable(NodeIndex sw) const { return sw >= reachable_.size() || reachable_[sw]; }
  void set_node_names(std::shared_ptr<const NodeNames> names) {
    draft_.node_names = std::move(names);
  }
  void set_sm_port(PortIndex port) { draft_.sm_port = port; }
  void report(Condition condition);

  /// Makes the Fabric: the nodes that are reachable from the SM's port over links that are up,
  /// renumbered breadth first. All other nodes are dropped.
  Fabric build() const;

 private:
  void note_relinked(PortIndex port);

  Fabric draft_;
  std::vector<bool> switch_info_read_;
  std::vector<bool> reachable_;
  bool has_start_ = false;
  bool leads_over_unread_ = false;  // some route may, of a switch that has none to its SwitchInfo
  std::vector<NodeIndex> relinked_;
};

}  // namespace fabric
