#pragma once
// The levels of the switches of a tree, complete or degraded.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "routing/core/engine.h"
#include "routing/graph/up_down.h"

namespace routing {

/// Returns an order with one top in each connected component: every other switch has a link to one
/// above it. From each switch, links then lead up to the top and from there down to all, so that
/// no pair lacks a path. The top is a switch with hosts; of these, one from which links lead up to
/// the most tops of `order`, then the lowest. What links lead up
/// to from it follows, nearest first; then, among switches with a link to one that is placed,
/// always the highest by `order`. On a perfect tree, all shortest paths between leaves are legal.
/// A component without hosts stays in the given order.
UpDownOrder with_one_top(const fabric::SwitchGraph& graph, const UpDownOrder& order,
                         std::span<const std::uint32_t> hosts);

/// Holds disjoint sets of switches (union-find); the lowest key of its members identifies a set.
class Clusters {
 public:
  explicit Clusters(const std::vector<std::uint64_t>& key);
  void join(fabric::SwitchIndex a, fabric::SwitchIndex b);
  std::uint64_t key(fabric::SwitchIndex sw) { return key_[find(sw)]; }

 private:
  fabric::SwitchIndex find(fabric::SwitchIndex sw);
  std::vector<fabric::SwitchIndex> parent_;
  std::vector<std::uint64_t> key_;
};

struct TreeLevels {
  std::vector<std::uint32_t> level;  // by switch: 0 is the lowest
  UpDownOrder order;                 // by level, highest first, or as in with_one_top()
  /// By switch: 1 if no host is attached to it, and one of the switches below it has as many hosts
  /// below itself: no path needs to go up there. Leaves without hosts meet that too, so the level
  /// of an idle switch is not reliable.
  std::vector<std::uint8_t> idle;
  std::uint32_t height = 0;  // number of levels with switches in use; 0: there are none
  /// Pairs of connected hosts that have no legal path: their packets turn in a leaf.
  std::uint64_t pairs_without_path = 0;
  bool has_one_top = false;  // `order` follows with_one_top()
};

struct TreeHints {
  std::vector<fabric::SwitchIndex> roots =
      {};  // level counting starts here; a component without any gets one
  std::vector<std::uint32_t> leaf_hosts = {};  // by switch: the hosts by which leaves are found;
                                               // empty: all hosts
};

/// Without hints, levels are counted from the switches with hosts; CAs inside of switches do not
/// count (SwitchGraph::EndPort). A switch with few hosts may be a top switch with a server: it is,
/// unless it has no legal path to some leaf then. A fabric that is not a tree by that (many links
/// connect switches of one level, or many hosts have no legal path) may be a better one from its
/// roots (roots.h), or a graph without cycles; the levels with the fewest pairs without a path win.
/// Errors: refuses fabrics without hosts, and what is not a tree, unless there are roots.
tl::expected<TreeLevels, Refusal> tree_levels(const RoutingInput& input, const TreeHints& hints);

}  // namespace routing
