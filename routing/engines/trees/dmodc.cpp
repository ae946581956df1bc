#include "routing/engines/trees/tree_engines.h"

#include <memory>

#include "routing/engines/trees/tree_routes.h"
#include "routing/graph/roots.h"

namespace routing {

namespace {

/// Keeps the numbers of switches and hosts, even of a switch that has left: if the other numbers
/// changed, most paths would move.
struct NumbersState : EngineState {
  explicit NumbersState(TreePlaces of) : places(std::move(of)) {}
  TreePlaces places;
};

const TreePlaces* places_before(const RoutingInput& input) {
  if (input.previous_routing == nullptr) return nullptr;
  const auto* const own =
      dynamic_cast<const NumbersState*>(input.previous_routing->memory.rows->own.get());
  return own == nullptr ? nullptr : &own->places;
}

}  // namespace

tl::expected<RoutingResult, Refusal> dmodc(const RoutingInput& input) {
  fabric::ConditionList notes(fabric::ConditionId::routing_note);
  auto tree = tree_levels(input, {.roots = named_roots(input, notes)});
  if (!tree) return tl::unexpected(std::move(tree.error()));
  const TreePlan plan(input, std::move(*tree));
  const TreeTargets targets = tree_targets(
      input, plan.levels, plan.groups, [](const Target&) { return true; }, false,
      places_before(input));
  auto result = route_tree(plan, targets, PathChoice::by_number, notes);
  if (!result) return result;
  result->conditions = notes.take();
  auto rows = std::make_shared<TableState>(table_state(input));
  rows->own = std::make_shared<NumbersState>(targets.places);
  result->rows = std::move(rows);
  return result;
}

}  // namespace routing
