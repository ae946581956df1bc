#pragma once
// A manager remembers of a shared store across restarts: which claim its own files cover, and
// how far the store was when it saw it last.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <tl/expected.hpp>

#include "mad/runtime.h"
#include "sm/store/replica/marks.h"
#include "sm/store/replica/shared_records.h"

namespace sm {

/// A copy of the whole store that someone puts back later authenticates record by record. It is
/// found by a manager that has seen a newer one: terms of claims only grow, and so does the
/// position mark below one claim. A manager that has never seen the store cannot know.
class StoreHistory {
 public:
  /// Positions are written at most so often, terms at once.
  static constexpr mad::Duration kPause = std::chrono::minutes(1);

  StoreHistory() = default;
  /// Empty `file`: nothing is kept.
  StoreHistory(std::filesystem::path file, std::string prefix);

  /// The term of the latest claim after which the local files were complete; 0: none.
  std::uint64_t complete_term() const { return complete_; }
  /// Errors: one line with file and reason.
  tl::expected<void, std::string> complete_under(std::uint64_t term);
  /// For a claim that follows `before`: above all that were seen.
  std::uint64_t next_term(const std::optional<MasterClaim>& before) const;

  /// The store holds this now. The file follows; what cannot be written is written with the next
  /// change.
  void note(const SharedRecords& content, mad::TimePoint now);
  /// The store is older than it was when it was seen before, and is not to be used.
  bool is_old() const { return !why_old_.empty(); }
  /// Why; "" if it is not.
  const std::string& why_old() const { return why_old_; }
  /// Writes what is not in the file yet.
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
