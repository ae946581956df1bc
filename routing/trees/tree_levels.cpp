#include "routing/trees/tree_levels.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "mad/format.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"
#include "routing/graph/roots.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchGraph;
using fabric::SwitchIndex;

namespace {

// Counts, by switch, the tops to which links lead up from there.
std::vector<std::uint32_t> tops_above(const SwitchGraph& graph, const UpDownOrder& order) {
  std::vector<std::uint32_t> count(graph.switches(), 0);
  std::vector<SwitchIndex> found;
  std::vector<SwitchIndex> met_by(graph.switches(), kNoIndex);
  for (const SwitchIndex top : graph.all_switches()) {
    if (std::ranges::any_of(graph.neighbours(top),
                            [&](SwitchIndex other) { return order[other] < order[top]; }))
      continue;
    met_by[top] = top;
    found.assign(1, top);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ++count[found[i]];
      for (const SwitchIndex other : graph.neighbours(found[i]))
        if (order[other] > order[found[i]] && std::exchange(met_by[other], top) != top)
          found.push_back(other);
    }
  }
  return count;
}

// Returns the top of each component with hosts.
std::vector<SwitchIndex> choose_tops(const SwitchGraph& graph, const UpDownOrder& order,
                                     std::span<const std::uint32_t> hosts) {
  const std::vector<std::uint32_t> component = components(graph);
  const std::vector<std::uint32_t> reach = tops_above(graph, order);
  const auto key = [&](SwitchIndex sw) { return std::pair(reach[sw], order[sw]); };
  std::vector<SwitchIndex> best(graph.switches(), kNoIndex);  // by component
  for (const SwitchIndex sw : graph.all_switches()) {
    SwitchIndex& top = best[component[sw]];
    if (hosts[sw] > 0 && (top == kNoIndex || key(sw) > key(top))) top = sw;
  }
  std::erase(best, kNoIndex);
  return best;
}

}  // namespace

UpDownOrder with_one_top(const SwitchGraph& graph, const UpDownOrder& order,
                         std::span<const std::uint32_t> hosts) {
  const auto is_lower = [&](SwitchIndex a, SwitchIndex b) { return order[a] > order[b]; };
  std::priority_queue<SwitchIndex, std::vector<SwitchIndex>, decltype(is_lower)> next(is_lower);
  std::vector<SwitchIndex> placed;  // highest first
  std::vector<std::uint8_t> is_placed(graph.switches(), 0);
  const auto place = [&](SwitchIndex sw) {
    if (std::exchange(is_placed[sw], std::uint8_t{1}) == 0) placed.push_back(sw);
  };
  for (const SwitchIndex top : choose_tops(graph, order, hosts)) {
    std::size_t at = placed.size();
    place(top);
    for (; at < placed.size(); ++at)  // what lies above the top so far, nearest first
      for (const SwitchIndex other : graph.neighbours(placed[at])) {
        if (order[other] < order[placed[at]]) place(other);
        next.push(other);
      }
    for (; !next.empty();) {
      const SwitchIndex sw = next.top();
      next.pop();
      if (is_placed[sw] != 0) continue;
      place(sw);
      for (const SwitchIndex other : graph.neighbours(sw)) next.push(other);
    }
  }
  std::vector<SwitchIndex> rest;
  for (const SwitchIndex sw : graph.all_switches())
    if (is_placed[sw] == 0) rest.push_back(sw);
  std::ranges::sort(rest, {}, [&](SwitchIndex sw) { return order[sw]; });
  for (const SwitchIndex sw : rest) place(sw);
  UpDownOrder out(graph.switches());
  for (std::uint32_t position = 0; position < placed.size(); ++position)
    out[placed[position]] = position;
  return out;
}

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

