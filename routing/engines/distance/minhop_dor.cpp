#include "routing/engines/distance/distance_engines.h"

#include <array>
#include <bit>

#include "routing/balance/balance.h"
#include "routing/graph/hops.h"

namespace routing {

namespace {

using fabric::SwitchIndex;

/// Common part of the engines that route by distance: reads the operator's settings, measures in
/// hops or hop weights, and balances over the paths that `choose` selects. `choose(shortest,
/// route)` gets the shortest paths as Candidates, and calls route() once with the Candidates to
/// use.
template <class Choose>
RoutingResult route_by_distance(const RoutingInput& input, Choose&& choose) {
  fabric::ConditionList notes(fabric::ConditionId::routing_note);
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

}  // namespace

tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input) {
  return route_by_distance(input, [](const auto& shortest, const auto& route) { route(shortest); });
}

tl::expected<RoutingResult, Refusal> dor(const RoutingInput& input) {
  return route_by_distance(input, [&](const auto& shortest, const auto& route) {
    route(FirstNeighbour(input.graph, shortest));
  });
}

}  // namespace routing
