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

enum class Reader { heddle, opensm };  // who has to be able to read the result
/// Legal options drawn at random. For OpenSM: without what it resets or writes ambiguously itself.
Options random_options(std::uint64_t seed, Reader reader);

/// Names of the keys whose values differ, with both values.
std::vector<std::string> differences(const Options& a, const Options& b);

/// Each finding as a person sees it.
std::vector<std::string> texts(const Diagnostics& diagnostics);

/// A disk that holds these files, and says EACCES to one whose content is kUnreadable.
inline constexpr const char* kUnreadable = "<unreadable>";
FileReader disk(std::map<std::string, std::string> files);

}  // namespace config
