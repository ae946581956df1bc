#pragma once
// Compares the contents of the files that options name.

#include <string_view>
#include <vector>

#include "config/input_files.h"

namespace config {

/// Returns the keys of the files whose content is another one, each once. A file that an option
/// names no longer has no content. Files of the steps of routing chains count for rch_policy_file.
std::vector<std::string_view> changed_files(const InputFiles& before, const InputFiles& now);

}  // namespace config
