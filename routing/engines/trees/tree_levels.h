#pragma once
// The levels of the switches of a tree, complete or degraded.

#include <cstdint>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "routing/core/engine.h"
#include "routing/graph/up_down.h"

namespace routing {

struct TreeLevels {
  std::vector<std::uint32_t> level;  // by switch: 0 is the lowest
  UpDownOrder order;                 // by level, highest first
  /// By switch: 1 if no host is attached to it, and one of the switches below it has as many hosts
  /// below itself: no path needs to go up there. Leaves without hosts meet that too, so the level
  /// of an idle switch is not reliable.
  std::vector<std::uint8_t> idle;
  std::uint32_t height = 0;  // number of levels with switches in use; 0: there are none
  /// Empty, or a message with the first two connected switches with hosts that have no legal path
  /// to each other.
  std::string cut;
};

struct TreeHints {
  std::vector<fabric::SwitchIndex> roots =
      {};  // level counting starts here; a component without any gets one
  std::vector<fabric::SwitchIndex> leaves = {};  // else here, if there are any
  bool may_be_cut = false;                       // `cut` is not a reason to refuse
};

/// Without hints, levels are counted from the switches with hosts. A switch with few hosts may be a
/// top switch with a server: it is, if hosts below it have no legal path otherwise. A fabric that
/// is not a tree by that (many links connect switches of one level, or hosts would have no legal
/// path) may be one from its roots (roots.h), or a graph without cycles.
/// Errors: refuses fabrics without hosts, what is not a tree (unless there are roots), and a tree
/// with `cut`.
tl::expected<TreeLevels, Refusal> tree_levels(const RoutingInput& input, const TreeHints& hints);

}  // namespace routing
