#pragma once
// The records by which managers share a store: who may write, and whether it has everything.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "mad/ids.h"

namespace sm {

inline constexpr std::string_view kMastershipKey = "mastership", kAnnouncementKey = "complete",
                                  kPositionKey = "position";

/// Which manager claimed the store. The guard of each of its transactions is the revision of this
/// record. Text: `master <port GUID> <term> <nonce>`, hexadecimal.
struct MasterClaim {
  /// The term after it is a number, too.
  static constexpr std::uint64_t kTermMax = std::uint64_t{1} << 63;

  mad::Guid manager;
  std::uint64_t term = 0;   // one more than that of the claim before
  std::uint64_t nonce = 0;  // distinguishes claims before and after a loss of the store's data
  bool operator==(const MasterClaim&) const = default;
};
std::string to_text(const MasterClaim& mark);
std::optional<MasterClaim> parse_mastership(std::string_view text);

/// The store has all changes of this manager: valid for as long as its lease, which the manager
/// renews while it can write; without a lease after a regular end. Text: `complete <port GUID>
/// <term> <LID>`, hexadecimal.
struct Announcement {
  mad::Guid manager;
  std::uint64_t term = 0;
  mad::Lid lid;  // of the manager: that end ports know as their subnet manager's
  bool operator==(const Announcement&) const = default;
};
std::string to_text(const Announcement& announcement);
std::optional<Announcement> parse_announcement(std::string_view text);

/// Written after other records, and never deleted: its position is above that of each of them, so
/// that old ones that are put back are known from it. Text: `position <port GUID> <term>`.
std::string position_text(const MasterClaim& mark);

/// Terms that the file of a manager holds for the store with one prefix.
struct StoredTerms {
  std::uint64_t complete = 0;  // term of the latest claim after which the local files were complete
  std::uint64_t seen = 0;      // term of the latest claim that was seen in the store
  std::int64_t position = 0;   // of the position mark that was seen below it
  bool operator==(const StoredTerms&) const = default;
};
/// Zeros where there is no file, or one of another prefix.
StoredTerms read_terms(const std::filesystem::path& file, std::string_view prefix);
/// Errors: one line with file and reason.
tl::expected<void, std::string> write_terms(const std::filesystem::path& file,
                                            std::string_view prefix, const StoredTerms& terms);

}  // namespace sm
