#include "sm/daemon/configuration_reload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "partitions/load.h"
#include "sm/health/expected_topology.h"

namespace sm {

ConfigurationReload read_again(const config::FileReader& reader, const DaemonConfiguration& running,
                               const std::filesystem::path& base) {
  ConfigurationReload reload;
  config::Diagnostics& found = reload.diagnostics;
  config::Reloaded read = config::reload(running.configured, running.options, reader, base);
  found = std::move(read.diagnostics);
  DaemonConfiguration& next = reload.configuration;
  next.files = config::read_input_files(read.options, reader, found);
  if (next.files.expected_topology != running.files.expected_topology)
    check_expected(next.files.expected_topology, found);
  next.partitioning = partitions::load(read.options, reader, found);
  config::sort_by_position(found);

  ReloadResult& result = reload.result;
  for (const config::Diagnostic& diagnostic : found) {
    result.messages.push_back(diagnostic.text());
    if (diagnostic.severity == config::Severity::error) result.errors.push_back(diagnostic.text());
  }
  if (!result.errors.empty()) {
    next = running;
    return reload;
  }
  result.taken = true;
  result.changed = std::move(read.changed);
  result.needs_restart = std::move(read.needs_restart);
  if (next.files != running.files) result.changed.emplace_back("files that options name");
  if (next.partitioning != running.partitioning) result.changed.emplace_back("partitions");
  next.options = std::move(read.options);
  next.configured = std::move(read.configured);
  return reload;
}

std::vector<Condition> reload_conditions(const ReloadResult& result) {
  std::vector<Condition> active;
  if (!result.taken && !result.errors.empty()) {
    const std::size_t more = result.errors.size() - 1;
    active.push_back(
        {.id = ConditionId::config_rejected,
         .text = fmt::format("configuration rejected: {}{}; the daemon keeps its configuration",
                             result.errors.front(),
                             more == 0   ? ""
                             : more == 1 ? ", and 1 more error"
                                         : fmt::format(", and {} more errors", more))});
  }
  if (!result.needs_restart.empty())
    active.push_back(
        {.id = ConditionId::restart_needed,
         .text = fmt::format("restart needed for {}: the configuration has other values than the "
                             "daemon was started with",
                             fmt::join(result.needs_restart, ", "))});
  return active;
}

}  // namespace sm
