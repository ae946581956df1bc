#pragma once
// The LID of every port that was ever seen, kept across restarts so that a port gets its old LID
// back.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "mad/ids.h"
#include "sm/store/key_value_file.h"

namespace sm {

/// Port GUID -> LIDs first..last.
/// Shape:  sorted by GUID, one entry a GUID. What load_guid2lid() returns is also legal: ranges
/// hold 1, 2, 4, .. or 128 unicast
///         LIDs, begin at a multiple of their size and do not overlap.
struct Guid2Lid {
  struct Entry {
    mad::Guid guid;
    mad::Lid first, last;
    unsigned count() const { return last.value - first.value + 1u; }
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries;

  const Entry* find(mad::Guid guid) const;
  bool operator==(const Guid2Lid&) const = default;
};

inline constexpr std::string_view kGuid2LidFile = "guid2lid";

/// The text of a guid2lid file.
/// Errors: all that is wrong with it, by position. A GUID that comes twice is not an error: the
/// first record holds, and `warnings` has the second.
struct ParsedGuid2Lid {
  Guid2Lid value;  // only good without errors
  std::vector<FileError> errors;
  std::vector<FileError> warnings;
};
ParsedGuid2Lid parse_guid2lid(std::string_view text);

/// One record a GUID in GUID order: `0x%016x 0x%04x 0x%04x`, then an empty line.
std::string to_text(const Guid2Lid& guid2lid);

/// What was found on disk, and what the operator should hear about it.
struct LoadedGuid2Lid {
  Guid2Lid value;
  std::vector<std::string> messages;
  bool corrupt = false;  // the file broke the rules; it was moved aside and `value` is empty
};
/// Reads `<dir>/guid2lid`. A missing file is an empty map. A file that breaks a rule anywhere is
/// not trusted at all: it is renamed to guid2lid.corrupt-<n> (never over another file), because
/// LIDs that two ports share are worse than LIDs that change.
LoadedGuid2Lid load_guid2lid(const std::filesystem::path& dir);

/// Replaces `<dir>/guid2lid` atomically, creating `dir` (one level, mode 0755) if it is missing.
/// Errors: one line that names the file and the reason; the old file is then still complete.
tl::expected<void, std::string> save_guid2lid(const std::filesystem::path& dir,
                                              const Guid2Lid& guid2lid, bool fsync);

}  // namespace sm
