#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "mad/ids.h"

namespace sm {

/// The number that, with the seed, determines the keys of all ports (MKeyPolicy, ClassKeyPolicy).
/// With periodic_key_update it is the minute since 1970 in which the period began, so that managers
/// with one seed and clocks that agree derive the same keys by themselves; after a clock that
/// was ahead it grows by 1 a period. 0: keys have not been changed yet.
struct KeyVersion {
  std::uint64_t current = 0;
  std::uint64_t previous = 0;  // what ports have that the latest change did not reach
  bool operator==(const KeyVersion&) const = default;
};

/// The line of the file and of the record of the state store: "version 29712345 29712285".
std::string to_text(const KeyVersion& version);
/// nullopt: the text is not such a line, or the versions are not in order.
std::optional<KeyVersion> parse_key_version(std::string_view text);

inline constexpr std::string_view kKeyVersionFile = "key-version";
/// A missing file is version 0. Errors: one line with file and reason; then nothing is known of it.
tl::expected<KeyVersion, std::string> load_key_version(const std::filesystem::path& folder);
/// Only the owner may read the file. Errors: one line with file and reason.
tl::expected<void, std::string> save_key_version(const std::filesystem::path& folder,
                                                 const KeyVersion& version, bool fsync);

/// Says which of the clock and the file may be wrong, where a port does not take the keys that
/// follow from both: "key-version (2026-11-27 10:00:00 UTC) is 1440 minutes older than the clock
/// (2026-11-28 10:00:00 UTC)". `stored`: of the file; 0: there is none. `period`: of a version.
/// Pure.
std::string compare_with_clock(const KeyVersion& stored, std::chrono::sys_seconds now,
                               std::chrono::minutes period);

/// The key of a port for one purpose ("heddle m_key", "heddle vs_key"): the first 64 bits of
/// HMAC-SHA256 (RFC 2104) over the purpose, a counter byte and the PortGUID, with the seed as the
/// HMAC's key. The counter, 0 at first, grows until the key is neither 0 nor all ones. With a
/// version other than 0 (KeyVersion) its 8 bytes follow the PortGUID. From keys of one port,
/// purpose or version those of another do not follow. 0: without a seed, and for Guid{}.
std::uint64_t derive_key(std::string_view purpose, std::uint64_t seed, std::uint64_t version,
                         mad::Guid port);

}  // namespace sm
