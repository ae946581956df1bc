#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Recorded tables (RoutingOptions::lfts). Where a port has another LID now, its entries move to
/// it. LIDs without any entry in the file are routed by minhop. Without such tables, but with hop
/// counts (RoutingOptions::hops): balanced as with minhop over the ports with the fewest hops.
/// Guarantees: none; nothing is adapted to the fabric, and verify() reports what is not valid.
/// Errors: refuses without either file, or if the tables are of none of the fabric's switches.
/// Source: OpenSM's routing engine "file".
tl::expected<RoutingResult, Refusal> file(const RoutingInput& input);

}  // namespace routing
