#pragma once
// OpenSM's three cache files share this format: one record per line, key first, then values, and an
// empty line after each record.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "fabric/fabric.h"
#include "mad/ids.h"

namespace sm {

/// Holds a defect of a file and its position.
struct FileError {
  int line = 0, column = 0;  // 1-based
  std::string what;
  std::string text(std::string_view file) const;  // "file:line:column: what"
  bool operator==(const FileError&) const = default;
};

/// Returns one message per error; beyond 20 errors, the first 20 messages and the number of the
/// others.
std::vector<std::string> as_messages(const std::vector<FileError>& errors, std::string_view file);

/// A FileToken is a word of a line. It points into the parsed text.
struct FileToken {
  std::string_view text;
  int line = 0, column = 0;  // 1-based
};

/// Holds a key and its values; all point into the parsed text.
struct KeyValueRecord {
  FileToken key;
  std::vector<FileToken> values;
};

struct KeyValueText {
  std::vector<KeyValueRecord> records;  // in file order, duplicates included
  std::vector<FileError> errors;
};

/// Splits the text into records of exactly `values` values. Any other line is an error and left
/// out. Empty lines may be missing or repeated (these files are edited by hand). `text` must
/// outlive the result.
KeyValueText parse_key_values(std::string_view text, unsigned values);

/// Makes a word of a file safe for a message: at most 40 characters, without control characters.
std::string in_quotes(std::string_view text);

// Holds the M_Key that was last set on every port: without it a port that checks its M_Key does not
// respond after a restart of the SM.

using Guid2MKey = std::map<mad::Guid, mad::MKey>;

inline constexpr std::string_view kGuid2MKeyFile = "guid2mkey";

/// Writes one record per port GUID in GUID order: `0x%016x 0x%016x`, then an empty line.
std::string to_text(const Guid2MKey& guid2mkey);

struct LoadedGuid2MKey {
  Guid2MKey value;
  std::vector<std::string> messages;
};
/// Reads `<dir>/guid2mkey`, or another file of this format; a missing file is an empty map. Unlike
/// LIDs, keys cannot conflict: malformed lines are reported and left out, the other lines are used.
/// The damaged file is then renamed (guid2mkey.corrupt-<n>) and replaced by the valid records.
LoadedGuid2MKey load_guid2mkey(const std::filesystem::path& dir,
                               std::string_view file = kGuid2MKeyFile);

/// Saves the map as save_guid2lid() does, but only the owner may read the file (mode 0600).
tl::expected<void, std::string> save_guid2mkey(const std::filesystem::path& dir,
                                               const Guid2MKey& guid2mkey, bool fsync,
                                               std::string_view file = kGuid2MKeyFile);

// Names the file with the links of the fabric, for tools that read OpenSM's `neighbors` file, and
// for a manager that has to know the PortGUID behind a port before it can read the port (MKeys). A
// standby writes it, too.

inline constexpr std::string_view kNeighborsFile = "neighbors";

/// Writes one record per end of a link, so that every link has two: `0x%016x:%u 0x%016x:%u` (port
/// GUID:port, peer's port GUID:port), then an empty line. Records are in order of GUID and port. A
/// switch has the GUID of its port 0.
std::string neighbors_text(const Fabric& fabric);

struct NeighborLink {
  mad::Guid guid;  // of a switch that of port 0
  mad::PortNum port;
  mad::Guid peer;
  mad::PortNum peer_port;
  auto operator<=>(const NeighborLink&) const = default;
};
/// Returns the links of such a text. Malformed lines are ignored.
std::vector<NeighborLink> neighbor_links(std::string_view text);
/// Returns both directions of all links between ports whose GUIDs are known.
std::vector<NeighborLink> neighbor_links(const Fabric& fabric);
/// Writes one record for each link, in the order of `links`.
std::string neighbors_text(std::span<const NeighborLink> links);
/// Returns the links of the file in `dir`; none if it does not exist or cannot be read.
std::vector<NeighborLink> load_neighbor_links(const std::filesystem::path& dir);

/// Returns the port GUIDs of all links in such a text: hosts and switches that were reachable when
/// it was written. Malformed lines are ignored.
std::set<mad::Guid> neighbor_guids(std::string_view text);

/// Saves the links as save_guid2lid() does.
tl::expected<void, std::string> save_neighbors(const std::filesystem::path& dir,
                                               const Fabric& fabric, bool fsync);
tl::expected<void, std::string> save_neighbors(const std::filesystem::path& dir,
                                               std::span<const NeighborLink> links, bool fsync);
/// Returns the port GUIDs of the file in `dir`; nothing if it does not exist or cannot be read.
std::optional<std::set<mad::Guid>> load_neighbor_guids(const std::filesystem::path& dir);

}  // namespace sm
