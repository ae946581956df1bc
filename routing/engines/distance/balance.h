#pragma once
// Spreads destinations over the candidate ports of each switch.

#include "routing/core/engine.h"
#include "routing/graph/candidates.h"
#include "routing/graph/destinations.h"
#include "routing/graph/slot_settings.h"

namespace routing {

/// Makes result.lfts: each switch gives a LID to the candidate with the fewest LIDs so far, see
/// minhop.h. LIDs whose switch no candidate leads to keep 0xFF, and so do those from the switch's
/// LinearFDBCap on. Entries of before, or else of the previous tables, stay where they are still
/// candidates. Rows are independent of each other, and made in parallel; with input.before only
/// what a change can have touched is looked at, with the same result as if its tables were the
/// previous ones.
void route_rows(const RoutingInput& input, const SlotSettings& settings, const Plan& plan,
                const Candidates& candidates, RoutingResult& result);

}  // namespace routing
