#include "routing/core/remembered_routings.h"

#include <algorithm>
#include <utility>

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

/// Measures how a fabric relates to the fabric of an earlier routing.
struct Overlap {
  std::size_t channels = 0;      // that both have
  bool is_complete = false;      // the fabric has all that the earlier one had
  bool has_nothing_new = false;  // the earlier one had all that the fabric has
};

Overlap overlap(const TableState& before, const RoutingInput& input) {
  const Correspondence was = correspondence(before, input.fabric, input.graph);
  const auto is_none = [](const auto index) { return index == kNoIndex; };
  Overlap out;
  out.channels = before.graph.port.size() -
                 static_cast<std::size_t>(std::ranges::count_if(was.current_channel, is_none));
  out.is_complete =
      out.channels == before.graph.port.size() && std::ranges::none_of(was.current_switch, is_none);
  out.has_nothing_new =
      out.channels == input.graph.port.size() && std::ranges::none_of(was.previous_switch, is_none);
  return out;
}

bool is_of(const RoutingState& memory, std::string_view engine, const RoutingInput& input) {
  return memory.engine == engine && memory.options == input.options;
}

std::shared_ptr<const RememberedRouting> remember(const PreviousRouting& previous) {
  auto memory = std::make_shared<RoutingState>(previous.memory);
  memory->remembered.clear();
  memory->returned_to = nullptr;
  return std::make_shared<const RememberedRouting>(
      RememberedRouting{std::move(memory), previous.lfts, previous.published});
}

}  // namespace

RoutingOrigin routing_origin(std::string_view engine, const RoutingInput& input, bool returns) {
  RoutingOrigin origin;
  if (input.previous_routing == nullptr) return origin;
  const PreviousRouting& previous = *input.previous_routing;
  const Overlap now = overlap(*previous.memory.rows, input);
  const bool goes_on = is_of(previous.memory, engine, input);
  if (goes_on) origin.from.emplace(previous);
  origin.remembered = previous.memory.remembered;
  origin.gained = !now.has_nothing_new || (goes_on && previous.memory.gained);

  std::vector<Overlap> overlaps;
  for (const auto& routing : origin.remembered)
    overlaps.push_back(overlap(*routing->memory->rows, input));
  std::size_t most = now.channels, best = origin.remembered.size();
  for (std::size_t i = origin.remembered.size(); returns && i-- > 0;) {
    const bool is_more = overlaps[i].channels > most || (!goes_on && best == overlaps.size());
    if (!is_more || !is_of(*origin.remembered[i]->memory, engine, input)) continue;
    most = overlaps[i].channels;
    best = i;
  }
  if (best < origin.remembered.size()) {
    const auto& routing = origin.returned_to = origin.remembered[best];
    origin.from.emplace(*routing->memory, routing->lfts, routing->published);
    origin.gained = !overlaps[best].has_nothing_new || routing->memory->gained;
    origin.remembered.resize(best + 1);
  } else if (!now.is_complete) {
    origin.remembered.push_back(remember(previous));
    overlaps.push_back(now);
  }
  std::size_t i = 0;
  std::erase_if(origin.remembered, [&](const auto&) { return overlaps[i++].is_complete; });
  if (origin.remembered.size() > kRememberedMax)
    origin.remembered.erase(origin.remembered.begin() + 1);
  return origin;
}

fabric::ForwardingTables tables_here(const PreviousRouting& routing, const RoutingInput& input) {
  const Correspondence was = correspondence(*routing.memory.rows, input.fabric, input.graph);
  fabric::ForwardingTables tables(input.graph.switches(), input.lids.lid_top);
  for (const SwitchIndex sw : input.graph.all_switches())
    if (was.previous_switch[sw] != kNoIndex)
      tables.take_row(sw, routing.lfts, was.previous_switch[sw]);
  return tables;
}

}  // namespace routing
