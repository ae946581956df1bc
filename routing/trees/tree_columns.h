#pragma once
// Computes columns: numbers of the parents of a switch that mean the same parents in all subtrees.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/trees/tree_levels.h"

namespace routing {

/// The usable links from one switch to another.
struct LinkGroup {
  fabric::SwitchIndex to;
  fabric::ChannelIndex channel;  // the first of its channels in the graph
  std::uint32_t first;           // index into LinkGroups::ports
  std::uint32_t links;
};

/// All groups of all switches. The groups of one switch are in the order of `position` of the
/// neighbour (any numbers, all different), the ports of a group in ascending order.
class LinkGroups {
 public:
  LinkGroups(const fabric::SwitchGraph& graph, std::span<const std::uint32_t> position);

  std::size_t first_of(fabric::SwitchIndex sw) const { return offsets_[sw]; }
  std::span<const LinkGroup> of(fabric::SwitchIndex sw) const {
    return {groups_.data() + offsets_[sw], offsets_[sw + 1] - offsets_[sw]};
  }
  std::span<const std::uint8_t> ports(const LinkGroup& group) const {
    return {ports_.data() + group.first, group.links};
  }
  std::size_t size() const { return groups_.size(); }

 private:
  std::vector<std::uint32_t> offsets_;
  std::vector<LinkGroup> groups_;
  std::vector<std::uint8_t> ports_;
};

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
