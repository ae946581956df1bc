// heddlectl plan shows what a daemon with this configuration would change.

#include <iostream>

#include "mad/format.h"
#include "partitions/load.h"
#include "routing/registry.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/live.h"
#include "sm/ctl/plan_text.h"
#include "sm/ops/cut_off.h"

namespace sm::commands {

namespace {

/// Returns the members that a plan of files and one of the live fabric share, as POST /v1/plan
/// names them.
Json plan_json(const Fabric& fabric, std::string_view engine, const CutOff& cut_off,
               const std::vector<ctl::LidChange>& lids, const ctl::TablesPlanned& tables,
               const std::vector<Condition>& conditions) {
  Json out{{"engine", engine}, {"hosts_cut_off", cut_off.hosts.size()}};
  out["lids_changed"] = lids.size();
  out["lids"] = ctl::lid_changes_json(fabric, lids);
  out.update(ctl::table_changes_json(fabric, tables));
  Json& rows = out["conditions"] = Json::array();
  for (const Condition& condition : conditions)
    rows.push_back({{"id", condition.id->name},
                    {"severity", name(find_severity(condition))},
                    {"text", condition.text}});
  return out;
}

/// Plans for a topology file and a dump of tables. Plans routes only, since nothing else is known
/// of the fabric.
int plan_of_files(const PlanOptions& options) {
  const auto scene = make_scene(options.scene, options.engines);
  if (!scene) return kFailed;
  auto routed = routing::route_with_chain(
      find_engines(options.engines, scene->options), true,
      {scene->fabric, scene->graph, scene->lids, scene->routing,
       options.rebalance ? nullptr : scene->tables.get(), nullptr, !options.rebalance});
  if (!routed)
    return complain(fmt::format("no engine routes this fabric: {}", routed.error().why)), kFailed;
  const CutOff cut_off = find_cut_off(scene->fabric, scene->lids);
  keep_tables(scene->fabric, cut_off, scene->tables.get(), routed->routing.lfts);
  const auto lids = ctl::find_lid_changes(scene->fabric, scene->lids);
  const auto tables =
      ctl::compare_tables(scene->fabric, scene->graph, scene->lids, scene->tables.get(),
                          routed->routing.lfts, options.paths, cut_off.pairs);
  if (options.json) {
    Json out = plan_json(scene->fabric, routed->routing.engine, cut_off, lids, tables,
                         routed->routing.conditions);
    out["refusals"] = routed->refusals;
    std::cout << dumped_by_rows(out);
    return kOk;
  }
  std::cout << summary(scene->graph, scene->lids) << '\n';
  std::cout << cut_off_text(scene->fabric, cut_off);
  for (const std::string& refusal : routed->refusals) std::cout << refusal << '\n';
  for (const Condition& note : routed->routing.conditions)
    std::cout << routed->routing.engine << ": " << note.text << '\n';
  std::cout << routed->routing.engine << " would route it.\n";
  std::cout << ctl::lid_changes_text(scene->fabric, lids);
  std::cout << ctl::table_changes_text(scene->fabric, tables);
  return kOk;
}

/// Plans as a sweep does that stops before the first write.
int plan_of_live_fabric(const PlanOptions& options) {
  auto configuration = read_configuration(options.scene, options.engines);
  if (!configuration) return kFailed;
  if (options.scene.degrade > 0)
    return complain("--degrade is for fabrics from a file (--topology)"), kFailed;
  config::Options& settings = configuration->options;
  if (!options.engines.empty()) {
    settings.routing_engine = find_engines(options.engines, settings);
    settings.routing_engine.emplace_back("no_fallback");
  }
  settings.reassign_lids = false;  // that is for a daemon's start: this is one that runs
  config::Diagnostics findings;
  partitions::Configuration partitioning = partitions::load(settings, config::read_file, findings);
  for (const config::Diagnostic& finding : findings) std::cerr << finding.text() << '\n';
  if (config::has_errors(findings)) return kFailed;

  auto preview = ctl::preview_live(
      options.scene.guid,
      {.context = make_context(std::move(settings), std::move(configuration->files),
                               std::move(partitioning)),
       .rebalance = options.rebalance,
       .alter = [&](Fabric& fabric) { return disable_links(fabric, options.scene.without); }});
  if (!preview) return complain(preview.error()), kFailed;
  const Fabric& fabric = preview->subnet.fabric;
  const SwitchGraph graph = make_switch_graph(fabric);
  const CutOff cut_off = find_cut_off(fabric, preview->subnet.lids);
  ForwardingTables planned = *preview->target.lfts;
  keep_tables(fabric, cut_off, preview->held_lfts.get(), planned);
  drop_writes(fabric, cut_off, preview->plan);
  for (const std::string& message : preview->messages) complain(message);
  const auto lids = ctl::find_lid_changes(fabric, preview->subnet.lids);
  const auto tables =
      ctl::compare_tables(fabric, graph, preview->subnet.lids, preview->held_lfts.get(), planned,
                          options.paths, cut_off.pairs);
  if (options.json) {
    Json out = plan_json(fabric, preview->subnet.routing->engine, cut_off, lids, tables,
                         preview->conditions);
    out["writes"] = ctl::writes_json(fabric, preview->plan, options.writes);
    std::cout << dumped_by_rows(out);
    return kOk;
  }
  std::cout << summary(graph, preview->subnet.lids) << '\n';
  std::cout << cut_off_text(fabric, cut_off);
  for (const Condition& condition : preview->conditions) std::cout << condition.text << '\n';
  std::cout << preview->subnet.routing->engine << " would route it.\n";
  std::cout << ctl::lid_changes_text(fabric, lids);
  std::cout << ctl::table_changes_text(fabric, tables);
  std::cout << ctl::writes_text(fabric, preview->plan, options.writes);
  return kOk;
}

}  // namespace

int plan(const PlanOptions& options) {
  return options.scene.topology.empty() ? plan_of_live_fabric(options) : plan_of_files(options);
}

}  // namespace sm::commands
