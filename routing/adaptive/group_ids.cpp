#include "routing/adaptive/group_ids.h"

#include <algorithm>
#include <numeric>

namespace routing {

using fabric::GroupId;

namespace {

constexpr GroupId kHighestGroup = 4095;

/// Holds the groups that can be assigned, lowest first: first those that no switch has, then those
/// of switches that have left.
class FreeGroups {
 public:
  FreeGroups(GroupIds& ids, std::span<const mad::Guid> sorted_leaves, GroupId limit)
      : ids_(ids), limit_(limit), owners_(limit + std::size_t{1}) {
    for (const auto& [guid, group] : ids)
      if (group >= 1 && group <= limit)
        owners_[group] =
            std::ranges::binary_search(sorted_leaves, guid) ? Owner::leaf : Owner::gone;
  }

  /// Returns 0 if no group is left.
  GroupId take(mad::Guid leaf) {
    while (next_ <= limit_ && owners_[next_] != Owner::none) ++next_;
    GroupId group = next_ <= limit_ ? static_cast<GroupId>(next_) : GroupId{0};
    if (group == 0) {
      const auto gone = std::ranges::find(owners_, Owner::gone);
      if (gone == owners_.end()) return 0;
      group = static_cast<GroupId>(gone - owners_.begin());
      std::erase_if(ids_, [&](const auto& entry) { return entry.second == group; });
    }
    owners_[group] = Owner::leaf;
    ids_[leaf] = group;
    return group;
  }

 private:
  enum class Owner : std::uint8_t { none, leaf, gone };
  GroupIds& ids_;
  std::size_t limit_, next_ = 1;
  std::vector<Owner> owners_;
};

}  // namespace

AssignedGroups assign_groups(std::span<const mad::Guid> leaves,
                             const std::shared_ptr<const GroupIds>& known, GroupId limit,
                             std::span<const mad::Guid> neighbours) {
  limit = std::min(limit, kHighestGroup);
  AssignedGroups out;
  out.of_leaf.assign(leaves.size(), 0);
  std::vector<std::size_t> order(leaves.size()), open;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t leaf) { return leaves[leaf]; });
  std::vector<bool> taken(limit + std::size_t{1});
  for (const std::size_t leaf : order) {
    const auto found = known == nullptr ? GroupIds::const_iterator{} : known->find(leaves[leaf]);
    const GroupId group = known == nullptr || found == known->end() ? GroupId{0} : found->second;
    if (group == 0 || group > limit || taken[group]) {
      open.push_back(leaf);
      continue;
    }
    taken[group] = true;
    out.of_leaf[leaf] = group;
  }
  if (open.empty()) {
    out.ids = known == nullptr ? std::make_shared<const GroupIds>() : known;
    return out;
  }
  auto ids = known == nullptr ? std::make_shared<GroupIds>() : std::make_shared<GroupIds>(*known);
  for (const std::size_t leaf : open) ids->erase(leaves[leaf]);
  std::vector<mad::Guid> sorted;
  sorted.reserve(order.size());
  for (const std::size_t leaf : order) sorted.push_back(leaves[leaf]);
  if (!neighbours.empty())
    std::ranges::sort(open, {},
                      [&](std::size_t leaf) { return std::pair(neighbours[leaf], leaves[leaf]); });
  FreeGroups free(*ids, sorted, limit);
  for (const std::size_t leaf : open) {
    out.of_leaf[leaf] = free.take(leaves[leaf]);
    if (out.of_leaf[leaf] == 0) ++out.without;
  }
  out.ids = std::move(ids);
  return out;
}

}  // namespace routing
