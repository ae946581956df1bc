// heddlectl plan: what a daemon with this configuration would change.

#include <iostream>

#include "mad/format.h"
#include "partitions/load.h"
#include "partitions/membership.h"
#include "routing/registry.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/plan_text.h"
#include "sm/sweep/plan.h"

namespace sm::commands {

namespace {

/// All that a sweep would send to a live fabric.
bool print_writes(const Scene& scene, const routing::RoutingResult& routed) {
  config::Diagnostics findings;
  const partitions::Configuration partitioning =
      partitions::load(scene.options, config::read_file, findings);
  for (const config::Diagnostic& finding : findings) std::cerr << finding.text() << '\n';
  if (config::has_errors(findings)) return false;
  Target target;
  target.lids = scene.lids;
  target.lfts = std::make_shared<ForwardingTables>(routed.lfts);
  target.partition_map = partitions::partition_map(partitioning, scene.fabric, scene.options);
  target.p_keys = partitions::p_key_targets(scene.fabric, target.partition_map, scene.options);
  // What a daemon here has learnt of devices that do not take some settings.
  const RefusedSettings refused =
      RefusedSettings::load(scene.options.cache_files_dir).value_or(RefusedSettings());
  const Plan plan = make_plan(scene.fabric, target, *scene.live, refused, scene.options);
  std::cout << fmt::format(
      "writes: {} forwarding table blocks, {} of switches' settings and P_Key tables, {} of ports' "
      "settings; {} links would restart\n",
      plan.tables.size(), plan.nodes.size(), plan.ports.size(), plan.restarts.size());
  for (const Condition& condition : target.p_keys.conditions) std::cout << condition.text << '\n';
  return true;
}

}  // namespace

int plan(const PlanOptions& options) {
  const auto scene = make_scene(options.scene);
  if (!scene) return kFailed;
  const auto routed =
      routing::route_with_chain(engines_of(options.engines, *scene), true,
                                {scene->fabric, scene->graph, scene->lids, scene->routing,
                                 options.afresh ? nullptr : scene->tables.get()});
  if (!routed) {
    std::cerr << "heddlectl: no engine routes this fabric: " << routed.error().why << '\n';
    return kFailed;
  }
  std::cout << summary(*scene) << '\n';
  for (const std::string& refusal : routed->refusals) std::cout << refusal << '\n';
  for (const Condition& note : routed->routing.conditions)
    std::cout << routed->routing.engine << ": " << note.text << '\n';
  std::cout << routed->routing.engine << " would route it.\n";
  std::cout << ctl::lid_changes_text(scene->fabric, scene->lids);
  std::cout << ctl::table_changes_text(scene->fabric, scene->graph, scene->lids,
                                       scene->tables.get(), routed->routing.lfts, options.paths);
  return scene->live && !print_writes(*scene, routed->routing) ? kFailed : kOk;
}

}  // namespace sm::commands
