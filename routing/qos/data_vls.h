#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Data VLs (1 .. 15) that every cable between switches can have, by VLCap of both ends and
/// RoutingOptions::vls_max.
unsigned data_vls(const RoutingInput& input);

}  // namespace routing
