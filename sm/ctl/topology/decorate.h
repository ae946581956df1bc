#pragma once
// Changes to a topology, generated or read. All return a new one; indices of nodes may change when
// nodes are added or removed. Errors: TopologyError, with the reason.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fabric/topology/topology_model.h"

namespace topology {

enum class Connectivity : std::uint8_t {
  keep,      // subnets stay connected; an error if that many links cannot be removed
  may_break  // links are removed at random; subnets may fall apart
};
/// Removes this fraction (0 to 1, rounded to whole links) of the links between switches.
Topology degrade(const Topology& topology, double fraction, std::uint64_t seed,
                 Connectivity connectivity = Connectivity::keep);

/// Routers R0, R1, ... with a port on a switch of every subnet; a fabric of one subnet gets routers
/// with `ports_in_one` ports. They are attached to the switches with the fewest links.
Topology add_routers(const Topology& topology, unsigned count, unsigned ports_in_one = 1);

/// Every link between switches becomes `times` links.
Topology multiply_cables(const Topology& topology, unsigned times);

/// Adds links to hosts with one link: port p + 1 is attached to the next leaf (switch with hosts)
/// of the subnet after that of port p.
Topology add_host_ports(const Topology& topology, unsigned ports_per_host);

/// Sets width and speed of all links.
Topology with_links(Topology topology, LinkWidth width, LinkSpeed speed);

Topology drop_node(const Topology& topology, std::string_view name);
/// Removes the link at this port. Error if it has none.
Topology drop_link(const Topology& topology, std::string_view name, mad::PortNum port);
/// A new host on the lowest free port of the switch (or a new port, if all are taken). Empty name:
/// H<number>, the lowest that is free.
Topology add_host(const Topology& topology, std::string_view switch_name,
                  std::string host_name = {});

}  // namespace topology
