#pragma once

#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/options.h"

namespace config {

struct Reloaded {
  Options options;                         // the new options in effect
  Options from_file;                       // for the next reload()
  std::vector<std::string> changed;        // keys whose value in `options` is new
  std::vector<std::string> needs_restart;  // keys with a new value that counts at the next start
  Diagnostics diagnostics;                 // with errors, all members above are unchanged
};

/// Reads the configuration file again, on SIGHUP.
/// Shape:  `running` is in effect; `from_file` is the result of defaults and file alone
/// (CommandLine::from_file, then Reloaded::from_file). A key is applied if its value in the file
/// has changed, so that a flag is in effect until the key's line is edited. A line that was removed
/// changes nothing, except for the qos_* sets, which become unset. Errors: changed keys that cannot
/// change while running are warnings, on each reload until the restart; a missing file changes
/// nothing. Source: behaviour of OpenSM 3.3.23.
Reloaded reload(const std::string& path, const FileReader& reader, const Options& running,
                const Options& from_file);

}  // namespace config
