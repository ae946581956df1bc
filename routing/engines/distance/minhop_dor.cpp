#include "routing/engines/distance/distance_engines.h"

#include <array>
#include <bit>
#include <memory>

#include "routing/balance/balance.h"
#include "routing/core/routing_conditions.h"
#include "routing/graph/candidates.h"
#include "routing/graph/hops.h"
#include "routing/graph/up_down.h"
#include "routing/trees/tree_routes.h"
#include "routing/trees/turning.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

/// Selects next hops on shortest paths: those on legal ones (up_down.h), if a legal path is no
/// longer than the shortest; else, for pairs that turn, the one towards the turning leaf, if it is
/// on a shortest path; else all. So paths are as short as minhop's, and close no cycle of channel
/// dependencies where the tree allows it.
class ShortestInTree final : public Candidates, public LocalCandidates {
 public:
  struct Lengths {
    UpDownOrder order;
    std::shared_ptr<const HopTable<std::uint8_t>> hops;
    UpDownDistances distances;
  };
  /// Keeps a reference to the graph.
  ShortestInTree(const fabric::SwitchGraph& graph, std::shared_ptr<const Lengths> lengths)
      : graph_(graph), lengths_(std::move(lengths)) {}

  void find(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
            CandidateMasks& masks) const override;
  const LocalCandidates* local() const override { return this; }
  CandidateSet find_for(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                        fabric::SwitchIndex destination) const override;
  /// The hops come last, after those of UpDownCandidates.
  std::vector<const HopTable<std::uint8_t>*> tables() const override {
    const UpDownDistances& distances = lengths_->distances;
    return {&distances.down, &distances.legal, &distances.completed, lengths_->hops.get()};
  }
  std::shared_ptr<const void> owner_of_tables() const override { return lengths_; }
  std::vector<std::uint8_t> channel_flags() const override {
    return down_flags(graph_, lengths_->order);
  }
  TurningHops turning_hops() const override {
    return {lengths_->distances.next_to_leaf, lengths_->distances.turning};
  }
  bool turns(fabric::SwitchIndex sw, fabric::SwitchIndex to) const override;

 private:
  const fabric::SwitchGraph& graph_;
  std::shared_ptr<const Lengths> lengths_;
};

using Hops = HopTable<std::uint8_t>;

bool ShortestInTree::turns(SwitchIndex sw, SwitchIndex to) const {
  const SwitchIndex next = lengths_->distances.next_to_leaf[sw];
  return next != kNoIndex && lengths_->distances.turns(sw, to) &&
         lengths_->hops->row(next)[to] + 1 == lengths_->hops->row(sw)[to];
}

void ShortestInTree::find(SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                          CandidateMasks& masks) const {
  // These are lengths if packets go that way, otherwise kNoPath, which matches no other length.
  const UpDownDistances& distances = lengths_->distances;
  const std::size_t pitch = lengths_->hops->pitch();
  const std::uint8_t *const hops = lengths_->hops->row(sw), *const down = distances.down.row(sw),
                            *const legal = distances.legal.row(sw);
  std::vector<std::uint8_t> goes_down(pitch, Hops::kNoPath), goes_up(pitch, Hops::kNoPath),
      rest(pitch, Hops::kNoPath);
  std::vector<SwitchIndex> turning;
  bool any_rest = false;
  for (std::size_t d = 0; d < graph_.switches(); ++d) {
    if (hops[d] == Hops::kNoPath) continue;
    if (down[d] == hops[d]) {
      goes_down[d] = hops[d];
    } else if (down[d] == Hops::kNoPath && legal[d] == hops[d]) {
      goes_up[d] = hops[d];
    } else if (turns(sw, SwitchIndex(d))) {
      turning.push_back(SwitchIndex(d));
    } else {
      rest[d] = hops[d];
      any_rest = true;
    }
  }
  masks.clear(channels.size());
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const SwitchIndex other = graph_.neighbour[channels[i]];
    if (lengths_->order[other] > lengths_->order[sw])
      masks.add<std::uint8_t>(i, goes_down.data(), distances.down.row(other), 1);
    else
      masks.add<std::uint8_t>(i, goes_up.data(), distances.legal.row(other), 1);
    if (any_rest) masks.add<std::uint8_t>(i, rest.data(), lengths_->hops->row(other), 1);
  }
  masks.finish();
  for (const SwitchIndex to : turning)
    for (std::size_t i = 0; i < channels.size(); ++i)
      if (graph_.neighbour[channels[i]] == distances.next_to_leaf[sw])
        masks.word(i / 64, to) |= std::uint64_t{1} << i % 64;
}

