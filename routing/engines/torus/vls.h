#pragma once
// The SLs and VLs that exclude credit loops in a torus.

#include "routing/engines/torus/grid.h"

namespace routing::torus {

inline constexpr unsigned kEndPorts = kDimensions;  // class of ports without a dimension
inline constexpr std::uint8_t kQosBit = 8;          // of the SL: the QoS level

/// VL bit 0: the SL's bit for the dimension of the output port, so paths that cross the dateline
/// have a VL of their own. Bit 1: the packet turns from a later to an earlier dimension, as happens
/// next to a missing switch. Bit 2: the QoS level. With 2 VLs of `vls` only bit 0 is used, with 4
/// bits 0 and 1, with 8 all three. `end_port_vls`: on links to hosts and routers, the QoS level
/// selects one of two VLs, if there are two.
SlToVl sl_to_vl(const RoutingInput& input, const Grid& grid, unsigned vls, unsigned end_port_vls);

/// Number of VLs that sl_to_vl() uses.
constexpr unsigned vls_used(unsigned vls) { return vls >= 8 ? 8 : vls >= 4 ? 4 : vls >= 2 ? 2 : 1; }

/// Data VLs that all links between switches and end ports have.
unsigned end_port_vls(const RoutingInput& input);

/// The SLs of all pairs of switches.
PathSls path_sls(const Grid& grid);

}  // namespace routing::torus
