// heddlectl check-config: what a daemon would say of a configuration.

#include <cstdlib>
#include <iostream>

#include "config/check.h"
#include "partitions/load.h"
#include "sm/ctl/commands/commands.h"
#include "sm/health/expected_topology.h"

namespace sm::commands {

int check_config(const std::string& path) {
  auto checked = config::check_config(
      path, config::read_file,
      config::default_options(std::getenv("OSM_TMP_DIR"), std::getenv("OSM_CACHE_DIR")));
  partitions::load(checked.options, config::read_file, checked.diagnostics);
  check_expected(checked.files.expected_topology, checked.diagnostics);
  for (const config::Diagnostic& diagnostic : checked.diagnostics)
    std::cerr << diagnostic.text() << '\n';
  if (config::has_errors(checked.diagnostics)) return kFailed;
  std::cout << path << ": usable"
            << (checked.diagnostics.empty() ? "" : ", with the warnings above") << '\n';
  return kOk;
}

}  // namespace sm::commands
