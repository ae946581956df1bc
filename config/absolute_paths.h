#pragma once

#include <filesystem>

#include "config/options.h"

namespace config {

/// Names of files and directories that are relative become those below `base`, so that they stay
/// the same ones for a process that changes its working directory. Names in dump_files_dir
/// (subnet_lst_file, event_db_dump_file) and standard streams (log_file) stay.
void make_paths_absolute(Options& options, const std::filesystem::path& base);

}  // namespace config
