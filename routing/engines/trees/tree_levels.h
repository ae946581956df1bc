#pragma once
// Which switches of a tree, whole or damaged, stand above which.

#include <cstdint>
#include <string>
#include <vector>

#include "routing/core/engine.h"
#include "routing/core/note_list.h"
#include "routing/graph/up_down.h"

namespace routing {

struct TreeLevels {
  std::vector<std::uint32_t> level;  // per switch: 0 is lowest
  UpDownOrder order;                 // by level, highest first
  /// Per switch: 1 if no host hangs on it, and one of the switches below it sees as many hosts
  /// below itself: nothing needs to climb there. Leaves whose hosts are away are like that too, so
  /// its level says little.
  std::vector<std::uint8_t> idle;
  std::uint32_t height = 0;  // levels that there are, without idle switches; 0: no switch is in use
  /// Empty, or the first two switches with hosts that cables join, but no way that climbs first and
  /// then descends; in an operator's words.
  std::string cut;
};

struct TreeHints {
  std::vector<sm::SwitchIndex> roots =
      {};  // levels are counted from these; a piece of the fabric without any gets one
  std::vector<sm::SwitchIndex> leaves = {};  // else from these, if there are any
  bool may_be_cut = false;                   // what is cut is not refused
};

/// Without hints, levels are counted from the switches that carry the hosts; a switch with few
/// hosts may be one at the top with a server on it: it is, if switches meet there that would not
/// meet below. A fabric that is no tree by that, because many cables join switches of one level or
/// because hosts would be cut off, may be one from its roots (roots.h), or a tree in the strict
/// sense, without any circle. Refuses fabrics without hosts, what is no tree (unless there are
/// roots), and what is cut.
tl::expected<TreeLevels, Refusal> tree_levels(const RoutingInput& input, const TreeHints& hints);

}  // namespace routing
