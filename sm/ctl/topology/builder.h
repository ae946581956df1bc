#pragma once
// Common parts of the generators. Private to this directory.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fabric/topology/topology_model.h"

namespace topology {

/// Adds nodes and links; assigns ports in ascending order. All nodes of a type get GUIDs of one
/// block, in order.
class Builder {
 public:
  /// add() throws TopologyError once the nodes need more unicast LIDs than `subnet_count` subnets
  /// have (before memory runs out).
  explicit Builder(std::size_t subnet_count = 1) : subnet_count_(subnet_count) {}

  std::size_t add(NodeType type, std::string name);
  void link(std::size_t a, std::size_t b);
  Node& node(std::size_t index) { return topology_.nodes[index]; }
  /// Adds hosts H0, H1, ...; call before adding the switches, so that hosts come first.
  std::vector<std::size_t> add_hosts(std::size_t count);

  /// Throws TopologyError if a subnet needs more than all LIDs.
  Topology finish();

 private:
  PortRef take_port(std::size_t node);

  std::size_t subnet_count_;
  Topology topology_;
  std::uint64_t cas_ = 0, switches_ = 0, routers_ = 0;
};

void require(bool ok, const char* what);  // throws TopologyError

/// Mixed-radix numbers, lowest digit first.
std::vector<unsigned> digits_of(std::size_t index, const std::vector<unsigned>& bases);
std::size_t compute_index(const std::vector<unsigned>& digits, const std::vector<unsigned>& bases);
/// Saturates at a number that is larger than any fabric.
std::size_t product(const std::vector<unsigned>& factors);

}  // namespace topology
