#pragma once

#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/options.h"

namespace config {

struct Reloaded {
  Options options;                   // to run with from now on
  Options from_file;                 // to hand to the next reload()
  std::vector<std::string> changed;  // keys whose value in `options` is new
  Diagnostics diagnostics;           // with errors, everything above is as before
};

/// Reads the configuration file again, on SIGHUP.
/// Shape:  `running` is in effect; `from_file` is what defaults and file alone said
/// (CommandLine::from_file, then Reloaded::from_file).
///         A key is applied if the file's value for it changed, so a flag holds until somebody
///         edits the key's line. A line that was removed changes nothing, except for the qos_*
///         sets, which go back to unset.
/// Errors: changed keys that cannot change while running are warnings, on each reload until the
/// restart; a missing file changes nothing. Source: behaviour of OpenSM 3.3.23.
Reloaded reload(const std::string& path, const FileReader& reader, const Options& running,
                const Options& from_file);

}  // namespace config
