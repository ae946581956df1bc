#pragma once
// The links of the fabric, for tools that read OpenSM's `neighbors` file.

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "fabric/fabric.h"

namespace sm {

inline constexpr std::string_view kNeighborsFile = "neighbors";

/// One record per end of a link, so that every link has two: `0x%016x:%u 0x%016x:%u` (port
/// GUID:port, peer's port GUID:port), then an empty line. A switch has the GUID of its port 0. In
/// order of GUID and port.
std::string neighbors_text(const Fabric& fabric);

/// Port GUIDs of all links in such a text: of hosts and switches that were reachable when it was
/// written. Malformed lines are ignored.
std::set<mad::Guid> neighbor_guids(std::string_view text);

/// As save_guid2lid().
tl::expected<void, std::string> save_neighbors(const std::filesystem::path& dir,
                                               const Fabric& fabric, bool fsync);
/// The same of the file in `dir`; nothing if it does not exist or cannot be read.
std::optional<std::set<mad::Guid>> load_neighbor_guids(const std::filesystem::path& dir);

}  // namespace sm
