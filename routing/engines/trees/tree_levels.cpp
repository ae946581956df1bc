#include "routing/engines/trees/tree_levels.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "mad/format.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/graph/roots.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

constexpr std::size_t kOdd =
    4;  // in a tree at most one link in this number connects switches of one level
constexpr std::size_t kRounds = 4;  // of finding leaves

class LevelFinder {
 public:
  explicit LevelFinder(const RoutingInput& input)
      : input_(input),
        graph_(input.graph),
        hosts_(hosts_per_switch(input)),
        component_(components(graph_)) {
    for (const fabric::Switch& sw : input.fabric.switches)
      guids_.push_back(input.fabric.nodes[sw.node].guid.value);
    for (const SwitchIndex sw : graph_.all_switches())
      if (hosts_[sw] > 0) with_hosts_.push_back(sw);
    words_ = (with_hosts_.size() + 63) / 64;
    const std::vector<SwitchIndex> fullest = well_populated(hosts_);
    few_.assign(graph_.switches(), 1);
    for (const SwitchIndex sw : fullest) few_[sw] = 0;
    for (const SwitchIndex sw : graph_.all_switches())
      component_hosts_.resize(
          std::max<std::size_t>(component_hosts_.size(), component_[sw] + std::size_t{1}), 0);
    for (const SwitchIndex sw : with_hosts_) ++component_hosts_[component_[sw]];
  }

  bool has_hosts() const { return !with_hosts_.empty(); }

  TreeLevels from_roots(std::vector<SwitchIndex> roots) {
    root_every_component(graph_, roots,
                         [&](SwitchIndex a, SwitchIndex b) { return guids_[a] < guids_[b]; });
    return from_tops(hops_from(graph_, std::move(roots)));
  }

  tl::expected<TreeLevels, Refusal> from_leaves(const std::vector<SwitchIndex>& leaves) {
    TreeLevels out;
    out.level = hops_from(graph_, leaves);
    std::size_t links = 0, odd = 0;
    std::string example;
    for (const SwitchIndex sw : graph_.all_switches()) {
      if (out.level[sw] == kUnreachable) continue;
      for (const SwitchIndex other : graph_.neighbours(sw)) {
        ++links;
        if (out.level[other] != out.level[sw]) continue;
        if (odd++ == 0) example = fmt::format("{} and {}", name(sw), name(other));
      }
    }
    if (odd * kOdd > links)
      return tl::unexpected(Refusal{fmt::format(
          "the fabric is not a tree: {} of {} links between switches connect two at the same "
          "distance from the hosts, such as {}",
          odd / 2, links / 2, example)});
    for (std::uint32_t& level : out.level) level = level == kUnreachable ? 0 : level;
    finish(out);
    return out;
  }

  tl::expected<TreeLevels, Refusal> from_hosts() {
    std::string why;
    for (const std::uint32_t share : {4, 2}) {
      auto tree = settled(well_populated(hosts_, share));
      if (tree && tree->cut.empty()) return tree;
      if (why.empty()) why = tree ? tree->cut : tree.error().why;
    }
    auto all = from_leaves(with_hosts_);
    if (all && all->cut.empty()) return all;
    return tl::unexpected(Refusal{std::move(why)});
  }

  // A forest has exactly one path between connected switches.
  bool has_no_cycle() const {
    std::size_t pairs = 0;
    std::vector<SwitchIndex> seen_from(graph_.switches(), kNoIndex);
    for (const SwitchIndex sw : graph_.all_switches())
      for (const SwitchIndex other : graph_.neighbours(sw))
        if (seen_from[other] != sw) {
          seen_from[other] = sw;
          ++pairs;
        }
    return pairs / 2 + component_hosts_.size() == graph_.switches();
  }

 private:
  TreeLevels from_tops(const std::vector<std::uint32_t>& rank) {
    const std::uint32_t lowest = *std::ranges::max_element(rank);
    TreeLevels out;
    for (const std::uint32_t hops : rank) out.level.push_back(lowest - hops);
    finish(out);
    return out;
  }

  // Repeats with further leaves until no more are found.
  tl::expected<TreeLevels, Refusal> settled(std::vector<SwitchIndex> leaves) {
    auto tree = from_leaves(leaves);
    for (std::size_t round = 0; tree && round < kRounds; ++round) {
      const std::size_t count_before = leaves.size();
      add_misplaced(*tree, leaves);
      if (leaves.size() == count_before) break;
      auto next = from_leaves(leaves);
      if (!next) break;
      tree = std::move(next);
    }
    return tree;
  }

  // Computes everything except the levels.
  void finish(TreeLevels& tree) {
    const std::uint32_t top = *std::ranges::max_element(tree.level);
    std::vector<std::uint32_t> rank;
    std::vector<std::uint64_t> few;  // a switch with few hosts is ordered below others of its
                                     // level, which paths of those need not pass
    for (const SwitchIndex sw : graph_.all_switches()) {
      rank.push_back(top - tree.level[sw]);
      few.push_back(hosts_[sw] > 0 ? few_[sw] : 0);
    }
    tree.order = order_by_rank(rank, few, guids_);
    find_reachable_hosts(tree.order);
    tree.cut = first_cut();
    tree.height = 0;
    for (const SwitchIndex sw : graph_.all_switches()) {
      tree.idle.push_back(
          hosts_[sw] == 0 && (sees_no_hosts(sw) || adds_nothing(tree.order, sw)) ? 1 : 0);
      if (tree.idle.back() == 0) tree.height = std::max(tree.height, tree.level[sw] + 1);
    }
  }

