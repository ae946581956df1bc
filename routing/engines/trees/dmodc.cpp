#include "routing/engines/trees/engines.h"

#include "routing/engines/trees/tree_routes.h"
#include "routing/graph/roots.h"

namespace routing {

tl::expected<RoutingResult, Refusal> dmodc(const RoutingInput& input) {
  sm::ConditionList notes(sm::ConditionId::routing_note);
  auto tree = tree_levels(input, {.roots = named_roots(input, notes)});
  if (!tree) return tl::unexpected(std::move(tree.error()));
  const TreePlan plan(input, std::move(*tree));
  const TreeTargets targets =
      tree_targets(input, plan.levels, plan.groups, [](const Target&) { return true; }, false);
  auto result = route_tree(plan, targets, PathChoice::by_number, notes);
  if (result) result->conditions = notes.take();
  return result;
}

}  // namespace routing
