#pragma once
// A reload of the configuration: its input and its result.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "config/file_reader.h"
#include "config/flags.h"
#include "config/input_files.h"
#include "config/reload.h"
#include "fabric/condition.h"
#include "partitions/configuration.h"
#include "sm/ops/operator_commands.h"

namespace sm {

/// Returns the defaults of this process, below what files and flags say: OSM_TMP_DIR,
/// OSM_CACHE_DIR, and HEDDLE_LOG_FORMAT, which the units and the image set. `read` is std::getenv.
config::Options read_environment(const std::function<const char*(const char* name)>& read);

/// Holds everything that a daemon takes from files.
struct DaemonConfiguration {
  config::Options options;         // in force
  config::CommandLine configured;  // what the latest start or reload computed: config::reload()
  config::InputFiles files;
  partitions::Configuration partitioning;
};

/// Makes names of files absolute before the working directory becomes /. Returns the working
/// directory.
std::filesystem::path fix_paths(config::CommandLine& line);

struct ConfigurationReload {
  DaemonConfiguration configuration;  // what is in force from now on: as before, if it is rejected
  config::Diagnostics diagnostics;    // in the order of lines
  ReloadResult result;                // without its number
};

/// Reads the configuration file and all files that it names again, as config::reload() says. One
/// error anywhere rejects the whole: nothing of it comes into force. `base`: the directory of
/// relative names of a process that has left it; empty: it has not.
ConfigurationReload read_again(const config::FileReader& reader, const DaemonConfiguration& running,
                               const std::filesystem::path& base);

/// Returns config::exposed_secrets() as warnings: a daemon starts with them, as OpenSM does.
config::Diagnostics secret_warnings(const config::Options& options);

/// SM-CONFIG-REJECTED and SM-RESTART-NEEDED, as the latest reload left them.
std::vector<Condition> reload_conditions(const ReloadResult& result);

}  // namespace sm