  // Computes two sets of switches with hosts for each switch: those reached by downward paths, and
  // those reached by legal paths.
  void find_reachable_hosts(const UpDownOrder& order) {
    std::vector<SwitchIndex> from_top(graph_.switches());
    for (const SwitchIndex sw : graph_.all_switches()) from_top[order[sw]] = sw;
    below_.assign(graph_.switches() * words_, 0);
    for (std::size_t i = 0; i < with_hosts_.size(); ++i)
      below_[with_hosts_[i] * words_ + i / 64] |= std::uint64_t{1} << i % 64;
    const auto gather = [&](std::vector<std::uint64_t>& sets, SwitchIndex sw, bool from_below) {
      SwitchIndex last = kNoIndex;
      for (const SwitchIndex other : graph_.neighbours(sw)) {
        if (other == last || (order[other] > order[sw]) != from_below) continue;
        last = other;
        for (std::size_t w = 0; w < words_; ++w) sets[sw * words_ + w] |= sets[other * words_ + w];
      }
    };
    for (std::size_t i = from_top.size(); i-- > 0;) gather(below_, from_top[i], true);
    met_ = below_;
    for (const SwitchIndex sw : from_top) gather(met_, sw, false);
  }

  bool covers_all(SwitchIndex sw) const {
    std::size_t met = 0;
    for (std::size_t w = 0; w < words_; ++w)
      met += static_cast<std::size_t>(std::popcount(met_[sw * words_ + w]));
    return met == component_hosts_[component_[sw]];
  }

  std::string first_cut() const {
    for (const SwitchIndex sw : with_hosts_) {
      if (covers_all(sw)) continue;
      for (std::size_t i = 0; i < with_hosts_.size(); ++i)
        if (component_[with_hosts_[i]] == component_[sw] &&
            (met_[sw * words_ + i / 64] >> i % 64 & 1) == 0)
          return fmt::format("no Up*/Down* path from {} to {}; both have hosts", name(sw),
                             name(with_hosts_[i]));
    }
    return {};
  }

  bool sees_no_hosts(SwitchIndex sw) const {
    const auto set = std::span(below_).subspan(sw * words_, words_);
    return std::ranges::all_of(set, [](std::uint64_t word) { return word == 0; });
  }

  // True if some switch below reaches all hosts downwards that this one reaches.
  bool adds_nothing(const UpDownOrder& order, SwitchIndex sw) const {
    const auto sees_as_much = [&](SwitchIndex other) {
      if (order[other] < order[sw]) return false;
      std::size_t more = 0;  // only below `sw`: may be `sw` itself
      for (std::size_t w = 0; w < words_; ++w)
        more += static_cast<std::size_t>(
            std::popcount(below_[sw * words_ + w] & ~below_[other * words_ + w]));
      return more == (hosts_[sw] > 0 ? 1u : 0u);
    };
    return std::ranges::any_of(graph_.neighbours(sw), sees_as_much);
  }

  // Adds switches with few hosts that contradict their level: they are leaves.
  void add_misplaced(const TreeLevels& tree, std::vector<SwitchIndex>& leaves) {
    find_reachable_hosts(tree.order);
    for (const SwitchIndex sw : with_hosts_)
      if (tree.level[sw] > 0 && (!covers_all(sw) || adds_nothing(tree.order, sw)))
        leaves.push_back(sw);
  }

  std::string name(SwitchIndex sw) const {
    return input_.fabric.name(input_.fabric.switches[sw].node);
  }

  const RoutingInput& input_;
  const fabric::SwitchGraph& graph_;
  std::vector<std::uint32_t> hosts_, component_;
  std::vector<std::uint64_t> guids_;
  std::vector<SwitchIndex> with_hosts_;
  std::vector<std::uint8_t> few_;             // by switch: 1 unless it has many hosts
  std::vector<std::size_t> component_hosts_;  // by component: switches with hosts
  std::size_t words_ = 0;                     // of a set
  std::vector<std::uint64_t> below_, met_;    // [switch][word]: bit i is with_hosts_[i]
};

}  // namespace

tl::expected<TreeLevels, Refusal> tree_levels(const RoutingInput& input, const TreeHints& hints) {
  LevelFinder finder(input);
  if (!finder.has_hosts()) return tl::unexpected(Refusal{"no hosts are attached to switches"});
  const auto checked = [&](tl::expected<TreeLevels, Refusal> tree) {
    if (!tree || tree->cut.empty() || hints.may_be_cut) return tree;
    return tl::expected<TreeLevels, Refusal>(tl::unexpected(Refusal{std::move(tree->cut)}));
  };
  if (!hints.roots.empty()) return checked(finder.from_roots(hints.roots));
  if (!hints.leaves.empty()) return checked(finder.from_leaves(hints.leaves));
  auto by_hosts = finder.from_hosts();
  if (by_hosts) return by_hosts;
  std::vector<SwitchIndex> tops;
  if (!finder.has_no_cycle()) {
    tops = find_roots(input).roots;
    if (tops.empty()) return by_hosts;
  }
  TreeLevels other = finder.from_roots(std::move(tops));
  if (!other.cut.empty()) return by_hosts;
  return other;
}

}  // namespace routing
