#include "routing/minhop.h"

#include "routing/balance.h"
#include "routing/hops.h"

namespace routing {

tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input) {
  NoteList notes;
  const SlotSettings settings = slot_settings(input, notes);
  RoutingResult result{.lfts = sm::ForwardingTables(input.graph.switches(), input.lids.lid_top)};
  const auto route = [&](const auto& hops) {
    route_rows(input, settings, make_plan(input), ShortestWays(input.graph, hops, settings.weight), result.lfts);
  };
  const auto plain = settings.weighted ? std::nullopt : unit_hops(input.graph);
  if (plain)
    route(*plain);
  else
    route(weighted_hops(input.graph, settings.weight));
  result.notes = notes.take();
  return result;
}

}  // namespace routing
