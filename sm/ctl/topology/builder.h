#pragma once
// The generators share these functions; they are private to this directory.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fabric/topology/topology_model.h"

namespace topology {

/// Builds a topology: adds nodes and links and assigns ports in ascending order. All nodes of a
/// type get GUIDs of one block, in order.
class Builder {
 public:
  /// add() throws TopologyError once the nodes need more unicast LIDs than `subnet_count` subnets
  /// have (before memory runs out).
  explicit Builder(std::size_t subnet_count = 1) : subnet_count_(subnet_count) {}

  std::size_t add(NodeType type, std::string name);
  void link(std::size_t a, std::size_t b);
  Node& node(std::size_t index) { return topology_.nodes[index]; }
  /// Adds hosts H0, H1, ... The caller adds them before the switches, so that hosts come first.
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

/// Returns the digits of a mixed-radix number, lowest digit first.
std::vector<unsigned> mixed_radix_digits(std::size_t index, const std::vector<unsigned>& bases);
std::size_t compute_index(const std::vector<unsigned>& digits, const std::vector<unsigned>& bases);
/// Returns the product; saturates at a number that is larger than any fabric.
std::size_t product(const std::vector<unsigned>& factors);

}  // namespace topology
