#pragma once
// Names for the parents that a switch of a tree can choose between, so that "the fifth" means the
// same everywhere.

#include <cstdint>
#include <vector>

#include "routing/engines/trees/tree_levels.h"
#include "routing/graph/cable_groups.h"

namespace routing {

/// In a parallel generalised fat tree, middle switches of different subtrees that reach the same
/// top switches have the same column. Removing a level from below makes the rest of such a tree
/// fall apart, into one part for each column: that is how columns are found, also where cables,
/// parents or whole switches are missing. Switches of one subtree in the same part (as in other
/// trees) get columns beside each other.
struct TreeColumns {
  std::vector<std::uint32_t>
      column;  // per switch, among all that stand where it does; 0 for idle ones and at the bottom
  std::vector<std::uint32_t> width;    // per switch: columns of its parents; 0: it has none
  std::vector<std::uint32_t> divider;  // per level: in how many ways one comes there from a leaf
  std::vector<std::uint32_t>
      width_max;  // per level: of the level below, so columns of the level are below it; at least 1
  std::vector<std::uint32_t>
      cables_max;  // per level: parallel cables to a switch of the level below; at least 1
};

/// Of the tree's switches in use, and the cables between neighbouring levels. `guid` per switch.
TreeColumns tree_columns(const TreeLevels& tree, const CableGroups& groups,
                         const std::vector<std::uint64_t>& guid);

/// Sets of switches that grow together; each is known by the lowest of the keys of its members.
class Clusters {
 public:
  explicit Clusters(const std::vector<std::uint64_t>& key);
  void join(sm::SwitchIndex a, sm::SwitchIndex b);
  std::uint64_t key(sm::SwitchIndex sw) { return key_[find(sw)]; }

 private:
  sm::SwitchIndex find(sm::SwitchIndex sw);
  std::vector<sm::SwitchIndex> parent_;
  std::vector<std::uint64_t> key_;
};

/// visit(lower switch, upper switch) for each pair that cables join, whose levels are `below` and
/// `below` + 1, and that are in use.
template <class Visit>
void for_each_pair(const TreeLevels& tree, const CableGroups& groups, std::uint32_t below,
                   const std::vector<sm::SwitchIndex>& lower, Visit&& visit) {
  for (const sm::SwitchIndex sw : lower)
    for (const CableGroup& group : groups.of(sw))
      if (tree.level[group.to] == below + 1 && tree.idle[group.to] == 0) visit(sw, group.to);
}

/// Switches in use, by level.
std::vector<std::vector<sm::SwitchIndex>> switches_by_level(const TreeLevels& tree);

}  // namespace routing
