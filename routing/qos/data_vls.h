#pragma once

#include "routing/core/engine.h"

namespace routing {

/// The number of data VLs (1..15) that every link between switches supports, by VLCap of both ends
/// and RoutingOptions::vls_max.
unsigned data_vls(const RoutingInput& input);

}  // namespace routing
