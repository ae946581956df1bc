#pragma once
// A manager remembers two facts of a shared store across restarts: which claim its own files cover,
// and the latest state of the store that it saw.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "mad/runtime.h"
#include "sm/store/replica/marks.h"
#include "sm/store/replica/shared_records.h"

namespace sm {

/// Detects a copy of the whole store that someone puts back later, and that authenticates record by
/// record. A manager that has seen a newer store recognizes it: terms of claims only grow, and so
/// does the position mark below one claim. A manager that has never seen the store cannot know.
class StoreHistory {
 public:
  /// The file gets positions at most this often, and terms at once.
  static constexpr mad::Duration kPause = std::chrono::minutes(1);

  StoreHistory() = default;
  /// An empty `file` means that nothing is kept.
  StoreHistory(std::filesystem::path file, std::string prefix);

  /// Returns the term of the latest claim after which the local files were complete; 0 if there is
  /// none.
  std::uint64_t complete_term() const { return complete_; }
  /// Errors: one line with file and reason.
  tl::expected<void, std::string> complete_under(std::uint64_t term);
  /// The local files lack changes: at the next start the store counts. Works on a full disk, too.
  void incomplete();
  /// Returns the term for a claim that follows `before`: above all terms that were seen.
  std::uint64_t next_term(const std::optional<MasterClaim>& before) const;

  /// Notes what the store holds now, and writes it to the file. A failed write is repeated with the
  /// next change. With `may_be_older`, an older state is used: after a split it is that of the
  /// manager that kept mastership.
  void note(const SharedRecords& content, mad::TimePoint now, bool may_be_older);
  /// True if the store is older than it was when this manager saw it before; such a store is not
  /// used.
  bool is_old() const { return !why_old_.empty(); }
  /// Returns why the store is too old; "" if it is not.
  const std::string& why_old() const { return why_old_; }
  /// Writes what the file does not have yet.
  void close();

 private:
  struct Point {
    std::uint64_t term = 0;
    StoreRevision position = 0;
    auto operator<=>(const Point&) const = default;
  };
  tl::expected<void, std::string> write();

  std::filesystem::path file_;
  std::string prefix_;
  std::uint64_t complete_ = 0;
  Point seen_, in_file_;
  mad::TimePoint written_at_{};
  std::string why_old_;
};

}  // namespace sm
