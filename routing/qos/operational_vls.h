#pragma once
// How many virtual lanes a link should run.

#include <cstdint>

#include "config/options.h"
#include "fabric/fabric.h"

namespace routing {

/// The class of ports that this one belongs to, for the qos_* options.
config::QosScope qos_scope(const sm::Fabric& fabric, sm::PortIndex port);
/// The code of OperationalVLs that the link of a port should have: what both ends can do, as far as
/// max_op_vls and, with qos, the qos_*_max_vls of both ends allow. For a port without a link what
/// it can do by itself.
std::uint8_t desired_operational_vls(const sm::Fabric& fabric, sm::PortIndex port,
                                     const config::Options& options);

}  // namespace routing
