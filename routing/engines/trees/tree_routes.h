#pragma once
// What the engines for trees share: they differ in whom they number, and in how ways are chosen.

#include <functional>

#include "routing/core/note_list.h"
#include "routing/engines/trees/tree_columns.h"
#include "routing/engines/trees/tree_levels.h"
#include "routing/engines/trees/tree_targets.h"
#include "routing/engines/trees/tree_ways.h"
#include "routing/graph/cable_groups.h"

namespace routing {

/// A tree and everything that is known about it before routes are chosen. Keeps a reference to the
/// input.
struct TreePlan {
  const RoutingInput& input;
  TreeLevels levels;
  CableGroups groups;
  TreeColumns columns;

  TreePlan(const RoutingInput& of, TreeLevels tree);
};

/// All tables of a tree, and the order of its hosts. Where no legal way leads from a switch to a
/// host, or with connect_roots to any switch, any way is taken. Refuses when some way is too long.
tl::expected<RoutingResult, Refusal> route_tree(const TreePlan& plan, const TreeTargets& targets,
                                                WayChoice choice, NoteList& notes);

}  // namespace routing
