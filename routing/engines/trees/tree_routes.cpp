#include "routing/engines/trees/tree_routes.h"

#include "mad/format.h"
#include "routing/engines/trees/tree_tables.h"

namespace routing {

using sm::SwitchIndex;

namespace {

std::vector<std::uint64_t> guids_of(const sm::Fabric& fabric) {
  std::vector<std::uint64_t> out;
  out.reserve(fabric.switches.size());
  for (const sm::Switch& sw : fabric.switches) out.push_back(fabric.nodes[sw.node].guid.value);
  return out;
}

}  // namespace

TreePlan::TreePlan(const RoutingInput& of, TreeLevels tree)
    : input(of),
      levels(std::move(tree)),
      groups(of.graph, levels.order),
      columns(tree_columns(levels, groups, guids_of(of.fabric))) {}

tl::expected<RoutingResult, Refusal> route_tree(const TreePlan& plan, const TreeTargets& targets,
                                                PathChoice choice, sm::ConditionList& notes) {
  const RoutingInput& input = plan.input;
  std::vector<std::uint8_t> complete(input.graph.switches(), input.options.connect_roots ? 1 : 0);
  for (const TreeTargets::Run& run : targets.runs)
    if (run.hosts_end > run.begin) complete[run.sw] = 1;
  const auto lengths = up_down_distances(input.graph, plan.levels.order, complete);
  if (!lengths)
    return tl::unexpected(Refusal{fmt::format("a path is longer than {} hops", kLongestUpDown)});
  if (!input.options.hop_weights.empty())
    notes.add("hop_weights_file is ignored: paths follow the levels of the tree");
  RoutingResult result(sm::ForwardingTables(input.graph.switches(), input.lids.lid_top));
  const TreePaths paths = tree_paths(plan.levels, plan.columns, plan.groups, targets, choice);
  tree_tables(plan, targets, paths, UpDownCandidates(input.graph, plan.levels.order, *lengths),
              result.lfts);
  result.ca_order = targets.order;
  return result;
}

}  // namespace routing
