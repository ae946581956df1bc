#pragma once
// Common part of the engines for trees: they differ in the numbers of hosts and in the choice of
// paths.

#include <functional>

#include "fabric/condition.h"
#include "routing/engines/trees/tree_columns.h"
#include "routing/engines/trees/tree_paths.h"
#include "routing/engines/trees/tree_targets.h"

namespace routing {

/// The tables of all switches, and the order of the hosts. Where a switch has no legal path to a
/// host, or with connect_roots to any switch, any path is taken. By count, an incremental
/// routing repairs the previous tables (tree_repair.h); by number, tables depend on the fabric and
/// the numbers alone, and only what differs is verified. Errors: refuses if some path is too long.
tl::expected<RoutingResult, Refusal> route_tree(const TreePlan& plan, const TreeTargets& targets,
                                                PathChoice choice, fabric::ConditionList& notes);

}  // namespace routing
