// heddlectl check-config shows the findings of a daemon about a configuration.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/check.h"
#include "config/control_characters.h"
#include "config/engine_names.h"
#include "config/secret_files.h"
#include "fabric/topology/read.h"
#include "mad/format.h"
#include "mad/number.h"
#include "partitions/load.h"
#include "routing/registry.h"
#include "sm/ctl/commands/commands.h"
#include "sm/ctl/commands/managers.h"
#include "sm/ctl/fabric_file.h"
#include "sm/health/expected_topology.h"
#include "sm/ops/web/connection.h"
#include "sm/ops/web/users.h"
#include "sm/sweep/decide/named_guids.h"

namespace sm::commands {

namespace {

/// Adds findings about secrets in files, and those that only the daemon's services make, in the
/// files that the options name.
partitions::Configuration check_services(config::CheckedConfig& checked) {
  partitions::Configuration partitioning =
      partitions::load(checked.options, config::read_file, checked.diagnostics);
  for (auto* const find : {config::exposed_secrets, config::unusable_secret_files})
    std::ranges::move(find(checked.options), std::back_inserter(checked.diagnostics));
  check_expected(checked.files.expected_topology, checked.diagnostics);
  if (const std::string& users = checked.options.http_users_file; !users.empty())
    web::read_users(users, checked.diagnostics);
  const std::string& cert = checked.options.http_tls_cert;
  const std::string& key = checked.options.http_tls_key;
  if (cert.empty() || key.empty()) return partitioning;
  if (const auto tls = web::make_tls_context(cert, key); !tls)
    checked.diagnostics.push_back({config::Severity::error, "", 0, 0, tls.error(), ""});
  return partitioning;
}

/// Holds a fabric that files are compared with, and GUIDs of it that are not those of ports.
struct ComparedFabric {
  Fabric fabric;
  std::set<mad::Guid> vports = {};
};

/// Returns the fabric of the file or of the manager that runs here; nullopt if there is none.
std::optional<ComparedFabric> compared_fabric(const std::string& topology) {
  if (!topology.empty()) {
    const topology::TopologyFile file = topology::read_topology(topology);
    for (const config::Diagnostic& finding : file.findings) std::cerr << finding.text() << '\n';
    if (config::has_errors(file.findings)) return std::nullopt;
    return ComparedFabric{.fabric = ctl::build_fabric(file.topology, file.lids).fabric};
  }
  const auto api = find_only_api({.guid = {}, .silence_max = std::chrono::seconds(5)});
  if (!api) return std::nullopt;
  const auto nodes = api->all_rows("/v1/nodes", "nodes");
  if (!nodes) return std::nullopt;
  const auto vports = api->all_rows("/v1/vports", "vports");
  if (!vports || nodes->at("nodes").empty()) return std::nullopt;
  ComparedFabric compared{.fabric = ctl::named_fabric(nodes->at("nodes"))};
  for (const Json& vport : vports->at("vports"))
    if (const auto guid = mad::parse_guid(vport.value("guid", ""))) compared.vports.insert(*guid);
  return compared;
}

/// Returns what the files name and the fabric does not have, or has as something else.
std::vector<std::string> notes_on_guids(const config::CheckedConfig& checked,
                                        partitions::Configuration partitioning,
                                        const std::string& topology) {
  std::vector<std::string> notes;
  const std::optional<ComparedFabric> compared = compared_fabric(topology);
  if (!compared) return notes;
  const SharedContext context =
      make_context(checked.options, checked.files, std::move(partitioning));
  for (const auto& conditions : {misplaced_guids(*context, compared->fabric, {}),
                                 absent_guids(*context, compared->fabric, compared->vports)})
    for (const Condition& condition : conditions) notes.push_back(condition.text);
  return notes;
}

Json findings_json(const config::Diagnostics& findings) {
  Json rows = Json::array();
  for (const config::Diagnostic& finding : findings) {
    Json row{{"severity", finding.severity == config::Severity::error ? "error" : "warning"},
             {"text", finding.what}};
    if (!finding.remedy.empty()) row["remedy"] = finding.remedy;
    if (!finding.file.empty()) row["file"] = finding.file;
    if (finding.line > 0) row.update({{"line", finding.line}, {"column", finding.column}});
    if (finding.without_effect) row["without_effect"] = true;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Says that the first engine does not exclude credit loops; empty if it does.
std::string loop_note(const config::Options& options) {
  const std::vector<std::string_view> names = config::runnable_engines(options);
  if (names.empty() ||
      (!options.routing_engine.empty() && options.routing_engine.front() == config::kAutoEngine))
    return {};
  const routing::Engine* const engine = routing::find_engine(names.front());
  if (engine == nullptr || engine->promises_no_credit_loops) return {};
  return fmt::format(
      "{} does not exclude credit loops: where one is possible, SM-ROUTING-LIMIT says so, and "
      "names an engine that excludes it on the fabric",
      engine->name);
}

}  // namespace

int check_config(const CheckConfigOptions& options) {
  auto checked = config::check_config(
      options.file, config::read_file,
      config::default_options(std::getenv("OSM_TMP_DIR"), std::getenv("OSM_CACHE_DIR")));
  // If the file itself cannot be read, the operator did not ask about the defaults.
  std::vector<std::string> notes;
  if (checked.was_read) {
    partitions::Configuration partitioning = check_services(checked);
    notes = notes_on_guids(checked, std::move(partitioning), options.topology);
  }
  config::sort_by_position(checked.diagnostics);
  const config::Verdict verdict = config::judge(checked.diagnostics, options.strict);
  if (options.json) {
    Json shown{{"file", options.file},
               {"usable", verdict.usable},
               {"verdict", verdict.text},
               {"findings", findings_json(checked.diagnostics)}};
    if (!notes.empty()) shown["notes"] = notes;
    std::cout << dumped_by_rows(shown);
    return verdict.usable ? kOk : kFailed;
  }
  for (const config::Diagnostic& diagnostic : checked.diagnostics)
    std::cerr << diagnostic.text() << '\n';
  if (const std::string note = loop_note(checked.options); verdict.usable && !note.empty())
    std::cerr << "note: " << note << '\n';
  for (const std::string& note : notes) std::cerr << "note: " << config::escape_lines(note) << '\n';
  std::cout << config::escape_control_characters(options.file) << ": " << verdict.text << '\n';
  return verdict.usable ? kOk : kFailed;
}

}  // namespace sm::commands
