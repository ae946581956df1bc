#include "routing/core/routing_conditions.h"
#include "routing/engines/trees/tree_engines.h"
#include "routing/graph/roots.h"
#include "routing/trees/tree_routes.h"

namespace routing {

tl::expected<RoutingResult, Refusal> dmodc(const RoutingInput& input) {
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  NamedRoots named = named_roots(input);
  if (!named.refusal.empty()) return tl::unexpected(Refusal{std::move(named.refusal)});
  auto tree = tree_levels(input, {.roots = std::move(named.roots), .leaf_hosts = {}});
  if (!tree) return tl::unexpected(std::move(tree.error()));
  const TreePlan plan(input, std::move(*tree));
  const TreeTargets targets = tree_targets(input, plan.levels, plan.groups,
                                           [](const Target& target) { return target.is_host(); });
  auto result = route_tree(plan, targets, PathChoice::by_number, notes);
  if (result) result->conditions = notes.take();
  return result;
}

}  // namespace routing
