#include "routing/engines/trees/tree_targets.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "routing/engines/trees/tree_columns.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

// Orders all switches: leaves first, leaves of one subtree adjacent; then the others. Neighbours
// are ordered by their own LIDs, which follow the topology and persist.
std::vector<SwitchIndex> along_the_tree(const RoutingInput& input, const std::vector<Target>& all,
                                        const TreeLevels& tree, const LinkGroups& groups) {
  const std::size_t switches = input.graph.switches();
  std::vector<std::uint32_t> own_lid(switches, 0x10000);
  for (const Target& target : all)
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

// Maps each port to the index of its host among the numbers of its leaf.
class PortNumbers {
 public:
  /// `ports` are by leaf, ascending.
  explicit PortNumbers(const std::vector<std::vector<std::uint8_t>>& ports) {
    std::array<std::size_t, 256> leaves{};
    std::size_t hosts = 0, covered = 0;
    for (const auto& of_leaf : ports) {
      hosts += of_leaf.size();
      count_ = std::max(count_, static_cast<std::uint32_t>(of_leaf.size()));
      for (const std::uint8_t port : of_leaf) ++leaves[port];
    }
    index_.fill(kNone);
    std::uint32_t usual = 0;
    for (std::size_t port = 0; port < leaves.size(); ++port) {
      if (leaves[port] * 2 <= ports.size()) continue;
      index_[port] = static_cast<std::uint8_t>(usual++);
      covered += leaves[port];
    }
    // Hosts are on irregular ports, so a free port does not mean a missing host.
    if (covered * 20 < hosts * 19)
      index_.fill(kNone);
    else
      count_ = std::max(count_, usual);
  }
  std::uint32_t count() const { return count_; }
  /// A leaf with hosts on other ports has no known gaps.
  std::vector<std::uint32_t> indices(const std::vector<std::uint8_t>& ports) const {
    const bool usual =
        std::ranges::all_of(ports, [&](std::uint8_t port) { return index_[port] != kNone; });
    std::vector<std::uint32_t> out;
    out.reserve(ports.size());
    for (std::uint32_t i = 0; i < ports.size(); ++i) out.push_back(usual ? index_[ports[i]] : i);
    return out;
  }

 private:
  static constexpr std::uint8_t kNone = 0xFF;
  std::array<std::uint8_t, 256> index_{};
  std::uint32_t count_ = 0;
};

mad::Guid find_guid(const RoutingInput& input, SwitchIndex sw) {
  return input.fabric.nodes[input.fabric.switches[sw].node].guid;
}

/// Returns switches by place; kNoIndex where a switch has left. Switches keep their places, and new
/// switches get the places of switches that have left. Returns nullopt if there are too few places.
std::optional<std::vector<SwitchIndex>> at_places(const RoutingInput& input,
                                                  std::span<const mad::Guid> before,
                                                  const std::vector<SwitchIndex>& switches) {
  if (switches.size() > before.size()) return std::nullopt;
  std::unordered_map<mad::Guid, SwitchIndex> unplaced;
  for (const SwitchIndex sw : switches) unplaced.emplace(find_guid(input, sw), sw);
  std::vector<SwitchIndex> at(before.size(), fabric::kNoIndex);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (const auto found = unplaced.extract(before[i])) at[i] = found.mapped();
  std::size_t next = 0;
  for (const SwitchIndex sw : switches) {
    if (!unplaced.contains(find_guid(input, sw))) continue;
    while (at[next] != fabric::kNoIndex) ++next;
    at[next] = sw;
  }
  return at;
}

/// Returns the NodeGUIDs of switches at these places; the previous one where a switch has left.
std::vector<mad::Guid> places_of(const RoutingInput& input, std::span<const mad::Guid> before,
                                 std::span<const SwitchIndex> at) {
  std::vector<mad::Guid> out;
  out.reserve(at.size());
  for (std::size_t i = 0; i < at.size(); ++i)
    out.push_back(at[i] == fabric::kNoIndex ? before[i] : find_guid(input, at[i]));
  return out;
}

}  // namespace

