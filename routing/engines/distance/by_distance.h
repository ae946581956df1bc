#pragma once

#include "routing/balance/balance.h"
#include "routing/graph/hops.h"

namespace routing {

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

}  // namespace routing
