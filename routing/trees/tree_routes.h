#pragma once
// Common part of the engines for trees: they differ in the numbers of hosts and in the choice of
// paths.

#include <functional>

#include "fabric/condition.h"
#include "routing/graph/candidates.h"
#include "routing/trees/tree_columns.h"
#include "routing/trees/tree_paths.h"
#include "routing/trees/tree_targets.h"

namespace routing {

/// The tables of all switches, and the order of the hosts. Paths are legal (up_down.h); where a
/// switch has no legal path to a host, or with connect_roots to any switch, they turn in one leaf,
/// and a note says so. By count, an incremental routing repairs the previous tables
/// (repair_tree()); by number, tables depend on the fabric and the numbers alone, and only what
/// differs is verified. Errors: refuses if some path is too long.
tl::expected<RoutingResult, Refusal> route_tree(const TreePlan& plan, const TreeTargets& targets,
                                                PathChoice choice, fabric::ConditionList& notes);

/// Fills all tables of `lfts`. Of the groups of links in `candidates`, each switch takes the one on
/// the destination's path, which has the same column. Destinations whose column is not among them
/// (links are missing, or the tree is not regular) go where the fewest of their neighbours go.
/// Further LIDs of a port avoid the switches of its other LIDs. The tables are independent of each
/// other, and made in parallel.
void tree_tables(const TreePlan& plan, const TreeTargets& targets, const TreePaths& paths,
                 const Candidates& candidates, fabric::ForwardingTables& lfts);

}  // namespace routing
