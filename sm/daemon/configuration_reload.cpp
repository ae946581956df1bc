#include "sm/daemon/configuration_reload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <utility>

#include "config/control_characters.h"
#include "config/option_files.h"
#include "config/secret_files.h"
#include "partitions/load.h"
#include "sm/health/expected_topology.h"
#include "sm/store/atomic_file.h"

namespace sm {

int create_config(const config::CommandLine& line, std::ostream& errors) {
  const auto text = config::dump_for(line.create_file, line.options);
  if (!text) {
    for (const config::Diagnostic& fault : text.error()) errors << fault.text() << '\n';
    return 1;
  }
  const auto written = write_file_atomically(line.create_file, *text, false,
                                             config::configuration_mode(line.options));
  if (written) return 0;
  errors << config::escape_control_characters(written.error()) << '\n';
  return 1;
}

config::Diagnostics secret_warnings(const config::Options& options) {
  return config::as_warnings(config::exposed_secrets(options), "Heddle uses it as it is");
}

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
  std::ranges::move(secret_warnings(read.options), std::back_inserter(found));
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
