#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/flags.h"
#include "config/options.h"

namespace config {

struct Reloaded {
  Options options;                         // the new options in effect
  CommandLine configured;                  // for the next reload()
  std::vector<std::string> changed;        // keys whose value in `options` is new
  std::vector<std::string> needs_restart;  // keys with a new value that counts at the next start
  Diagnostics diagnostics;                 // with errors, all members above are unchanged
};

/// Reads the configuration file again, on SIGHUP.
/// Shape:  the options are computed as at a start: defaults, then the file, then the flags. So a
/// key that is no longer in the file has its default again, or the value of its flag. `running` is
/// in effect; `configured` is what a start or reload computed last, with the values of the start
/// for keys that cannot change while running. A key is applied if its value there has changed: what
/// an operator has set since (log_flags) stays otherwise. `base`: the directory of relative names
/// of a process that has left it; empty: it has not. Errors: as at a start, and a file that was
/// there and is gone; nothing changes then. Changed keys that cannot change while running are
/// warnings, on each reload until the restart. OpenSM 3.3.23 keeps the values of lines that are
/// gone, and prefers a changed line to a flag.
Reloaded reload(const CommandLine& configured, const Options& running, const FileReader& reader,
                const std::filesystem::path& base = {});

/// Names of files and directories that are relative become those below `base`, so that they stay
/// the same ones for a process that changes its working directory. Names in dump_files_dir
/// (subnet_lst_file, event_db_dump_file) and standard streams (log_file) stay.
void make_paths_absolute(Options& options, const std::filesystem::path& base);

}  // namespace config
