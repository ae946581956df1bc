#pragma once
// What a shared store holds below the prefix of one subnet, as far as it authenticates.

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
class SharedRecords {
 public:
  struct Stored {
    std::optional<std::string> text;  // nothing: rejected
    StoreRevision revision = 0;
  };
  using All = std::map<std::string, Stored, std::less<>>;

  /// A value, or nothing, at a key of the store. Keys of others are passed over.
  void put(std::string_view prefix, const RecordSeal& seal, std::string_view full_key,
           const std::optional<std::string>& value, StoreRevision revision);

  /// Null if there is none.
  const Stored* find(std::string_view key) const;
  std::optional<Mastership> mastership() const;
  std::optional<Announcement> announcement() const;
  /// Of one section; those that do not authenticate are left out.
  Records records(std::string_view section) const;

  const All& all() const { return stored_; }
  /// Why records are not used, by key.
  const std::map<std::string, std::string>& rejected() const { return rejected_; }

 private:
  All stored_;
  std::map<std::string, std::string> rejected_;
};

/// The key is one of the section.
bool is_in(std::string_view key, std::string_view section);

}  // namespace sm
