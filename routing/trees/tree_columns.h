#pragma once
// Computes columns: numbers of the parents of a switch that mean the same parents in all subtrees.

#include <cstdint>
#include <vector>

#include "routing/graph/link_groups.h"
#include "routing/trees/tree_levels.h"

namespace routing {

/// In a parallel generalised fat tree, middle switches of different subtrees with the same top
/// switches have the same column. Without its lowest level, such a tree consists of one connected
/// component for each column. These components identify the columns even if links, parents or whole
/// switches are missing. Switches of one subtree in the same component (as in other trees) get
/// consecutive columns.
struct TreeColumns {
  std::vector<std::uint32_t> column;   // by switch, within its part of the level; 0 for idle
                                       // switches and at the lowest level
  std::vector<std::uint32_t> width;    // by switch: columns of its parents; 0: it has none
  std::vector<std::uint32_t> divider;  // by switch: number of upward paths to it from a leaf
  std::vector<std::uint32_t>
      width_max;  // by level: columns of the level are below this; at least 1
  std::vector<std::uint32_t>
      links_max;  // by level: parallel links to a switch of the level below; at least 1
};

/// Computes columns for switches in use and links between neighbouring levels. `guid` by switch.
TreeColumns tree_columns(const TreeLevels& tree, const LinkGroups& groups,
                         const std::vector<std::uint64_t>& guid);

/// Calls visit(lower switch, upper switch) for each pair of connected switches in use with levels
/// `below` and `below` + 1.
template <class Visit>
void for_each_pair(const TreeLevels& tree, const LinkGroups& groups, std::uint32_t below,
                   const std::vector<fabric::SwitchIndex>& lower, Visit&& visit) {
  for (const fabric::SwitchIndex sw : lower)
    for (const LinkGroup& group : groups.of(sw))
      if (tree.level[group.to] == below + 1 && tree.idle[group.to] == 0) visit(sw, group.to);
}

/// Returns the switches in use, by level.
std::vector<std::vector<fabric::SwitchIndex>> switches_by_level(const TreeLevels& tree);

/// Holds everything about a tree that does not depend on the choice of paths. Keeps a reference to
/// the input.
struct TreePlan {
  const RoutingInput& input;
  TreeLevels levels;
  LinkGroups groups;
  TreeColumns columns;

  TreePlan(const RoutingInput& of, TreeLevels tree);
};

}  // namespace routing
