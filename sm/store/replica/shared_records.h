#pragma once
// This file holds the authentic contents of a shared store below the prefix of one subnet.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sm/store/replica/marks.h"
#include "sm/store/replica/record_seal.h"
#include "sm/store/replica/state_store.h"

namespace sm {

/// Maps keys to texts. A key is `<section>/<rest>`, relative to the prefix of the subnet.
using Records = std::map<std::string, std::string, std::less<>>;

/// Holds the records below the prefix, by their keys.
///
/// An authentic value that someone puts back later is rejected by its position, the revision of the
/// store that its writer knew. One manager writes at a time and sees its last write before the next
/// one; a claim ends the writes of the manager before. So the position of a value is below its own
/// revision. It is not below the revision of the latest change of its key, of the claim, or of the
/// position of an earlier record. The position mark (marks.h) follows the latest write within
/// seconds.
///
/// Two cases are not found: an old copy of the whole store, and a value of the present claim that
/// is put back before a reader has begun to watch, if its writer ended before it wrote that mark.
///
/// Managers that hold the store themselves authenticate each other, and a merge gives records of
/// one branch revisions of another. Positions say nothing there.
class SharedRecords {
 public:
  struct Stored {
    std::optional<std::string> text;  // nothing: rejected
    StoreRevision revision = 0;
    StoreRevision position = 0;  // if it is not rejected
  };
  using All = std::map<std::string, Stored, std::less<>>;

  SharedRecords() = default;
  explicit SharedRecords(bool checks_positions) : checks_positions_(checks_positions) {}

  /// Stores a value, or its deletion, at a key of the store; the caller passes changes in the order
  /// of revisions. Ignores keys outside the prefix.
  void put(std::string_view prefix, const RecordSeal& seal, std::string_view full_key,
           const std::optional<std::string>& value, StoreRevision revision);

  /// Returns null if there is no record.
  const Stored* find(std::string_view key) const;
  std::optional<MasterClaim> mastership() const;
  std::optional<Announcement> announcement() const;
  /// Returns the records of one section; leaves out those that do not authenticate.
  Records records(std::string_view section) const;

  const All& all() const { return stored_; }
  /// Maps the keys of records that are not used to the reason.
  const std::map<std::string, std::string>& rejected() const { return rejected_; }

 private:
  /// Returns why an authentic value is not the one that its writer put there; "" if it is.
  std::string misplaced(std::string_view key, const RecordSeal::Opened& value,
                        StoreRevision revision) const;
  void note_position(StoreRevision position);

  bool checks_positions_ = true;
  All stored_;
  StoreRevision newest_ = 0;  // later values have this position at least; claims may have less
  std::map<std::string, StoreRevision, std::less<>> deleted_;  // above newest_, by key
  std::map<std::string, std::string> rejected_;
};

/// True if the key belongs to the section.
bool is_in(std::string_view key, std::string_view section);

}  // namespace sm
