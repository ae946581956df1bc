#pragma once
// Changes to a topology, generated or read. All return a new one; indices of nodes may change where
// nodes come or go. Errors: TopologyError, with the reason.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fabric/topology/model.h"

namespace sim {

enum class Connectivity : std::uint8_t {
  keep,      // subnets stay whole; refused if that many cables cannot go
  may_break  // cables go as the seed has it; count subnets() before and after
};
/// Takes out that fraction (0 to 1, rounded to whole cables) of the cables between switches.
Topology degrade(const Topology& topology, double fraction, std::uint64_t seed,
                 Connectivity connectivity = Connectivity::keep);

/// Routers R0, R1, ... with a port on a switch of every subnet; a fabric of one subnet gets routers
/// with `ports_in_one` ports. They are spread over the switches that have the fewest cables.
Topology add_routers(const Topology& topology, unsigned count, unsigned ports_in_one = 1);

/// Every cable between switches becomes `times` cables.
Topology multiply_cables(const Topology& topology, unsigned times);

/// Hosts with one cable get more: port p + 1 goes to the next leaf (switch with hosts) of the
/// subnet behind that of port p.
Topology add_host_ports(const Topology& topology, unsigned ports_per_host);

/// Width and speed of all cables.
Topology with_links(Topology topology, LinkWidth width, LinkSpeed speed);

Topology drop_node(const Topology& topology, std::string_view name);
/// The cable at this port; it has to have one.
Topology drop_link(const Topology& topology, std::string_view name, mad::PortNum port);
/// A new host on the lowest free port of the switch (or a new port, if all are taken). Empty name:
/// H<number>, the lowest that is free.
Topology add_host(const Topology& topology, std::string_view switch_name,
                  std::string host_name = {});

}  // namespace sim
