#include "routing/trees/tree_paths.h"

#include <algorithm>
#include <tuple>

#include "routing/core/mix.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

class PathFinder {
 public:
  PathFinder(const TreeLevels& tree, const TreeColumns& columns, const LinkGroups& groups,
             const TreeTargets& targets)
      : tree_(tree),
        columns_(columns),
        groups_(groups),
        targets_(targets),
        paths_(tree.height, targets.entries()),
        at_(targets.entries()),
        through_(tree.level.size(), 0),
        over_group_(groups.size(), 0),
        taken_(targets.entries(), kNoGroup),
        off_number_(targets.entries(), 0) {
    for (const TreeTargets::Run& run : targets.runs)
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        at_[i] = tree.idle[run.sw] == 0 ? run.sw : kNoIndex;
        counted_.push_back(i < run.hosts_end ? 1 : 0);
        paths_.link(0)[i] = static_cast<std::uint8_t>(targets.number[i] % 251);
      }
    for (SwitchIndex sw{0}; sw < tree.level.size(); ++sw)
      for (const LinkGroup& group : groups.of(sw))
        links_end_ = std::max(links_end_, group.first + group.links);
    over_link_.assign(links_end_, 0);
  }

  TreePaths find(PathChoice choice, const TreePaths* kept) {
    for (std::uint32_t level = 0; level + 1 < tree_.height; ++level) {
      std::vector<std::uint32_t> left;
      for (std::uint32_t i = 0; i < at_.size(); ++i) {
        const std::uint32_t width_max = columns_.width_max[level + 1];
        paths_.column(level + 1)[i] = static_cast<std::uint16_t>(targets_.number[i] % width_max);
        paths_.link(level + 1)[i] = static_cast<std::uint8_t>(targets_.number[i] / width_max %
                                                              columns_.links_max[level + 1]);
        if (at_[i] == kNoIndex || tree_.level[at_[i]] != level) continue;
        const std::uint32_t width = columns_.width[at_[i]];
        if (width == 0) {
          at_[i] = kNoIndex;
          continue;
        }
        const std::uint32_t turn = targets_.number[i] / columns_.divider[at_[i]];
        if (kept != nullptr) {
          const std::size_t group = group_to(at_[i], level, kept->via(level + 1)[i]);
          if (group == kNone)
            left.push_back(i);
          else if (kept->link(level + 1)[i] < groups_.of(at_[i])[group].links)
            climb(i, level, group, kept->link(level + 1)[i]);
          else
            climb(i, level, group);
        } else if (choice == PathChoice::by_count) {
          climb(i, level, least_used(i, level, false));
        } else if (const std::size_t group = parent(at_[i], level, turn % width);
                   group != kNone && off_number_[i] == 0 && !is_overloaded(i, group, level)) {
          climb(i, level, group, turn / width % groups_.of(at_[i])[group].links);
        } else {
          left.push_back(i);
        }
      }
      for (const std::uint32_t i : left) {
        climb(i, level, least_used(i, level, choice == PathChoice::by_number));
        off_number_[i] = 1;
      }
    }
    return std::move(paths_);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  static constexpr std::uint32_t kNoGroup = 0xFFFFFFFFu;

  bool is_parent(const LinkGroup& group, std::uint32_t level) const {
    return tree_.level[group.to] == level + 1 && tree_.idle[group.to] == 0;
  }

  // Returns the group of links to the parent in this column.
  std::size_t parent(SwitchIndex sw, std::uint32_t level, std::uint32_t column) const {
    const auto groups = groups_.of(sw);
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (is_parent(groups[g], level) && columns_.column[groups[g].to] == column) return g;
    return kNone;
  }

  // Returns the group of links to this parent.
  std::size_t group_to(SwitchIndex sw, std::uint32_t level, SwitchIndex to) const {
    const auto groups = groups_.of(sw);
    for (std::size_t g = 0; g < groups.size() && to != kNoIndex; ++g)
      if (groups[g].to == to && is_parent(groups[g], level)) return g;
    return kNone;
  }

  // True if the group has far more destinations than the least used parent. This happens where
  // numbers do not match the tree (gaps, uneven subtrees).
  bool is_overloaded(std::uint32_t i, std::size_t group, std::uint32_t level) const {
    constexpr std::uint32_t kFew = 3;
    const std::size_t first = groups_.first_of(at_[i]);
    if (counted_[i] == 0 || over_group_[first + group] <= kFew) return false;
    const auto groups = groups_.of(at_[i]);
    std::uint32_t least = over_group_[first + group];
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (is_parent(groups[g], level)) least = std::min(least, over_group_[first + g]);
    return over_group_[first + group] > 2 * least + kFew;
  }

  // Returns the least used group of links to a parent. With `spread`, equally used groups are
  // chosen at random, so that leaves without the same parent do not all take the same other parent;
  // otherwise in the order of the columns.
  std::size_t least_used(std::uint32_t i, std::uint32_t level, bool spread) const {
    const SwitchIndex sw = at_[i];
    const auto groups = groups_.of(sw);
    const std::size_t first = groups_.first_of(sw);
    using Cost = std::tuple<unsigned, std::uint64_t, std::uint32_t, std::uint64_t>;
    Cost best_cost{};
    std::size_t best = kNone;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!is_parent(groups[g], level)) continue;
      const std::uint64_t used =
          spread ? (std::uint64_t{over_group_[first + g]} << 16) / groups[g].links
                 : over_group_[first + g];
      const std::uint64_t tie =
          spread ? mix(std::uint64_t{targets_.number[i]} << 32 | columns_.column[groups[g].to])
                 : columns_.column[groups[g].to];
      const Cost cost{siblings_over(i, first + g), used, through_[groups[g].to], tie};
      if (best != kNone && best_cost <= cost) continue;
      best = g;
      best_cost = cost;
    }
    return best;
  }

  // Counts other LIDs of the same port that use the group.
  unsigned siblings_over(std::uint32_t i, std::size_t group) const {
    unsigned count = 0;
    const std::uint32_t begin = i - targets_.lid_index[i];
    for (std::uint32_t other = begin; other < begin + targets_.lid_count[i]; ++other)
      count += other != i && taken_[other] == group ? 1u : 0u;
    return count;
  }

  void climb(std::uint32_t i, std::uint32_t level, std::size_t g) {
    const LinkGroup& group = groups_.of(at_[i])[g];
    const auto over = over_link_.begin() + group.first;
    climb(i, level, g,
          static_cast<std::uint32_t>(std::min_element(over, over + group.links) - over));
  }
  void climb(std::uint32_t i, std::uint32_t level, std::size_t g, std::uint32_t link) {
    const LinkGroup& group = groups_.of(at_[i])[g];
    paths_.column(level + 1)[i] = static_cast<std::uint16_t>(columns_.column[group.to]);
    paths_.link(level + 1)[i] = static_cast<std::uint8_t>(link);
    paths_.via(level + 1)[i] = group.to;
    taken_[i] = static_cast<std::uint32_t>(groups_.first_of(at_[i]) + g);
    if (counted_[i] != 0) {
      ++over_group_[taken_[i]];
      ++over_link_[group.first + link];
      ++through_[group.to];
    }
    at_[i] = group.to;
  }

  const TreeLevels& tree_;
  const TreeColumns& columns_;
  const LinkGroups& groups_;
  const TreeTargets& targets_;
  TreePaths paths_;
  std::vector<SwitchIndex>
      at_;  // by entry: the switch that its path has reached; kNoIndex: the path is complete
  std::vector<std::uint8_t> counted_;      // by entry
  std::vector<std::uint32_t> through_;     // by switch: paths from below
  std::vector<std::uint32_t> over_group_;  // by group of links
  std::vector<std::uint32_t> over_link_;   // by port of the groups
  std::vector<std::uint32_t> taken_;       // by entry: its last group, or kNoGroup
  std::vector<std::uint8_t> off_number_;   // by entry: 1 if its number did not name a parent
  std::uint32_t links_end_ = 0;
};

}  // namespace

TreePaths tree_paths(const TreeLevels& tree, const TreeColumns& columns, const LinkGroups& groups,
                     const TreeTargets& targets, PathChoice choice, const TreePaths* kept) {
  return PathFinder(tree, columns, groups, targets).find(choice, kept);
}

}  // namespace routing
