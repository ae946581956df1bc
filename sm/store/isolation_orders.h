#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/ids.h"

namespace sm {

/// An operator's order to keep the link at a port out of use, which outlives the process.
struct StoredIsolation {
  using UnixTime = std::chrono::sys_seconds;

  mad::Guid node;  // NodeGUID
  mad::PortNum port;
  std::string by = {}, reason = {};  // may be empty
  UnixTime since{};
  std::optional<UnixTime> until = {};  // nothing: until it is released
  bool is_shared = false;              // the state store has had it; not in its records
  bool operator==(const StoredIsolation&) const = default;
};

/// File: the first line has the version (file_version.h), each of the others one order as JSON:
/// {"by", "node_guid", "port", "reason", "shared", "since", "until"}, times in seconds since 1970.
inline constexpr std::string_view kIsolationsFile = "isolated-links";
inline constexpr std::size_t kIsolationTextBytesMax = 300;  // of `by` and `reason`, each

/// Returns an order as such a line, without '\n'.
std::string to_line(const StoredIsolation& order);
/// Returns nothing if the line is not an order.
std::optional<StoredIsolation> parse_isolation(const std::string& line);

struct LoadedIsolations {
  std::vector<StoredIsolation> orders;
  std::vector<std::string> messages;  // lines that are left out: file, line and reason
};
LoadedIsolations load_isolations(const std::filesystem::path& folder);
/// Errors: one line with file and reason.
tl::expected<void, std::string> save_isolations(const std::filesystem::path& folder,
                                                std::span<const StoredIsolation> orders,
                                                bool fsync);

}  // namespace sm