CandidateSet ShortestInTree::find_for(SwitchIndex sw,
                                      std::span<const fabric::ChannelIndex> channels,
                                      SwitchIndex destination) const {
  const UpDownDistances& distances = lengths_->distances;
  const auto length = [&](const Hops& table, SwitchIndex from) {
    return table.row(from)[destination];
  };
  const std::uint8_t hops = length(*lengths_->hops, sw), down = length(distances.down, sw);
  CandidateSet set{};
  if (hops == Hops::kNoPath) return set;
  const bool goes_down = down == hops,
             goes_up = down == Hops::kNoPath && length(distances.legal, sw) == hops,
             turning = !goes_down && !goes_up && turns(sw, destination);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const SwitchIndex other = graph_.neighbour[channels[i]];
    const bool is_below = lengths_->order[other] > lengths_->order[sw];
    const bool is_candidate = goes_down ? is_below && length(distances.down, other) + 1 == hops
                              : goes_up ? !is_below && length(distances.legal, other) + 1 == hops
                              : turning ? other == distances.next_to_leaf[sw]
                                        : length(*lengths_->hops, other) + 1 == hops;
    if (is_candidate) set[i / 64] |= std::uint64_t{1} << i % 64;
  }
  return set;
}

/// Common part of the engines that route by distance: reads the operator's settings, measures in
/// hops or hop weights, and balances over the paths that `choose` selects. `choose(shortest,
/// route)` gets the shortest paths as Candidates, and calls route() once with the Candidates to
/// use.
template <class Choose>
RoutingResult route_by_distance(const RoutingInput& input, Choose&& choose) {
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  const ChannelSettings settings = channel_settings(input, notes);
  const std::optional<CandidatesBefore> before = candidates_before(input);
  RoutingResult result;
  const auto route = [&](const Candidates& candidates) {
    route_tables(input, settings, make_plan(input), candidates, before, result);
  };
  const auto by = [&](auto hops) {
    const auto kept = std::make_shared<const decltype(hops)>(std::move(hops));
    choose(ShortestPaths(input.graph, *kept, settings.weight, kept), route);
    result.candidates = make_shortest(input.graph, kept, settings.weight);
  };
  if (auto plain = settings.weighted ? std::nullopt : unit_hops_since(input, before)) {
    by(std::move(*plain));
  } else {
    by(weighted_hops(input.graph, settings.weight));
  }
  result.conditions = notes.take();
  return result;
}

// Keeps the first of the other candidates, and those that lead to the same switch.
class FirstNeighbour final : public Candidates, public LocalCandidates {
 public:
  FirstNeighbour(const fabric::SwitchGraph& graph, const Candidates& all)
      : graph_(graph), all_(all) {}

  void find(SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
            CandidateMasks& masks) const override {
    all_.find(sw, channels, masks);
    std::vector<std::array<std::uint64_t, 4>> alike(
        channels.size());  // per channel: those to the same switch
    for (std::size_t i = 0; i < channels.size(); ++i)
      for (std::size_t j = 0; j < channels.size(); ++j)
        if (graph_.neighbour[channels[i]] == graph_.neighbour[channels[j]])
          alike[i][j / 64] |= std::uint64_t{1} << j % 64;
    for (const SwitchIndex destination : graph_.all_switches()) {
      std::size_t word = 0;
      while (word < masks.words() && masks.word(word, destination) == 0) ++word;
      if (word == masks.words()) continue;
      const auto& keep = alike[word * 64 + static_cast<std::size_t>(
                                               std::countr_zero(masks.word(word, destination)))];
      for (; word < masks.words(); ++word) masks.word(word, destination) &= keep[word];
    }
  }

  const LocalCandidates* local() const override { return all_.local() == nullptr ? nullptr : this; }
  CandidateSet find_for(SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                        SwitchIndex destination) const override {
    CandidateSet set = all_.local()->find_for(sw, channels, destination);
    const auto has = [&](std::size_t i) { return (set[i / 64] >> i % 64 & 1) != 0; };
    std::size_t first = 0;
    while (first < channels.size() && !has(first)) ++first;
    for (std::size_t i = first + 1; i < channels.size(); ++i)
      if (has(i) && graph_.neighbour[channels[i]] != graph_.neighbour[channels[first]])
        set[i / 64] &= ~(std::uint64_t{1} << i % 64);
    return set;
  }
  std::vector<const HopTable<std::uint8_t>*> tables() const override {
    return all_.local()->tables();
  }
  std::shared_ptr<const void> owner_of_tables() const override {
    return all_.local()->owner_of_tables();
  }

