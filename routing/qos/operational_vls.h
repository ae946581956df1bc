#pragma once
// The number of virtual lanes that a link should run.

#include <cstdint>

#include "config/options.h"
#include "fabric/fabric.h"

namespace routing {

/// The class of a port, for the qos_* options.
config::QosScope qos_scope(const sm::Fabric& fabric, sm::PortIndex port);
/// The code of OperationalVLs that the link of a port should have: the smallest of VLCap,
/// max_op_vls and, with qos, qos_*_max_vls of both ends. For a port without a link, those of the
/// port alone. Source: IBTA Vol 1, 14.2.5.6.
std::uint8_t desired_operational_vls(const sm::Fabric& fabric, sm::PortIndex port,
                                     const config::Options& options);

}  // namespace routing
