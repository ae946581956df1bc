// heddlectl plan: what a daemon with this configuration would change.

#include <algorithm>
#include <array>
#include <iostream>

#include "mad/format.h"
#include "partitions/load.h"
#include "partitions/membership.h"
#include "routing/registry.h"
#include "sm/ctl/commands/arguments.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/plan_text.h"
#include "sm/sweep/plan.h"

namespace sm::commands {

namespace {

constexpr std::string_view kPlanHelp = R"(usage: heddlectl plan [OPTIONS]

What a daemon with this configuration would write to the fabric: LIDs, forwarding table blocks by switch, the paths that change or are lost, P_Key tables and
settings of ports (the last two on a live fabric only). Compared with the live fabric, which is only read, or with --topology and --tables. Writes nothing.

  --engine NAME[,...]  engines to try in turn; else those of the configuration
  --afresh             as a daemon does that is started now; else routes that are still good stay where they are, as in a daemon that runs
  --paths N            names so many of the paths that change; default 10
)";

constexpr std::array kPlanFlags{Flag{"engine", true}, Flag{"paths", true}, Flag{"afresh", false}};
constexpr std::size_t kPathsNamed = 10;

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

int plan(std::span<char*> args) {
  SceneArguments arguments;
  std::string asked;
  std::size_t paths = kPathsNamed;
  bool afresh = false;
  const auto words = read_arguments(
      args, kPlanHelp, kPlanFlags, arguments, [&](std::string_view name, std::string_view value) {
        if (name == "engine") asked = value;
        if (name == "afresh") afresh = true;
        if (name == "paths") paths = std::strtoull(std::string(value).c_str(), nullptr, 10);
      });
  if (!words) return words.error();
  if (!words->empty())
    return usage_error("plan takes no word besides its options: " + words->front());
  if (!arguments.topology.empty() && arguments.tables.empty())
    return usage_error(
        "plan --topology needs --tables too: without them nothing is known of what would change");
  const auto scene = make_scene(arguments);
  if (!scene) return kFailed;
  const auto engines = engines_asked_for(asked, *scene);
  if (!engines) return kUsage;

  const auto routed =
      routing::route_with_chain(*engines, true,
                                {scene->fabric, scene->graph, scene->lids, scene->routing,
                                 afresh ? nullptr : scene->tables.get()});
  if (!routed) {
    std::cerr << "heddlectl: no engine routes this fabric: " << routed.error().why << '\n';
    return kFailed;
  }
  std::cout << summary(*scene) << '\n';
  for (const std::string& refusal : routed->refusals) std::cout << refusal << '\n';
  for (const std::string& note : routed->routing.notes)
    std::cout << routed->routing.engine << ": " << note << '\n';
  std::cout << routed->routing.engine << " would route it.\n";
  std::cout << ctl::lid_changes_text(scene->fabric, scene->lids);
  std::cout << ctl::table_changes_text(scene->fabric, scene->graph, scene->lids,
                                       scene->tables.get(), routed->routing.lfts, paths);
  return scene->live && !print_writes(*scene, routed->routing) ? kFailed : kOk;
}

}  // namespace sm::commands
