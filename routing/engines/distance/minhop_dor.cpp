#include "routing/engines/distance/distance_engines.h"

#include <array>
#include <bit>

#include "routing/balance/balance.h"
#include "routing/core/routing_conditions.h"
#include "routing/graph/hops.h"
#include "routing/trees/shortest_in_tree.h"
#include "routing/trees/tree_routes.h"
#include "routing/trees/turning.h"

namespace routing {

namespace {

using fabric::SwitchIndex;

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
