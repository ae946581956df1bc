#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "config/diagnostic.h"
#include "config/file_reader.h"
#include "config/options.h"

namespace config {

/// A part of this program with log lines of its own. Each stands for the modules of OpenSM that do
/// the same.
enum class LogModule : std::uint8_t {
  manager,         // mastership, traps, files, and all that is not below
  sweep,           // discovery, LIDs, partitions, routing, what is written
  administration,  // subnet administration
};
inline constexpr std::size_t kLogModules = 3;

/// Bits of log_flags that count for one part, in addition to log_flags.
struct ModuleLevels {
  std::array<std::uint8_t, kLogModules> flags{};
  std::uint8_t& of(LogModule module) { return flags[static_cast<std::size_t>(module)]; }
  std::uint8_t of(LogModule module) const { return flags[static_cast<std::size_t>(module)]; }
  bool operator==(const ModuleLevels&) const = default;
};

/// per_module_logging_file. Shape: one module on a line, by the name of OpenSM's source file
/// (`osm_lid_mgr.c`), then its level as in log_flags, separated by blanks, `,` or `=`; `#` starts a
/// comment. If several modules are one part here, all their levels count. Errors: a name that
/// OpenSM does not have, a level that is no number in 0..255; more words are a warning.
ModuleLevels parse_module_levels(const Source& source, Diagnostics& out);

/// Reads the file that the option names. Errors: as above; a file that is missing under its usual
/// name is none, another one that cannot be read is a warning.
ModuleLevels read_module_levels(const Options& options, const FileReader& reader, Diagnostics& out);

}  // namespace config
