#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace sm {

/// A fabric while it is being surveyed: nodes and ports in the order in which answers came, cables
/// as they are learnt. build() makes the immutable Fabric of it, in an order that does not depend
/// on the order of answers.
class FabricBuilder {
 public:
  FabricBuilder() = default;
  /// Starts from what is known, with the indices of `known`.
  explicit FabricBuilder(const Fabric& known);

  /// Nothing is wrong with a node that says this of itself; otherwise what is. Checked before
  /// add(): a NodeInfo from the wire may say anything.
  static std::optional<std::string> defect_of(const mad::NodeInfo& info);

  NodeIndex find(mad::Guid node_guid) const;
  /// A new node. `info` has no defect, and its GUID is not there yet.
  NodeIndex add(const mad::NodeInfo& info, const mad::DirectedRoute& route);

  Node& node(NodeIndex index) { return draft_.nodes[index]; }
  const Node& node(NodeIndex index) const { return draft_.nodes[index]; }
  Port& port(PortIndex index) { return draft_.ports[index]; }
  const Port& port(PortIndex index) const { return draft_.ports[index]; }
  std::size_t node_count() const { return draft_.nodes.size(); }
  std::size_t switch_count() const { return draft_.switches.size(); }
  PortIndex port_index(NodeIndex node, mad::PortNum number) const {
    return draft_.port(node, number);
  }
  bool has_port(NodeIndex node, mad::PortNum number) const;
  const Fabric& draft() const { return draft_; }

  /// The SwitchInfo of a switch was read. A switch without one is left out of the Fabric.
  void set_switch_info(NodeIndex node, const mad::SwitchInfo& info);
  void forget_switch_info(NodeIndex node) { switch_info_read_[node] = false; }
  bool has_switch_info(NodeIndex node) const {
    return node < switch_info_read_.size() && switch_info_read_[node];
  }
  const mad::SwitchInfo& switch_info(NodeIndex node) const {
    return draft_.switches[draft_.nodes[node].switch_index].info;
  }
  /// Makes room for a port's P_KeyTable; what was read before is forgotten if the size differs.
  void reserve_p_keys(PortIndex port, unsigned blocks);
  void set_p_keys(PortIndex port, unsigned block, const mad::PKeyTable& keys);

  void connect(PortIndex a, PortIndex b);
  /// Takes the cable of this port out, at both ends.
  void disconnect(PortIndex port);
  /// Routes of known nodes by the cables that are there now: a cable that was taken out may have
  /// been on the way to others. Nodes that cannot be reached any more keep their old route.
  void refresh_routes();
  void set_sm_port(PortIndex port) { draft_.sm_port = port; }
  void report(Finding finding);

  /// What can be reached from the manager's port over cables that are up, renumbered breadth first;
  /// the rest is dropped.
  Fabric build() const;

 private:
  Fabric draft_;
  std::vector<bool> switch_info_read_;
};

}  // namespace sm
