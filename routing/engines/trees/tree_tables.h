#pragma once
// Forwarding tables that send every destination to its downward path.

#include "routing/engines/trees/tree_paths.h"
#include "routing/graph/candidates.h"

namespace routing {

/// Fills all tables of `lfts`. Of the groups of links in `candidates`, each switch takes the one on
/// the destination's path, which has the same column. Destinations whose column is not among them
/// (links are missing, or the tree is not regular) go where the fewest of their neighbours go.
/// Further LIDs of a port avoid the switches of its other LIDs. The tables are independent of each
/// other, and made in parallel.
void tree_tables(const TreePlan& plan, const TreeTargets& targets, const TreePaths& paths,
                 const Candidates& candidates, fabric::ForwardingTables& lfts);

}  // namespace routing
