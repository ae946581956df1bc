#pragma once
// The way down that each destination of a tree is meant to have: all switches send there, as far as
// their cables allow.

#include <cstdint>
#include <vector>

#include "routing/engines/trees/tree_columns.h"
#include "routing/engines/trees/tree_targets.h"

namespace routing {

/// Per level (from 1) and entry of TreeTargets: which switch of that level the way leads through,
/// as a column, and over which of its parallel cables. At level 0 `cable` is just a number, for
/// cables between leaves; it is to be taken modulo what is there.
class TreeWays {
 public:
  TreeWays(std::size_t levels, std::size_t entries)
      : entries_(entries), column_(levels * entries, 0), cable_(levels * entries, 0) {}
  std::uint16_t* column(std::uint32_t level) { return column_.data() + level * entries_; }
  const std::uint16_t* column(std::uint32_t level) const {
    return column_.data() + level * entries_;
  }
  std::uint8_t* cable(std::uint32_t level) { return cable_.data() + level * entries_; }
  const std::uint8_t* cable(std::uint32_t level) const { return cable_.data() + level * entries_; }

 private:
  std::size_t entries_;
  std::vector<std::uint16_t> column_;
  std::vector<std::uint8_t> cable_;
};

enum class WayChoice : std::uint8_t {
  /// D-mod-k: the number of a destination, divided by the ways up to a level, is the column there.
  /// Where there is no such parent, the one with the fewest
  /// destinations.
  by_number,
  /// Zahavi: one destination after the other takes the parent, and of its cables the one, that the
  /// fewest before it took.
  by_count,
};

TreeWays tree_ways(const TreeLevels& tree, const TreeColumns& columns, const CableGroups& groups,
                   const TreeTargets& targets, WayChoice choice);

}  // namespace routing
