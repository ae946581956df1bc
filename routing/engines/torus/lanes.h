#pragma once
// Which service levels and virtual lanes keep packets in a torus from waiting for each other in a
// circle.

#include "routing/engines/torus/grid.h"

namespace routing::torus {

inline constexpr unsigned kEndPorts = kDimensions;  // class of ports that are in no dimension
inline constexpr std::uint8_t kQosBit = 8;          // of the SL: the level of service

/// VL bit 0: the SL's bit for the dimension that the packet leaves in, so those that pass the
/// dateline have a lane of their own. Bit 1: it turns back to an earlier dimension, which happens
/// around a missing switch. Bit 2: level of service. Of `vls` lanes, two are needed for the first,
/// four for the second, eight for the third. `end_port_vls`: on cables to hosts and routers, the
/// level of service takes a lane if there are two.
SlToVl sl_to_vl(const RoutingInput& input, const Grid& grid, unsigned vls, unsigned end_port_vls);

/// Lanes that sl_to_vl() uses of those that there are.
constexpr unsigned vls_used(unsigned vls) { return vls >= 8 ? 8 : vls >= 4 ? 4 : vls >= 2 ? 2 : 1; }

/// Data VLs that all cables between switches and end ports have.
unsigned end_port_vls(const RoutingInput& input);

/// SLs of all pairs of switches.
PathSls path_sls(const Grid& grid);

}  // namespace routing::torus