namespace {

constexpr std::size_t kOdd =
    4;  // in a tree at most one link in this number connects switches of one level
constexpr std::size_t kRounds = 4;  // of finding leaves
constexpr std::uint64_t kCut = 4;   // in a tree at most one pair in this number has no legal path
constexpr std::uint64_t kOneIn = 100;  // servers on top switches: at most one pair in this number

class LevelFinder {
 public:
  LevelFinder(const RoutingInput& input, const std::vector<std::uint32_t>& leaf_hosts)
      : input_(input),
        graph_(input.graph),
        hosts_(hosts_per_switch(input)),
        leaf_hosts_(leaf_hosts.empty() ? hosts_ : leaf_hosts),
        component_(components(graph_)) {
    for (const fabric::Switch& sw : input.fabric.switches)
      guids_.push_back(input.fabric.nodes[sw.node].guid.value);
    for (const SwitchIndex sw : graph_.all_switches())
      if (hosts_[sw] > 0) with_hosts_.push_back(sw);
    words_ = (with_hosts_.size() + 63) / 64;
    const std::vector<SwitchIndex> fullest = well_populated(leaf_hosts_);
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
    tl::expected<TreeLevels, Refusal> best = tl::unexpected(Refusal{});
    const auto take = [&](tl::expected<TreeLevels, Refusal> tree) {
      if (tree ? !best || tree->pairs_without_path < best->pairs_without_path
               : !best && best.error().why.empty())
        best = std::move(tree);
      return best && has_few_gaps(*best);
    };
    for (const std::uint32_t share : {4, 2})
      if (take(settled(well_populated(leaf_hosts_, share)))) return best;
    take(from_leaves(with_hosts_));
    return best;
  }

  /// Returns the number of ordered pairs of connected hosts.
  std::uint64_t pairs() const {
    std::vector<std::uint64_t> hosts(component_hosts_.size(), 0);
    for (const SwitchIndex sw : with_hosts_) hosts[component_[sw]] += hosts_[sw];
    std::uint64_t sum = 0;
    for (const std::uint64_t count : hosts) sum += count * (count - 1);
    return sum;
  }
  bool has_few_gaps(const TreeLevels& tree) const {
    return tree.pairs_without_path * kOneIn <= pairs();
  }

  /// Orders the switches below one top (with_one_top()), if most pairs of hosts have a shortest
  /// path then: trees that cables below their tops join. Returns false if they have not.
  bool put_below_one_top(TreeLevels& tree) const {
    UpDownOrder order = with_one_top(graph_, tree.order, hosts_);
    const auto distances = up_down_distances(
        graph_, order, {std::vector<std::uint8_t>(graph_.switches(), 0), hosts_, {}});
    const auto hops = unit_hops(graph_);
    if (!distances || !hops) return false;
    std::uint64_t longer = 0;
    for (const SwitchIndex from : with_hosts_)
      for (const SwitchIndex to : with_hosts_)
        if (distances->legal.row(from)[to] != hops->row(from)[to])
          longer += std::uint64_t{hosts_[from]} * hosts_[to];
    if (longer * kCut > pairs()) return false;
    tree.order = std::move(order);
    tree.pairs_without_path = 0;
    tree.has_one_top = true;
    return true;
  }

