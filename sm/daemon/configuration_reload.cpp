#include "sm/daemon/configuration_reload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "config/changed_files.h"
#include "config/secret_files.h"
#include "partitions/load.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/health/expected_topology.h"
#include "sm/ops/control_socket.h"

namespace sm {

config::Diagnostics secret_warnings(const config::Options& options) {
  return config::as_warnings(config::exposed_secrets(options), "Heddle uses it as it is");
}

std::filesystem::path fix_paths(config::CommandLine& line) {
  const std::filesystem::path base = std::filesystem::current_path();
  config::make_paths_absolute(line.options, base);
  if (!line.config_file.empty()) line.config_file = std::filesystem::absolute(line.config_file);
  setenv("HEDDLE_RUN_DIR", std::filesystem::absolute(run_dir()).c_str(), 1);
  return base;
}

config::Options read_environment(const std::function<const char*(const char* name)>& read) {
  config::Options options = config::default_options(read("OSM_TMP_DIR"), read("OSM_CACHE_DIR"));
  const char* const format = read("HEDDLE_LOG_FORMAT");
  if (format != nullptr && *format != '\0') options.log_format = format;
  return options;
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
  for (const std::string_view key : config::changed_files(running.files, next.files))
    if (std::ranges::find(result.changed, key) == result.changed.end())
      result.changed.push_back(fmt::format("the file of {}", key));
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
        {.id = kConfigurationConditions.config_rejected,
         .text = fmt::format("configuration rejected: {}{}; the daemon keeps its configuration",
                             result.errors.front(),
                             more == 0   ? ""
                             : more == 1 ? ", and 1 more error"
                                         : fmt::format(", and {} more errors", more))});
  }
  if (!result.needs_restart.empty())
    active.push_back(
        {.id = kConfigurationConditions.restart_needed,
         .text = fmt::format("restart needed for {}: the configuration has other values than the "
                             "daemon was started with",
                             fmt::join(result.needs_restart, ", "))});
  return active;
}

}  // namespace sm
