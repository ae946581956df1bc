#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/input_files.h"
#include "config/options.h"

namespace config {

/// Reads the configuration file at `path` (YAML or opensm.conf, by its name) into `options`, over
/// the present values. Returns false if the file does not exist: that is a warning and changes
/// nothing. Errors: an unreadable file is an error.
bool load_config(const std::string& path, const FileReader& reader, Options& options,
                 Diagnostics& out);

/// Returns contradictions between options: an error if options exclude each other, a warning if one
/// of them has no effect. Pure.
Diagnostics check_options(const Options& options);

/// Returns the engines to try, in order: the engines of routing_engine that are built, then minhop
/// unless `no_fallback` is among them.
std::vector<std::string_view> runnable_engines(const Options& options);

struct CheckedConfig {
  Options options;
  InputFiles files;
  bool was_read = false;
  Diagnostics diagnostics;  // of all: file, contradictions, named files; refuse if has_errors()
};
/// Calls load_config, check_options and read_input_files in turn, for `heddlectl check-config`; the
/// daemon refuses to start on the same errors. A file that does not exist is an error here, and
/// ends the check.
CheckedConfig check_config(const std::string& path, const FileReader& reader,
                           const Options& defaults = {});

/// Keys that were set and have no effect unless another one is set, too: a warning for each such
/// other one, at the position of the first of them. Pure.
Diagnostics ineffective_options(const Options& options);

}  // namespace config