  /// Returns the top switches of the largest tree, if links of one level join several: then the
  /// others hang below it.
  std::vector<SwitchIndex> tops_of_largest(const TreeLevels& tree) const {
    Clusters trees(guids_);
    for (const SwitchIndex sw : graph_.all_switches())
      for (const SwitchIndex other : graph_.neighbours(sw))
        if (tree.level[sw] != tree.level[other]) trees.join(sw, other);
    std::map<std::uint64_t, std::uint64_t> hosts;  // by tree
    for (const SwitchIndex sw : graph_.all_switches()) hosts[trees.key(sw)] += hosts_[sw];
    const std::uint64_t largest =
        std::ranges::max_element(hosts, {}, [](const auto& one) { return one.second; })->first;
    std::vector<SwitchIndex> tops;
    for (const SwitchIndex sw : graph_.all_switches())
      if (trees.key(sw) == largest && tree.level[sw] > 0 &&
          std::ranges::none_of(graph_.neighbours(sw), [&](SwitchIndex other) {
            return tree.level[other] > tree.level[sw];
          }))
        tops.push_back(sw);
    return tops;
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
    tree.pairs_without_path = count_uncovered();
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

  /// Calls visit(switch) for each connected switch with hosts that has no legal path from `sw`.
  template <class Visit>
  void for_each_uncovered(SwitchIndex sw, Visit&& visit) const {
    for (std::size_t w = 0; w < words_; ++w)
      for (std::uint64_t bits = ~met_[sw * words_ + w]; bits != 0; bits &= bits - 1) {
        const std::size_t i = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (i < with_hosts_.size() && component_[with_hosts_[i]] == component_[sw])
          visit(with_hosts_[i]);
      }
  }

  std::uint64_t count_uncovered() const {
    std::uint64_t sum = 0;
    for (const SwitchIndex sw : with_hosts_)
      for_each_uncovered(
          sw, [&](SwitchIndex other) { sum += std::uint64_t{hosts_[sw]} * hosts_[other]; });
    return sum;
  }

  bool covers_leaves(const TreeLevels& tree, SwitchIndex sw) const {
    bool covers = true;
    for_each_uncovered(sw, [&](SwitchIndex other) { covers &= tree.level[other] > 0; });
    return covers;
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
      if (tree.level[sw] > 0 && (!covers_leaves(tree, sw) || adds_nothing(tree.order, sw)))
        leaves.push_back(sw);
  }

  std::string name(SwitchIndex sw) const {
    return input_.fabric.name(input_.fabric.switches[sw].node);
  }

  const RoutingInput& input_;
  const fabric::SwitchGraph& graph_;
  std::vector<std::uint32_t> hosts_, leaf_hosts_, component_;
  std::vector<std::uint64_t> guids_;
  std::vector<SwitchIndex> with_hosts_;
  std::vector<std::uint8_t> few_;             // by switch: 1 unless it has many hosts
  std::vector<std::size_t> component_hosts_;  // by component: switches with hosts
  std::size_t words_ = 0;                     // of a set
  std::vector<std::uint64_t> below_, met_;    // [switch][word]: bit i is with_hosts_[i]
};

}  // namespace

tl::expected<TreeLevels, Refusal> tree_levels(const RoutingInput& input, const TreeHints& hints) {
  LevelFinder finder(input, hints.leaf_hosts);
  if (!finder.has_hosts()) return tl::unexpected(Refusal{"no hosts are attached to switches"});
  if (!hints.roots.empty()) return finder.from_roots(hints.roots);
  auto by_hosts = finder.from_hosts();
  if (by_hosts && finder.has_few_gaps(*by_hosts)) return by_hosts;
  std::vector<std::vector<SwitchIndex>> tops;
  if (finder.has_no_cycle())
    tops.emplace_back();
  else if (FoundRoots found = find_roots(input); !found.roots.empty())
    tops.push_back(std::move(found.roots));
  if (by_hosts) tops.push_back(finder.tops_of_largest(*by_hosts));
  for (std::vector<SwitchIndex>& roots : tops)
    if (TreeLevels other = finder.from_roots(std::move(roots));
        by_hosts ? other.pairs_without_path < by_hosts->pairs_without_path
                 : finder.has_few_gaps(other))
      by_hosts = std::move(other);
  if (by_hosts && by_hosts->pairs_without_path * kCut > finder.pairs() &&
      !finder.put_below_one_top(*by_hosts))
    return tl::unexpected(Refusal{
        fmt::format("the fabric is not a tree: {} of {} pairs of hosts have no Up*/Down* path",
                    by_hosts->pairs_without_path, finder.pairs())});
  return by_hosts;
}

}  // namespace routing
