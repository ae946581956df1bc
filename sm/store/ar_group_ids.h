#pragma once
// The numbers of groups of adaptive routing, kept across restarts.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "fabric/adaptive_groups.h"
#include "mad/ids.h"

namespace sm {

/// By NodeGUID of the switch that packets of the group go to. A switch keeps its number while it is
/// not there.
using GroupIds = std::map<mad::Guid, fabric::GroupId>;

/// File: the first line has the version (file_version.h), each other one a NodeGUID and a number
/// from 1 to 4095.
inline constexpr std::string_view kGroupIdsFile = "ar-group-ids";

/// Reads "0x0002c90000000001 17"; nothing if the line is something else.
std::optional<std::pair<mad::Guid, fabric::GroupId>> parse_group_id(std::string_view line);

/// Without a file: empty. Errors: one line with file and reason; then nothing of it is used.
tl::expected<GroupIds, std::string> load_group_ids(const std::filesystem::path& folder);
std::string to_text(const GroupIds& ids);
/// On disk when it returns. Errors: one line with file and reason.
tl::expected<void, std::string> save_group_ids(const std::filesystem::path& folder,
                                               const GroupIds& ids, bool fsync);

}  // namespace sm
