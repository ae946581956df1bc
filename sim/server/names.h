#pragma once
// Nodes and ports by the names that operators and programs use.

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fabric/topology/topology_model.h"
#include "sim/world/model.h"

namespace sim::server {

class Names {
 public:
  /// `model` was made from `topology`; it is not owned and must outlive this object.
  Names(const Topology& topology, const Model& model);

  /// Finds a node by the id of the topology file, the current NodeDescription, or the GUID of the
  /// node or of one of its ports ("0x..."). Ids have precedence.
  std::optional<NodeIndex> node(std::string_view text) const;
  /// Returns the id in the topology file; the NodeDescription if the node is not in the file.
  const std::string& id(NodeIndex node) const;
  /// Returns `"id"[port]`.
  std::string port(PortIndex port) const;

  /// Finds the end port of a program: a node (port 1 of a CA or router, port 0 of a switch),
  /// NAME:PORT, or 0x and the GUID of a port. An empty text means the first CA, or the first node
  /// if there is none. Every port of a switch means its port 0.
  std::optional<PortIndex> end_port(std::string_view text) const;
  struct Place {
    PortIndex port = kNone;
    std::uint16_t vport = 0;  // 0: the port itself
  };
  /// Returns the end port as above; with #N behind the name, vport N of it, which must exist.
  std::optional<Place> place(std::string_view text) const;

 private:
  std::optional<PortIndex> end_port(NodeIndex node) const;
  const Model& model_;
  std::vector<std::string> ids_;
  std::unordered_map<std::string, NodeIndex> by_id_;
};

}  // namespace sim::server
