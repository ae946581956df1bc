#include "routing/engines/trees/tree_columns.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace routing {

using fabric::SwitchIndex;

namespace {

// Bounds dividers, like numbers of hosts.
constexpr std::uint32_t kDividerMax = 1u << 20;

}  // namespace

Clusters::Clusters(const std::vector<std::uint64_t>& key) : parent_(key.size()), key_(key) {
  std::iota(parent_.begin(), parent_.end(), SwitchIndex{0});
}

SwitchIndex Clusters::find(SwitchIndex sw) {
  while (parent_[sw] != sw) sw = parent_[sw] = parent_[parent_[sw]];
  return sw;
}

void Clusters::join(SwitchIndex a, SwitchIndex b) {
  a = find(a);
  b = find(b);
  if (key_[b] < key_[a]) std::swap(a, b);
  parent_[b] = a;
}

std::vector<std::vector<SwitchIndex>> switches_by_level(const TreeLevels& tree) {
  std::vector<std::vector<SwitchIndex>> out(tree.height);
  for (SwitchIndex sw{0}; sw < tree.level.size(); ++sw)
    if (tree.idle[sw] == 0) out[tree.level[sw]].push_back(sw);
  return out;
}

TreeColumns tree_columns(const TreeLevels& tree, const LinkGroups& groups,
                         const std::vector<std::uint64_t>& guid) {
  const std::size_t switches = tree.level.size();
  TreeColumns out{std::vector<std::uint32_t>(switches, 0), std::vector<std::uint32_t>(switches, 0),
                  std::vector<std::uint32_t>(tree.height, 1),
                  std::vector<std::uint32_t>(tree.height, 1),
                  std::vector<std::uint32_t>(tree.height, 1)};
  const auto by_level = switches_by_level(tree);
  // `part` becomes the component of a switch among its own level and the levels above.
  Clusters parts(guid);
  std::vector<std::uint64_t> part(switches);
  for (std::uint32_t level = tree.height; level-- > 0;) {
    if (level + 1 < tree.height) {
      Clusters subtrees(guid);
      std::vector<std::uint32_t> parents(switches, 0);
      for_each_pair(tree, groups, level, by_level[level],
                    [&](SwitchIndex lower, SwitchIndex upper) {
                      parts.join(lower, upper);
                      subtrees.join(lower, upper);
                      ++parents[lower];
                    });
      struct Key {
        std::uint64_t whole, part, subtree,
            guid;  // `whole`: the component including the lower level
        SwitchIndex sw;
        auto operator<=>(const Key&) const = default;
      };
      std::vector<Key> keys;
      for (const SwitchIndex sw : by_level[level + 1])
        keys.push_back({parts.key(sw), part[sw], subtrees.key(sw), guid[sw], sw});
      std::ranges::sort(keys);
      std::map<std::uint64_t, std::uint32_t> width_of;  // by `whole`
      std::uint32_t first = 0, next = 0, last = 0;  // columns: the first of the part; the next of
                                                    // the subtree; one after the last of the part
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool new_whole = i == 0 || keys[i].whole != keys[i - 1].whole;
        const bool new_part = new_whole || keys[i].part != keys[i - 1].part;
        if (new_part) first = new_whole ? 0 : last;
        if (new_part) last = first;
        if (new_part || keys[i].subtree != keys[i - 1].subtree) next = first;
        out.column[keys[i].sw] = next++;
        last = std::max(last, next);
        width_of[keys[i].whole] = last;
        out.width_max[level + 1] = std::max(out.width_max[level + 1], last);
      }
      std::uint32_t parents_max = 1;
      for (const SwitchIndex sw : by_level[level]) {
        if (parents[sw] > 0) out.width[sw] = width_of[parts.key(sw)];
        parents_max = std::max(parents_max, parents[sw]);
      }
      out.divider[level + 1] = parents_max;
      for (const SwitchIndex sw : by_level[level])
        for (const LinkGroup& group : groups.of(sw))
          if (tree.level[group.to] == level + 1)
            out.links_max[level + 1] = std::max(out.links_max[level + 1], group.links);
    }
    for (const SwitchIndex sw : by_level[level]) part[sw] = parts.key(sw);
  }
  for (std::uint32_t level = 1; level < tree.height; ++level)
    out.divider[level] = std::min(kDividerMax, out.divider[level] * out.divider[level - 1]);
  return out;
}

namespace {

std::vector<std::uint64_t> guids_of(const fabric::Fabric& fabric) {
  std::vector<std::uint64_t> out;
  out.reserve(fabric.switches.size());
  for (const fabric::Switch& sw : fabric.switches) out.push_back(fabric.nodes[sw.node].guid.value);
  return out;
}

}  // namespace

TreePlan::TreePlan(const RoutingInput& of, TreeLevels tree)
    : input(of),
      levels(std::move(tree)),
      groups(of.graph, levels.order),
      columns(tree_columns(levels, groups, guids_of(of.fabric))) {}

}  // namespace routing
