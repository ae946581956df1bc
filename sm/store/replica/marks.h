#pragma once
// Managers coordinate their use of a store by these records: which manager may write, and whether
// the store has everything.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "mad/ids.h"
#include "mad/runtime.h"

namespace sm {

inline constexpr std::string_view kMastershipKey = "mastership", kAnnouncementKey = "complete",
                                  kPositionKey = "position";

/// The latest answer of another manager as MASTER.
struct MasterAnswer {
  mad::Guid manager{};  // GUID of its port
  mad::TimePoint at{};
};

/// Names the manager that has claimed the store. The guard of each of its transactions is the
/// revision of this record. Text: `master <port GUID> <term> <nonce>`, hexadecimal.
struct MasterClaim {
  /// A claim of the highest term leaves room for the term after it.
  static constexpr std::uint64_t kTermMax = std::uint64_t{1} << 63;

  mad::Guid manager;
  std::uint64_t term = 0;   // one more than that of the claim before
  std::uint64_t nonce = 0;  // distinguishes claims before and after a loss of the store's data
  bool operator==(const MasterClaim&) const = default;
};
std::string to_text(const MasterClaim& mark);
std::optional<MasterClaim> parse_mastership(std::string_view text);

/// States that the store has all changes of this manager. The record is valid for as long as its
/// lease, which the manager renews while it can write; after a regular end it has no lease. Text:
/// `complete <port GUID> <term> <LID>`, hexadecimal.
struct Announcement {
  mad::Guid manager;
  std::uint64_t term = 0;
  mad::Lid lid;  // of the manager: that end ports know as their subnet manager's
  bool operator==(const Announcement&) const = default;
};
std::string to_text(const Announcement& announcement);
std::optional<Announcement> parse_announcement(std::string_view text);

/// Returns the text of the position mark: `position <port GUID> <term>`. The mark is written after
/// other records and never deleted. Its position is above that of each of them, so that a reader
/// recognizes old records that someone puts back.
std::string position_text(const MasterClaim& mark);

/// Holds the terms that the file of a manager has for the store with one prefix.
struct StoredTerms {
  std::uint64_t complete = 0;  // term of the latest claim after which the local files were complete
  std::uint64_t seen = 0;      // term of the latest claim that was seen in the store
  std::int64_t position = 0;   // of the position mark that was seen below it
  bool operator==(const StoredTerms&) const = default;
};
/// Returns zeros if there is no file, or one of another prefix.
StoredTerms read_terms(const std::filesystem::path& file, std::string_view prefix);
/// Errors: one line with file and reason.
tl::expected<void, std::string> write_terms(const std::filesystem::path& file,
                                            std::string_view prefix, const StoredTerms& terms);

}  // namespace sm
