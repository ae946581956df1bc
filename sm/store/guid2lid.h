#pragma once
// Heddle keeps the LIDs of all ports that it ever discovered across restarts, so that a port keeps
// its LID.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mad/ids.h"
#include "sm/store/cache_files.h"

namespace sm {

/// Maps a port GUID to the LIDs first..last. Shape: sorted by GUID, one entry per GUID. The ranges
/// of load_guid2lid() are also legal: they hold 1, 2, 4, .. or 128 unicast LIDs, begin at a
/// multiple of their size and do not overlap.
struct Guid2Lid {
  struct Entry {
    mad::Guid guid;
    mad::Lid first, last;
    /// Zero means that the port was present at the last assignment; else this is when it was first
    /// absent, in the order of absences. Not in the file.
    std::uint32_t absent_since = 0;
    unsigned count() const { return last.value - first.value + 1u; }
    /// Compares only what the file holds.
    bool operator==(const Entry& other) const {
      return guid == other.guid && first == other.first && last == other.last;
    }
  };
  std::vector<Entry> entries;

  const Entry* find(mad::Guid guid) const;
  bool operator==(const Guid2Lid&) const = default;
};

inline constexpr std::string_view kGuid2LidFile = "guid2lid";

/// Holds the content of a guid2lid file. Errors: all defects by position. A duplicate GUID is not
/// an error: the first record is used, and `warnings` has the second.
struct ParsedGuid2Lid {
  Guid2Lid value;  // valid without errors only
  std::vector<FileError> errors;
  std::vector<FileError> warnings;
};
ParsedGuid2Lid parse_guid2lid(std::string_view text);

/// Writes one record per GUID in GUID order: `0x%016x 0x%04x 0x%04x`, then an empty line.
std::string to_text(const Guid2Lid& guid2lid);

/// Holds the state on disk, and messages for the log.
struct LoadedGuid2Lid {
  Guid2Lid value;
  std::vector<std::string> messages;
  bool corrupt = false;  // the file has defects; it was renamed and `value` is empty
};
/// Reads `<dir>/guid2lid`. A missing file is an empty map. A file with any defect is not used at
/// all, because duplicate LIDs are worse than changed LIDs. It is renamed to guid2lid.corrupt-<n>,
/// which replaces no existing file.
LoadedGuid2Lid load_guid2lid(const std::filesystem::path& dir);

/// Replaces `<dir>/guid2lid` atomically, creating `dir` (one level, mode 0755) if it is missing.
/// Errors: one line that names the file and the reason; the old file is then still complete.
tl::expected<void, std::string> save_guid2lid(const std::filesystem::path& dir,
                                              const Guid2Lid& guid2lid, bool fsync);

}  // namespace sm
