#pragma once
// The contents of a shared store below the prefix of one subnet, as far as they authenticate.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sm/store/replica/marks.h"
#include "sm/store/replica/record_seal.h"
#include "sm/store/replica/state_store.h"

namespace sm {

/// Texts by key. A key is `<section>/<rest>`, relative to the prefix of the subnet.
using Records = std::map<std::string, std::string, std::less<>>;

/// Keys are those below the prefix.
///
/// An authentic value that someone puts back later is rejected by its position, the revision of the
/// store that its writer knew: one manager writes at a time, sees its last write before the next
/// one, and a claim ends the writes of the manager before. So the position of a value is below its
/// own revision, not below that of the latest change of its key, of the claim, or of the position
/// of what was written before. The position mark (marks.h) follows the latest write within seconds.
/// Not found: a value of the present claim that is put back before a reader has begun to watch, if
/// its writer ended before it made that mark; and an old copy of the whole store.
class SharedRecords {
 public:
  struct Stored {
    std::optional<std::string> text;  // nothing: rejected
    StoreRevision revision = 0;
    StoreRevision position = 0;  // if it is not rejected
  };
  using All = std::map<std::string, Stored, std::less<>>;

  /// A value, or nothing, at a key of the store; in the order of revisions. Keys of others are
  /// passed over.
  void put(std::string_view prefix, const RecordSeal& seal, std::string_view full_key,
           const std::optional<std::string>& value, StoreRevision revision);

  /// Null if there is none.
  const Stored* find(std::string_view key) const;
  std::optional<MasterClaim> mastership() const;
  std::optional<Announcement> announcement() const;
  /// Returns the records of one section; leaves out those that do not authenticate.
  Records records(std::string_view section) const;

  const All& all() const { return stored_; }
  /// Why records are not used, by key.
  const std::map<std::string, std::string>& rejected() const { return rejected_; }

 private:
  /// Why an authentic value is not what its writer put there; "" if it is.
  std::string misplaced(std::string_view key, const RecordSeal::Opened& value,
                        StoreRevision revision) const;
  void note_position(StoreRevision position);

  All stored_;
  StoreRevision newest_ = 0;  // later values have this position at least; claims may have less
  std::map<std::string, StoreRevision, std::less<>> deleted_;  // above newest_, by key
  std::map<std::string, std::string> rejected_;
};

/// The key is one of the section.
bool is_in(std::string_view key, std::string_view section);

}  // namespace sm
