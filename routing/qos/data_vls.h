#pragma once

#include "routing/core/engine.h"

namespace routing {

/// The number of data VLs (1..15) that every link between switches has: by OperationalVLs of links
/// that run, by VLCap of those that are to be set up, and by RoutingOptions::vls_max.
unsigned data_vls(const RoutingInput& input);

}  // namespace routing
