#include "routing/engines/trees/tree_ways.h"

#include <algorithm>
#include <tuple>

#include "routing/core/mix.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

class WayFinder {
 public:
  WayFinder(const TreeLevels& tree, const TreeColumns& columns, const CableGroups& groups,
            const TreeTargets& targets)
      : tree_(tree),
        columns_(columns),
        groups_(groups),
        targets_(targets),
        ways_(tree.height, targets.entries()),
        at_(targets.entries()),
        through_(tree.level.size(), 0),
        over_group_(groups.size(), 0),
        taken_(targets.entries(), kNoIndex),
        stray_(targets.entries(), 0) {
    for (const TreeTargets::Run& run : targets.runs)
      for (std::uint32_t i = run.begin; i < run.end; ++i) {
        at_[i] = tree.idle[run.sw] == 0 ? run.sw : kNoIndex;
        counted_.push_back(i < run.hosts_end ? 1 : 0);
        ways_.cable(0)[i] = static_cast<std::uint8_t>(targets.number[i] % 251);
      }
    for (SwitchIndex sw = 0; sw < tree.level.size(); ++sw)
      for (const CableGroup& group : groups.of(sw))
        cables_end_ = std::max(cables_end_, group.first + group.cables);
    over_cable_.assign(cables_end_, 0);
  }

  TreeWays find(WayChoice choice) {
    for (std::uint32_t level = 0; level + 1 < tree_.height; ++level) {
      std::vector<std::uint32_t> left;
      for (std::uint32_t i = 0; i < at_.size(); ++i) {
        const std::uint32_t turn = targets_.number[i] / columns_.divider[level];
        ways_.column(level + 1)[i] =
            static_cast<std::uint16_t>(turn % columns_.width_max[level + 1]);
        ways_.cable(level + 1)[i] = static_cast<std::uint8_t>(turn / columns_.width_max[level + 1] %
                                                              columns_.cables_max[level + 1]);
        if (at_[i] == kNoIndex || tree_.level[at_[i]] != level) continue;
        const std::uint32_t width = columns_.width[at_[i]];
        if (width == 0) {
          at_[i] = kNoIndex;
          continue;
        }
        if (choice == WayChoice::by_count) {
          climb(i, level, least_used(i, level, false));
        } else if (const std::size_t group = parent(at_[i], level, turn % width);
                   group != kNone && stray_[i] == 0 && !is_crowded(i, group, level)) {
          climb(i, level, group, turn / width % groups_.of(at_[i])[group].cables);
        } else {
          left.push_back(i);
        }
      }
      for (const std::uint32_t i : left) {
        climb(i, level, least_used(i, level, true));
        stray_[i] = 1;
      }
    }
    return std::move(ways_);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  bool is_parent(const CableGroup& group, std::uint32_t level) const {
    return tree_.level[group.to] == level + 1 && tree_.idle[group.to] == 0;
  }

  // The group of cables to the parent in this column.
  std::size_t parent(SwitchIndex sw, std::uint32_t level, std::uint32_t column) const {
    const auto groups = groups_.of(sw);
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (is_parent(groups[g], level) && columns_.column[groups[g].to] == column) return g;
    return kNone;
  }

  // In fabrics where numbers fit badly (gaps, uneven subtrees), they must not send everything to
  // one parent.
  bool is_crowded(std::uint32_t i, std::size_t group, std::uint32_t level) const {
    constexpr std::uint32_t kFew = 3;
    const std::size_t first = groups_.first_of(at_[i]);
    if (counted_[i] == 0 || over_group_[first + group] <= kFew) return false;
    const auto groups = groups_.of(at_[i]);
    std::uint32_t least = over_group_[first + group];
    for (std::size_t g = 0; g < groups.size(); ++g)
      if (is_parent(groups[g], level)) least = std::min(least, over_group_[first + g]);
    return over_group_[first + group] > 2 * least + kFew;
  }

  // `spread`: equals are taken at random, so that leaves that lack the same parent do not all take
  // the same other one. Else in order of the columns.
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
          spread ? (std::uint64_t{over_group_[first + g]} << 16) / groups[g].cables
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

  // Other LIDs of the same port that go there.
  unsigned siblings_over(std::uint32_t i, std::size_t group) const {
    unsigned count = 0;
    const std::uint32_t begin = i - targets_.lid_place[i];
    for (std::uint32_t other = begin; other < begin + targets_.lid_count[i]; ++other)
      count += other != i && taken_[other] == group ? 1u : 0u;
    return count;
  }

  void climb(std::uint32_t i, std::uint32_t level, std::size_t g) {
    const CableGroup& group = groups_.of(at_[i])[g];
    const auto over = over_cable_.begin() + group.first;
    climb(i, level, g,
          static_cast<std::uint32_t>(std::min_element(over, over + group.cables) - over));
  }
  void climb(std::uint32_t i, std::uint32_t level, std::size_t g, std::uint32_t cable) {
    const CableGroup& group = groups_.of(at_[i])[g];
    ways_.column(level + 1)[i] = static_cast<std::uint16_t>(columns_.column[group.to]);
    ways_.cable(level + 1)[i] = static_cast<std::uint8_t>(cable);
    taken_[i] = static_cast<std::uint32_t>(groups_.first_of(at_[i]) + g);
    if (counted_[i] != 0) {
      ++over_group_[taken_[i]];
      ++over_cable_[group.first + cable];
      ++through_[group.to];
    }
    at_[i] = group.to;
  }

  const TreeLevels& tree_;
  const TreeColumns& columns_;
  const CableGroups& groups_;
  const TreeTargets& targets_;
  TreeWays ways_;
  std::vector<SwitchIndex> at_;         // per entry: how far its way has climbed; kNoIndex: it ends
  std::vector<std::uint8_t> counted_;   // per entry
  std::vector<std::uint32_t> through_;  // per switch: ways from below
  std::vector<std::uint32_t> over_group_;  // per group of cables
  std::vector<std::uint32_t> over_cable_;  // per port of the groups
  std::vector<std::uint32_t> taken_;       // per entry: its last group
  std::vector<std::uint8_t> stray_;        // per entry: 1 once its number did not fit
  std::uint32_t cables_end_ = 0;
};

}  // namespace

TreeWays tree_ways(const TreeLevels& tree, const TreeColumns& columns, const CableGroups& groups,
                   const TreeTargets& targets, WayChoice choice) {
  return WayFinder(tree, columns, groups, targets).find(choice);
}

}  // namespace routing
