#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/options.h"

namespace config {

/// Options with every key at a legal value that is not its default; all of them legal for
/// OpenSM 3.3.23, too.
Options all_changed();

enum class Reader { heddle, opensm };  // the reader of the result
/// Random legal options. For OpenSM: without values that it resets or writes ambiguously.
Options random_options(std::uint64_t seed, Reader reader);

/// Names of the keys whose values differ, with both values.
std::vector<std::string> differences(const Options& a, const Options& b);

/// The text of each finding.
std::vector<std::string> texts(const Diagnostics& diagnostics);

/// A FileReader of these files, with EACCES for content kUnreadable.
inline constexpr const char* kUnreadable = "<unreadable>";
FileReader disk(std::map<std::string, std::string> files);

}  // namespace config
