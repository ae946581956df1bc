#pragma once
// A copy of a store: its records by key and by revision, with the keys that were deleted, so that
// another copy can be brought up to date from any earlier state.

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "sm/store/peers/term_history.h"
#include "sm/store/replica/state_store.h"

namespace sm::peers {

/// A longer line is refused, so that a record fits into a frame.
inline constexpr std::size_t kRecordBytesMax = std::size_t{512} << 10;

/// The latest change of a key. As a line: `set <revision> <key> <value> <words>`, `delete
/// <revision> <key> <words>`, or the same shape with a kind that a later version has. Revisions are
/// hexadecimal; in keys and values `+` is a blank, and %XX a byte.
struct Record {
  StoreRevision revision = 0;
  std::string key{};
  std::optional<std::string> value{};  // nothing: deleted, or of an unknown kind
  std::string words{};                 // as they came; of an unknown kind: the kind comes first
  bool is_known = true;                // the kind
  bool operator==(const Record&) const = default;
};
std::string to_line(const Record& record);
/// Errors: what is wrong, as the end of a sentence.
tl::expected<Record, std::string> parse_record(std::string_view line);

std::string to_line(const Term& term);  // `term <number> <id> <last>`, hexadecimal
std::optional<Term> parse_term(std::string_view line);

/// Takes the first word of a line, and the blank after it.
std::string_view take_word(std::string_view& line);

class StoreCopy {
 public:
  /// More deleted keys are forgotten, the oldest first.
  static constexpr std::size_t kDeletedMax = std::size_t{1} << 16;

  struct Entry {
    StoreRevision revision = 0;
    std::optional<std::string> value;
    std::string words;
    bool is_known = true;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  StoreCopy() = default;
  StoreCopy(StoreCopy&&) = default;
  StoreCopy& operator=(StoreCopy&&) = default;

  const Entries& entries() const { return entries_; }
  const Entry* find(std::string_view key) const;
  std::size_t bytes() const { return bytes_; }  // of keys and values

  TermHistory history;
  Position head() const { return history.head(); }
  /// Returns the latest revision of a record; 0 without records. It is above head() if the history
  /// was lost, or while another branch is taken.
  StoreRevision latest() const { return order_.empty() ? 0 : order_.rbegin()->first; }

  /// Stores a record, unless the key has a later one, or another key has this revision.
  void put(Record record);
  /// Removes what a full copy does not have.
  void erase(std::string_view key);
  /// Returns up to `limit` records after a revision, in order; ends with the record that exceeds
  /// `bytes_max`.
  std::vector<Record> after(StoreRevision revision, std::size_t limit,
                            std::size_t bytes_max = std::size_t{1} << 20) const;
  /// Counts records after a revision, up to `limit`.
  std::size_t count_after(StoreRevision revision, std::size_t limit) const;
  /// True if a copy with this state can be brought up to date by after(): no later deletion was
  /// forgotten.
  bool reaches_back_to(StoreRevision revision) const { return revision >= forgotten_; }
  StoreRevision forgotten() const { return forgotten_; }
  void set_forgotten(StoreRevision revision) { forgotten_ = std::max(forgotten_, revision); }

 private:
  Entries entries_;
  std::map<StoreRevision, const Entries::value_type*> order_;
  std::set<StoreRevision> deleted_;
  StoreRevision forgotten_ = 0;  // of the latest deletion that is not in entries_
  std::size_t bytes_ = 0;
};

}  // namespace sm::peers
