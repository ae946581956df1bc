#include "routing/trees/tree_columns.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace routing {

LinkGroups::LinkGroups(const fabric::SwitchGraph& graph, std::span<const std::uint32_t> index) {
  std::vector<fabric::ChannelIndex> channels;
  ports_.reserve(graph.port.size());
  for (const fabric::SwitchIndex sw : graph.all_switches()) {
    offsets_.push_back(static_cast<std::uint32_t>(groups_.size()));
    channels.clear();
    for (const fabric::ChannelIndex channel : graph.channels(sw)) channels.push_back(channel);
    std::ranges::sort(channels, {}, [&](fabric::ChannelIndex channel) {
      return std::pair(index[graph.neighbour[channel]], channel);
    });
    for (const fabric::ChannelIndex channel : channels) {
      if (groups_.size() == offsets_.back() || groups_.back().to != graph.neighbour[channel])
        groups_.push_back(
            {graph.neighbour[channel], channel, static_cast<std::uint32_t>(ports_.size()), 0});
      ++groups_.back().links;
      ports_.push_back(graph.port[channel].value);
    }
  }
  offsets_.push_back(static_cast<std::uint32_t>(groups_.size()));
}

using fabric::SwitchIndex;

namespace {

// Bounds dividers, like numbers of hosts.
constexpr std::uint32_t kDividerMax = 1u << 20;

}  // namespace

std::vector<std::vector<SwitchIndex>> switches_by_level(const TreeLevels& tree) {
  std::vector<std::vector<SwitchIndex>> out(tree.height);
  for (SwitchIndex sw{0}; sw < tree.level.size(); ++sw)
    if (tree.idle[sw] == 0) out[tree.level[sw]].push_back(sw);
  return out;
}

namespace {

class ColumnFinder {
 public:
  ColumnFinder(const TreeLevels& tree, const LinkGroups& groups,
               const std::vector<std::uint64_t>& guid)
      : tree_(tree),
        groups_(groups),
        guid_(guid),
        by_level_(switches_by_level(tree)),
        parts_(guid),
        part_(tree.level.size()),
        out_{std::vector<std::uint32_t>(tree.level.size(), 0),
             std::vector<std::uint32_t>(tree.level.size(), 0),
             std::vector<std::uint32_t>(tree.level.size(), 1),
             std::vector<std::uint32_t>(tree.height, 1),
             std::vector<std::uint32_t>(tree.height, 1)} {}

  TreeColumns find() && {
    for (std::uint32_t level = tree_.height; level-- > 0;) {
      if (level + 1 < tree_.height) number(level);
      for (const SwitchIndex sw : by_level_[level]) part_[sw] = parts_.key(sw);
    }
    for (std::uint32_t level = 0; level + 1 < tree_.height; ++level)
      for_each_pair(tree_, groups_, level, by_level_[level],
                    [&](SwitchIndex lower, SwitchIndex upper) {
                      out_.divider[upper] =
                          std::max(out_.divider[upper],
                                   std::min(kDividerMax, out_.divider[lower] * out_.width[lower]));
                    });
    return std::move(out_);
  }

 private:
  // A subtree with fewer than three quarters of the columns of its level has columns of its own.
  static constexpr std::size_t kFewOf4 = 3;

  // Gives columns to the switches above `level`, and widths to those at it.
  void number(std::uint32_t level) {
    Clusters subtrees(guid_);
    for_each_pair(tree_, groups_, level, by_level_[level],
                  [&](SwitchIndex lower, SwitchIndex upper) {
                    parts_.join(lower, upper);
                    subtrees.join(lower, upper);
                  });
    struct Key {
      std::uint64_t whole, part, subtree,
          guid;  // `whole`: the component including the lower level
      SwitchIndex sw;
      auto operator<=>(const Key&) const = default;
    };
    std::vector<Key> keys;
    for (const SwitchIndex sw : by_level_[level + 1])
      keys.push_back({parts_.key(sw), part_[sw], subtrees.key(sw), guid_[sw], sw});
    std::ranges::sort(keys);
    std::map<std::uint64_t, std::uint32_t> width_of;            // by `whole`
    std::map<std::uint64_t, std::vector<SwitchIndex>> members;  // by subtree, by column
    std::uint32_t first = 0, next = 0, last = 0;  // columns: the first of the part; the next of the
                                                  // subtree; one after the last of the part
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const bool new_whole = i == 0 || keys[i].whole != keys[i - 1].whole;
      const bool new_part = new_whole || keys[i].part != keys[i - 1].part;
      if (new_part) first = new_whole ? 0 : last;
      if (new_part) last = first;
      if (new_part || keys[i].subtree != keys[i - 1].subtree) next = first;
      out_.column[keys[i].sw] = next++;
      last = std::max(last, next);
      width_of[keys[i].whole] = last;
      members[keys[i].subtree].push_back(keys[i].sw);
    }
    std::map<std::uint64_t, std::uint32_t> own_width;  // by subtree
    for (const auto& [subtree, some] : members) {
      const std::uint32_t width = width_of[parts_.key(some.front())];
      const bool is_narrow = some.size() * 4 < width * kFewOf4;
      own_width[subtree] = is_narrow ? static_cast<std::uint32_t>(some.size()) : width;
      for (std::uint32_t column = 0; is_narrow && column < some.size(); ++column)
        out_.column[some[column]] = column;
      out_.width_max[level + 1] = std::max(out_.width_max[level + 1], own_width[subtree]);
    }
    for (const SwitchIndex sw : by_level_[level])
      for (const LinkGroup& group : groups_.of(sw)) {
        if (tree_.level[group.to] != level + 1) continue;
        out_.links_max[level + 1] = std::max(out_.links_max[level + 1], group.links);
        if (tree_.idle[group.to] == 0) out_.width[sw] = own_width[subtrees.key(sw)];
      }
  }

  const TreeLevels& tree_;
  const LinkGroups& groups_;
  const std::vector<std::uint64_t>& guid_;
  const std::vector<std::vector<SwitchIndex>> by_level_;
  Clusters parts_;                   // of the levels so far
  std::vector<std::uint64_t> part_;  // by switch: its component among its own level and those above
  TreeColumns out_;
};

}  // namespace

TreeColumns tree_columns(const TreeLevels& tree, const LinkGroups& groups,
                         const std::vector<std::uint64_t>& guid) {
  return ColumnFinder(tree, groups, guid).find();
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
