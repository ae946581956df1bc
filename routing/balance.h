#pragma once
// Spreads destinations over the candidate ports of each switch.

#include "routing/candidates.h"
#include "routing/destinations.h"
#include "routing/engine.h"
#include "routing/slot_settings.h"

namespace routing {

/// Fills all rows of `lfts`: each switch gives a LID to the candidate with the fewest LIDs so far, see minhop.h. LIDs whose switch no candidate leads to
/// keep 0xFF, and so do those from the switch's LinearFDBCap on. Rows are independent of each other, and made in parallel.
void route_rows(const RoutingInput& input, const SlotSettings& settings, const Plan& plan, const Candidates& candidates,
                sm::ForwardingTables& lfts);

}  // namespace routing
