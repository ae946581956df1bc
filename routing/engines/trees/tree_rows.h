#pragma once
// Forwarding tables that bring every destination of a tree to its way.

#include "routing/engines/trees/tree_routes.h"
#include "routing/graph/candidates.h"

namespace routing {

/// Fills all rows of `lfts`. Of the groups of cables that `candidates` allows, each switch takes
/// the one on the destination's way: the same column. Destinations whose column is not among them
/// (cables are lost, or this is no regular tree) go where the fewest of their neighbours go.
/// Further LIDs of a port avoid switches that its other LIDs take. Rows are independent of each
/// other, and made in parallel.
void tree_rows(const TreePlan& plan, const TreeTargets& targets, const TreeWays& ways,
               const Candidates& candidates, sm::ForwardingTables& lfts);

}  // namespace routing
