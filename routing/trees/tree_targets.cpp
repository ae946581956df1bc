#include "routing/trees/tree_targets.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

#include "routing/graph/roots.h"

namespace routing {

using fabric::SwitchIndex;

std::vector<SwitchIndex> switches_along_tree(const RoutingInput& input, const TreeLevels& tree,
                                             const LinkGroups& groups) {
  const std::size_t switches = input.graph.switches();
  std::vector<std::uint32_t> own_lid(switches, 0x10000);
  for (const Target& target : targets(input))
    if (target.is_switch()) own_lid[target.end->sw] = target.lids.base.value;
  std::vector<SwitchIndex> sorted(switches);
  std::iota(sorted.begin(), sorted.end(), SwitchIndex{0});
  std::ranges::sort(sorted, {}, [&](SwitchIndex sw) {
    return std::tuple(tree.level[sw], own_lid[sw],
                      input.fabric.nodes[input.fabric.switches[sw].node].guid);
  });
  std::vector<std::uint64_t> index(switches);
  for (std::size_t i = 0; i < switches; ++i) index[sorted[i]] = i;
  Clusters subtrees(index);
  const auto by_level = switches_by_level(tree);
  const auto leaves_end =
      std::ranges::find_if(sorted, [&](SwitchIndex sw) { return tree.level[sw] > 0; });
  for (std::uint32_t level = 0; level + 1 < tree.height; ++level) {
    for_each_pair(tree, groups, level, by_level[level],
                  [&](SwitchIndex lower, SwitchIndex upper) { subtrees.join(lower, upper); });
    std::ranges::sort(sorted.begin(), leaves_end, {},
                      [&](SwitchIndex sw) { return std::pair(subtrees.key(sw), index[sw]); });
    for (std::size_t i = 0; i < switches; ++i) index[sorted[i]] = i;
  }
  return sorted;
}

std::vector<OrderedHost> hosts_along_tree(const RoutingInput& input) {
  std::vector<OrderedHost> out;
  for (const Target& target : targets(input))
    if (target.is_host())
      out.push_back({target.lids.base, target.end->sw, target.end->out, target.end->port});
  const auto tree = tree_levels(input, {.roots = named_roots(input).roots, .leaf_hosts = {}});
  if (!tree) {
    std::ranges::sort(out, {}, &OrderedHost::lid);
    return out;
  }
  const LinkGroups groups(input.graph, tree->order);
  const std::vector<SwitchIndex> along = switches_along_tree(input, *tree, groups);
  std::vector<std::size_t> place(along.size());
  for (std::size_t i = 0; i < along.size(); ++i) place[along[i]] = i;
  std::ranges::sort(out, {},
                    [&](const OrderedHost& host) { return std::pair(place[host.sw], host.out); });
  return out;
}

namespace {

/// Makes TreeTargets, one switch after another.
class Numbering {
 public:
  Numbering(const RoutingInput& input, const std::function<bool(const Target&)>& first)
      : all_(targets(input)), done_(input.graph.switches(), std::array<bool, 4>{}) {
    for (auto& kind : of_) kind.resize(input.graph.switches());
    for (const Target& target : all_)
      of_[target.is_switch() ? kSwitch
          : first(target)    ? kFirst
          : target.is_host() ? kOther
                             : kInside][target.end->sw]
          .push_back(&target);
  }

  bool has_first(SwitchIndex sw) const { return !of_[kFirst][sw].empty(); }

  /// Adds the hosts of a leaf, and the leaf.
  void add_leaf(SwitchIndex sw) {
    add_run(sw, kFirst);
    for (const Target* const host : of_[kFirst][sw]) leaves_.push_back(host->guid);
    leaf_ends_.push_back(leaves_.size());
  }

  TreeTargets finish(const std::vector<SwitchIndex>& along) && {
    fill_order();
    for (const Kind kind : {kFirst, kOther, kInside, kSwitch})
      for (const SwitchIndex sw : along) {
        if (of_[kind][sw].empty() || done_[sw][kind]) continue;
        if (kind == kFirst)
          for (const Target* const host : of_[kind][sw]) out_.order.push_back(host->guid);
        add_run(sw, kind);
      }
    return std::move(out_);
  }

 private:
  enum Kind : std::uint8_t { kFirst, kOther, kInside, kSwitch };

  // A switch has its number after those of the hosts of its first run.
  void add_run(SwitchIndex sw, Kind kind) {
    TreeTargets::Run run{sw, static_cast<std::uint32_t>(out_.entries()), 0, 0, true};
    if (kind != kSwitch)
      for (const Target* const host : of_[kind][sw]) add(*host, next_++);
    run.hosts_end = static_cast<std::uint32_t>(out_.entries());
    for (std::uint32_t i = run.begin + 1; i < run.hosts_end; ++i)
      run.consecutive &= out_.lid[i - 1] + 1 == out_.lid[i];
    if (!done_[sw][kSwitch])
      for (const Target* const itself : of_[kSwitch][sw]) add(*itself, next_switch_++);
    done_[sw][kind] = done_[sw][kSwitch] = true;
    run.end = static_cast<std::uint32_t>(out_.entries());
    out_.runs.push_back(run);
  }

  void add(const Target& target, std::uint32_t number) {
    for (unsigned i = 0; i < target.lids.count(); ++i) {
      out_.lid.push_back(static_cast<std::uint16_t>(target.lids.base.value + i));
      out_.number.push_back(number + i);
      out_.out.push_back(target.end->out.value);
      out_.lid_index.push_back(static_cast<std::uint8_t>(i));
      out_.lid_count.push_back(static_cast<std::uint8_t>(target.lids.count()));
    }
  }

  // Pads each leaf to the fullest one.
  void fill_order() {
    std::size_t most = 0, begin = 0;
    for (const std::size_t end : leaf_ends_) {
      most = std::max(most, end - begin);
      begin = end;
    }
    begin = 0;
    for (const std::size_t end : leaf_ends_) {
      out_.order.insert(out_.order.end(), leaves_.begin() + static_cast<std::ptrdiff_t>(begin),
                        leaves_.begin() + static_cast<std::ptrdiff_t>(end));
      out_.order.resize(out_.order.size() + most - (end - begin));
      begin = end;
    }
  }

  const std::vector<Target> all_;
  std::array<std::vector<std::vector<const Target*>>, 4> of_;  // [kind][switch]
  std::vector<std::array<bool, 4>> done_;
  std::vector<mad::Guid> leaves_;       // hosts of `first` on leaves
  std::vector<std::size_t> leaf_ends_;  // indices into leaves_
  std::uint32_t next_ = 0, next_switch_ = 0;
  TreeTargets out_;
};

}  // namespace

TreeTargets tree_targets(const RoutingInput& input, const TreeLevels& tree,
                         const LinkGroups& groups,
                         const std::function<bool(const Target&)>& first) {
  const std::vector<SwitchIndex> along = switches_along_tree(input, tree, groups);
  Numbering numbering(input, first);
  for (const SwitchIndex sw : along)
    if (tree.level[sw] == 0 && numbering.has_first(sw)) numbering.add_leaf(sw);
  return std::move(numbering).finish(along);
}

}  // namespace routing
