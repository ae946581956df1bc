#pragma once
// The number of virtual lanes that a link should run.

#include <cstdint>

#include "config/options.h"
#include "fabric/fabric.h"
#include "routing/core/engine.h"

namespace routing {

/// The class of a port, for the qos_* options.
config::QosScope qos_scope(const fabric::Fabric& fabric, fabric::PortIndex port);
/// The link of this port carries data: one of its ends is Active. Its MTU and its VLs stay as they
/// are until it trains again, since changing them can take it down (IBTA Vol 1, 7.2.7 and
/// 14.2.5.6).
bool link_runs(const fabric::Fabric& fabric, fabric::PortIndex port);
/// The code of the VLs that the link of a port has from this sweep on: those of both ends if it
/// runs, else desired_operational_vls().
std::uint8_t link_operational_vls(const fabric::Fabric& fabric, fabric::PortIndex port,
                                  const config::Options& options);
/// The number of data VLs (1..15) that a port can use now: by OperationalVLs of both ends if its
/// link runs, else by its VLCap.
unsigned usable_data_vls(const fabric::Fabric& fabric, fabric::PortIndex port);
/// The code of OperationalVLs that the link of a port should have: the smallest of VLCap,
/// max_op_vls and, with qos, qos_*_max_vls of both ends. For a port without a link, those of the
/// port alone. Source: IBTA Vol 1, 14.2.5.6.
std::uint8_t desired_operational_vls(const fabric::Fabric& fabric, fabric::PortIndex port,
                                     const config::Options& options);

/// The number of data VLs (1..15) that every link between switches has: by OperationalVLs of links
/// that run, by VLCap of those that are to be set up, and by RoutingOptions::vls_max.
unsigned data_vls(const RoutingInput& input);

}  // namespace routing
