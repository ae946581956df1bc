#pragma once
// The M_Key that was last set on every port: without it a port that checks its M_Key does not
// respond after a restart of the SM.

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

/// One record per port GUID in GUID order: `0x%016x 0x%016x`, then an empty line.
std::string to_text(const Guid2MKey& guid2mkey);

struct LoadedGuid2MKey {
  Guid2MKey value;
  std::vector<std::string> messages;
};
/// Reads `<dir>/guid2mkey`; a missing file is an empty map. Unlike LIDs, keys cannot conflict:
/// malformed lines are reported and left out, the others are used. The damaged file is then renamed
/// (guid2mkey.corrupt-<n>) and replaced by the valid records.
LoadedGuid2MKey load_guid2mkey(const std::filesystem::path& dir);

/// As save_guid2lid(), but only the owner may read the file (mode 0600).
tl::expected<void, std::string> save_guid2mkey(const std::filesystem::path& dir,
                                               const Guid2MKey& guid2mkey, bool fsync);

}  // namespace sm