 private:
  const fabric::SwitchGraph& graph_;
  const Candidates& all_;
};

struct TreeOfMinhop {
  TreeLevels levels;
  std::shared_ptr<const ShortestInTree::Lengths> lengths;
};

std::optional<TreeOfMinhop> find_tree(const RoutingInput& input,
                                      const std::optional<CandidatesBefore>& before) {
  if (input.options.lowest_port_first || !input.options.hop_weights.empty()) return std::nullopt;
  auto levels = tree_levels(input, {});
  if (!levels || levels->height < 2) return std::nullopt;
  auto hops = unit_hops_since(input, before);
  if (!hops) return std::nullopt;
  auto distances = up_down_distances_since(input, before, levels->order, up_down_needs(input));
  if (!distances) return std::nullopt;
  auto lengths = std::make_shared<const ShortestInTree::Lengths>(
      levels->order, std::make_shared<const HopTable<std::uint8_t>>(std::move(*hops)),
      std::move(*distances));
  return TreeOfMinhop{std::move(*levels), std::move(lengths)};
}

/// True if some entry for a host in the previous tables is a candidate: it stays, and the others
/// are distributed beside it.
bool has_routes_to_keep(const RoutingInput& input, const Candidates& candidates) {
  const fabric::SwitchGraph& graph = input.graph;
  if (input.previous == nullptr || input.previous->switches() != graph.switches()) return false;
  const std::vector<Target> all = targets(input);
  std::vector<fabric::ChannelIndex> channels;
  for (const SwitchIndex sw : graph.all_switches()) {
    channels.assign(graph.channels(sw).begin(), graph.channels(sw).end());
    for (const Target& target : all) {
      if (!target.is_host() || target.end->sw == sw) continue;
      const mad::PortNum port = input.previous->at(sw, target.lids.base);
      const auto ports = graph.out_ports(sw);
      const auto found = std::ranges::lower_bound(ports, port);
      if (found == ports.end() || *found != port) continue;
      const auto i = static_cast<std::size_t>(found - ports.begin());
      const CandidateSet set = candidates.local()->find_for(sw, channels, target.end->sw);
      if ((set[i / 64] >> i % 64 & 1) != 0) return true;
    }
  }
  return false;
}

/// True if the operator has a say in the choice among equal hops.
bool has_balancing_options(const RoutingOptions& options) {
  return !options.guid_routing_order.empty() || !options.port_search_ordering.empty() ||
         !options.port_prof_ignore.empty() || options.scatter_ports != 0 || options.port_shifting ||
         options.port_profile_switch_nodes;
}

/// Routes a tree: of shortest paths, legal ones; hosts are distributed by their numbers along the
/// tree (D-mod-k), so that a shift on a complete tree shares no link.
RoutingResult minhop_in_tree(const RoutingInput& input, TreeOfMinhop tree,
                             const std::optional<CandidatesBefore>& before) {
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  const ChannelSettings settings = channel_settings(input, notes);
  const ShortestInTree candidates(input.graph, tree.lengths);
  RoutingResult result;
  if (before || has_balancing_options(input.options) || has_routes_to_keep(input, candidates)) {
    route_tables(input, settings, make_plan(input), candidates, before, result);
  } else {
    const TreePlan plan(input, std::move(tree.levels));
    const TreeTargets numbers = tree_targets(input, plan.levels, plan.groups,
                                             [](const Target& target) { return target.is_host(); });
    result.lfts = fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top);
    tree_tables(plan, numbers,
                tree_paths(plan.levels, plan.columns, plan.groups, numbers, PathChoice::by_number),
                candidates, result.lfts);
    keep_state(input, candidates, std::make_shared<CandidateState>(), result);
  }
  result.candidates =
      make_shortest(input.graph, tree.lengths->hops,
                    std::vector<std::uint8_t>(input.graph.port.size(), std::uint8_t{1}));
  result.conditions = notes.take();
  return result;
}

}  // namespace

tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input) {
  const std::optional<CandidatesBefore> before = candidates_before(input);
  if (auto tree = find_tree(input, before)) return minhop_in_tree(input, std::move(*tree), before);
  return route_by_distance(input, [](const auto& shortest, const auto& route) { route(shortest); });
}

tl::expected<RoutingResult, Refusal> dor(const RoutingInput& input) {
  return route_by_distance(input, [&](const auto& shortest, const auto& route) {
    route(FirstNeighbour(input.graph, shortest));
  });
}

}  // namespace routing
