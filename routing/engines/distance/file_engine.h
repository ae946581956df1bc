#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Tables that somebody wrote down (RoutingOptions::lfts). Where a port has another LID now, its
/// entries move along. LIDs that no row of the file has are routed by min-hop. Without such tables,
/// but with hop counts (RoutingOptions::hops): balanced as min-hop, over the ports that have the
/// fewest hops there. Nothing is adapted to the fabric: verify() tells whether it still works.
tl::expected<RoutingResult, Refusal> file(const RoutingInput& input);

}  // namespace routing
