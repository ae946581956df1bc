#include "routing/engines/trees/tree_routes.h"

#include "mad/format.h"
#include "routing/engines/trees/tree_repair.h"
#include "routing/engines/trees/tree_tables.h"

namespace routing {

tl::expected<RoutingResult, Refusal> route_tree(const TreePlan& plan, const TreeTargets& targets,
                                                PathChoice choice, fabric::ConditionList& notes) {
  const RoutingInput& input = plan.input;
  std::vector<std::uint8_t> complete(input.graph.switches(), input.options.connect_roots ? 1 : 0);
  for (const TreeTargets::Run& run : targets.runs)
    if (run.hosts_end > run.begin) complete[run.sw] = 1;
  const std::optional<CandidatesBefore> before =
      plan.levels.cut.empty() && choice == PathChoice::by_count ? candidates_before(input)
                                                                : std::nullopt;
  auto lengths = up_down_distances_since(input, before, plan.levels.order, complete);
  if (!lengths)
    return tl::unexpected(Refusal{fmt::format("a path is longer than {} hops", kLongestUpDown)});
  if (!input.options.hop_weights.empty())
    notes.add("hop_weights_file is ignored: paths follow the levels of the tree");
  RoutingResult result;
  const auto distances = std::make_shared<const UpDownDistances>(std::move(*lengths));
  const UpDownCandidates candidates(input.graph, plan.levels.order, distances);
  if (before && dynamic_cast<const TreeState*>(&before->own) != nullptr) {
    repair_tree(plan, targets, candidates, *before, result);
  } else {
    result.lfts = fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top);
    const TreePaths paths = tree_paths(plan.levels, plan.columns, plan.groups, targets, choice);
    tree_tables(plan, targets, paths, candidates, result.lfts);
    if (choice == PathChoice::by_count)
      keep_state(input, candidates, tree_state(plan, targets, paths), result);
  }
  result.candidates = UpDownCandidates::make_legal(input.graph, plan.levels.order, distances);
  result.ca_order = targets.order;
  return result;
}

}  // namespace routing
