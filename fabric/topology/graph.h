#pragma once
// Properties of the graph of a topology.

#include <cstddef>
#include <vector>

#include "fabric/topology/topology_model.h"

namespace topology {

/// A connected component: switches that reach each other over switches, and the CA and router ports
/// attached to them. CAs and routers do not forward inside a subnet, so a host with two ports may
/// be in two subnets. Two end nodes that share a link are a subnet without a switch.
struct Subnet {
  std::vector<std::size_t> switches;
  std::vector<PortRef> ends;  // CA and router ports
  /// The number of LIDs that it needs with LMC 0.
  std::size_t lids() const { return switches.size() + ends.size(); }
};

/// All subnets, by lowest node index; their switches breadth first from the lowest. Ports without a
/// link are in none, a switch without links is one of its own.
std::vector<Subnet> subnets(const Topology& topology);

/// Neighbouring switches of each node (empty for other types); parallel links give one entry each.
std::vector<std::vector<std::size_t>> switch_neighbours(const Topology& topology);

/// Most links between two switches of the same subnet on a shortest path; 0 without switches.
unsigned switch_diameter(const Topology& topology);

/// Throws TopologyError if a subnet needs more LIDs than there are unicast ones (49,151), or a node
/// more than 254 ports.
void require_lid_space(const Topology& topology);

}  // namespace topology