TreeTargets tree_targets(const RoutingInput& input, const TreeLevels& tree,
                         const LinkGroups& groups, const std::function<bool(const Target&)>& first,
                         bool keep_gaps, const TreePlaces* before) {
  const std::vector<Target> all = targets(input);
  const std::vector<SwitchIndex> along = along_the_tree(input, all, tree, groups);
  enum Kind : std::uint8_t { kFirst, kOther, kSwitch };
  std::array<std::vector<std::vector<const Target*>>, 3> of;  // [kind][switch]
  for (auto& kind : of) kind.resize(input.graph.switches());
  for (const Target& target : all)
    of[target.is_switch() ? kSwitch
       : first(target)    ? kFirst
                          : kOther][target.end->sw]
        .push_back(&target);

  const auto host_ports = [](const std::vector<const Target*>& hosts) {
    std::vector<std::uint8_t> out;
    out.reserve(hosts.size());
    for (const Target* const host : hosts) out.push_back(host->end->out.value);
    return out;
  };
  std::vector<std::vector<std::uint8_t>> ports;
  std::vector<SwitchIndex> leaves, others;
  for (const SwitchIndex sw : along) {
    const bool is_leaf = tree.level[sw] == 0 && !of[kFirst][sw].empty();
    (is_leaf ? leaves : others).push_back(sw);
    if (is_leaf) ports.push_back(host_ports(of[kFirst][sw]));
  }
  const PortNumbers numbers_per_leaf(ports);

  TreeTargets out;
  out.numbers_per_leaf = numbers_per_leaf.count();
  const auto add = [&](const Target* target, std::uint32_t number) {
    const unsigned count = target == nullptr ? 1 : target->lids.count();
    for (unsigned i = 0; i < count; ++i) {
      out.lid.push_back(target == nullptr
                            ? std::uint16_t{0}
                            : static_cast<std::uint16_t>(target->lids.base.value + i));
      out.number.push_back(number + i);
      out.out.push_back(target == nullptr ? mad::kNoPort.value : target->end->out.value);
      out.lid_index.push_back(static_cast<std::uint8_t>(i));
      out.lid_count.push_back(static_cast<std::uint8_t>(count));
    }
  };
  const auto begin_run = [&](SwitchIndex sw) {
    out.runs.push_back({sw, static_cast<std::uint32_t>(out.entries()), 0, 0, true});
  };
  const TreePlaces none;
  const TreePlaces& known = before == nullptr ? none : *before;
  auto known_leaves = at_places(input, known.leaves, leaves),
       known_others = at_places(input, known.others, others);
  if (known_leaves && known_others) {  // else all are numbered along the tree
    leaves = std::move(*known_leaves);
    others = std::move(*known_others);
  }
  out.places = {places_of(input, known.leaves, leaves), places_of(input, known.others, others)};
  std::vector<std::uint32_t> number_of_switch(input.graph.switches());
  std::uint32_t next_switch = 0;
  for (const auto* const part : {&leaves, &others})
    for (const SwitchIndex sw : *part) {
      if (sw != fabric::kNoIndex) number_of_switch[sw] = next_switch;
      ++next_switch;
    }
  const auto end_run = [&] {
    TreeTargets::Run& run = out.runs.back();
    run.hosts_end = static_cast<std::uint32_t>(out.entries());
    for (std::uint32_t i = run.begin + 1; i < run.hosts_end; ++i)
      run.consecutive &= out.lid[i - 1] + 1 == out.lid[i];
    for (const Target* const itself : of[kSwitch][run.sw]) add(itself, number_of_switch[run.sw]);
    of[kSwitch][run.sw].clear();
    run.end = static_cast<std::uint32_t>(out.entries());
  };

  std::uint32_t next = 0;
  for (const SwitchIndex sw : leaves) {
    if (sw == fabric::kNoIndex) {
      out.order.resize(out.order.size() + out.numbers_per_leaf);
      next += out.numbers_per_leaf;
      continue;
    }
    const auto& hosts = of[kFirst][sw];
    begin_run(sw);
    const std::vector<std::uint32_t> indices = numbers_per_leaf.indices(host_ports(hosts));
    std::uint32_t index = 0;
    const auto fill_up_to = [&](std::uint32_t end) {
      for (; index < end; ++index) {
        out.order.push_back({});
        if (keep_gaps) add(nullptr, next + index);
      }
    };
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      fill_up_to(indices[i]);
      out.order.push_back(hosts[i]->guid);
      add(hosts[i], next + index++);
    }
    fill_up_to(out.numbers_per_leaf);
    end_run();
    next += out.numbers_per_leaf;
  }
  for (const Kind kind : {kFirst, kOther})
    for (const SwitchIndex sw : along) {
      if (of[kind][sw].empty() || (kind == kFirst && tree.level[sw] == 0)) continue;
      begin_run(sw);
      for (const Target* const host : of[kind][sw]) {
        if (kind == kFirst) out.order.push_back(host->guid);
        add(host, next++);
      }
      end_run();
    }
  for (const SwitchIndex sw : along) {
    if (of[kSwitch][sw].empty()) continue;
    begin_run(sw);
    end_run();
  }
  return out;
}

}  // namespace routing
