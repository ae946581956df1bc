#pragma once
// Chooses the downward path for each destination of a tree. All switches use it, as far as their
// links allow.

#include <cstdint>
#include <vector>

#include "routing/trees/tree_columns.h"
#include "routing/trees/tree_targets.h"

namespace routing {

/// Holds, by level (from 1) and entry of TreeTargets, the column of the switch of that level on the
/// path, and which of its parallel links the path takes. At level 0, `link` is a number for links
/// between leaves; take it modulo their count.
class TreePaths {
 public:
  TreePaths(std::size_t levels, std::size_t entries)
      : entries_(entries),
        column_(levels * entries, 0),
        link_(levels * entries, 0),
        via_(levels * entries, fabric::kNoIndex) {}
  std::size_t levels() const { return entries_ == 0 ? 0 : via_.size() / entries_; }
  std::size_t entries() const { return entries_; }
  /// Returns the switch on the path, by entry; kNoIndex if the path does not go up that far.
  fabric::SwitchIndex* via(std::uint32_t level) { return via_.data() + level * entries_; }
  const fabric::SwitchIndex* via(std::uint32_t level) const {
    return via_.data() + level * entries_;
  }
  std::uint16_t* column(std::uint32_t level) { return column_.data() + level * entries_; }
  const std::uint16_t* column(std::uint32_t level) const {
    return column_.data() + level * entries_;
  }
  std::uint8_t* link(std::uint32_t level) { return link_.data() + level * entries_; }
  const std::uint8_t* link(std::uint32_t level) const { return link_.data() + level * entries_; }

 private:
  std::size_t entries_;
  std::vector<std::uint16_t> column_;
  std::vector<std::uint8_t> link_;
  std::vector<fabric::SwitchIndex> via_;
};

enum class PathChoice : std::uint8_t {
  /// D-mod-k: the number of a destination, divided by the paths up to a level, gives the column. If
  /// there is no such parent, the parent with the fewest destinations is used.
  by_number,
  /// Zahavi: each destination in sequence takes the parent that the fewest earlier destinations
  /// took, and likewise one of its links.
  by_count,
};

/// Chooses the paths. `kept`: paths (of the same shape; only `via` and `link` are
/// read) that entries keep as far as these exist. All other paths are chosen after these. Null if
/// there are none.
TreePaths tree_paths(const TreeLevels& tree, const TreeColumns& columns, const LinkGroups& groups,
                     const TreeTargets& targets, PathChoice choice,
                     const TreePaths* kept = nullptr);

}  // namespace routing
