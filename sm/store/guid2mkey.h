#pragma once
// The M_Key that every port was last given: without it a port that checks its M_Key answers nobody
// after a restart.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mad/ids.h"

namespace sm {

using Guid2MKey = std::map<mad::Guid, mad::MKey>;

inline constexpr std::string_view kGuid2MKeyFile = "guid2mkey";

/// One record a port GUID in GUID order: `0x%016x 0x%016x`, then an empty line.
std::string to_text(const Guid2MKey& guid2mkey);

struct LoadedGuid2MKey {
  Guid2MKey value;
  std::vector<std::string> messages;
};
/// Reads `<dir>/guid2mkey`; a missing file is an empty map. Unlike LIDs, keys do not contradict
/// each other: bad lines are named and left out, the others are used. The file as it was is then
/// moved aside (guid2mkey.corrupt-<n>) and the good part takes its place at once.
LoadedGuid2MKey load_guid2mkey(const std::filesystem::path& dir);

/// As save_guid2lid(), but only the owner may read the file (mode 0600).
tl::expected<void, std::string> save_guid2mkey(const std::filesystem::path& dir,
                                               const Guid2MKey& guid2mkey, bool fsync);

}  // namespace sm
