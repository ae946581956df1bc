#pragma once
// The file of what a manager knows of the origins of P_Keys: kept keys survive a restart.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "partitions/kept_keys.h"

namespace sm {

/// File: the first line has the version (file_version.h). Each of the others is one of:
/// - complete <revision>: KeyOrigins::is_complete, of the partitions of the API at this revision
/// - pending <GUID>: one of KeyOrigins::pending; since revision 1
/// - kept <GUID> <P_Key> <index0>
/// - defined <P_Key> <kind> <first GUID> <last GUID> <membership>: a member of KeyOrigins::former
/// Numbers are hexadecimal. Lines of other kinds are left out.
inline constexpr std::string_view kKeyOriginsFile = "p-key-origins";

struct LoadedKeyOrigins {
  partitions::KeyOrigins origins = {};
  std::string text = {};                   // of the file
  std::vector<std::string> messages = {};  // what is left out: file, line and reason
};
/// `revision`: of the partitions of the API that the journal has. With a lower one than the file
/// has, the journal has lost changes, and nothing is complete.
LoadedKeyOrigins load_key_origins(const std::filesystem::path& folder, std::uint64_t revision);
std::string key_origins_text(const partitions::KeyOrigins& origins, std::uint64_t revision);
/// Errors: one line with file and reason.
tl::expected<void, std::string> save_key_origins(const std::filesystem::path& folder,
                                                 std::string_view text, bool fsync);

/// Adds a configuration to KeyOrigins::former. Definitions of an earlier one decide where both name
/// a port. Returns true if that changes it.
bool note_configuration(partitions::KeyOrigins& origins, const partitions::Configuration& now);
/// Notes that all tables that were read are decided by this configuration. Returns true if that
/// changes KeyOrigins::former.
bool note_decided(partitions::KeyOrigins& origins, const partitions::Configuration& now);

}  // namespace sm
