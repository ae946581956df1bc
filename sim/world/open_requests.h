#pragma once
// The kernel's rule for a program's requests: it delivers a response while the transaction is open,
// until the time-out or the first response. Segments of RMPP are delivered at any time, since only
// the program knows the end of the message. The kernel refuses a request whose transaction is open.
// Source: drivers/infiniband/core/mad.c, user_mad.c.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mad/rmpp.h"
#include "mad/runtime.h"

namespace sim {

class OpenRequests {
 public:
  /// Opens a transaction. False if it is open already.
  bool open(mad::ConstMadView request, mad::TimePoint now, mad::Duration timeout) {
    if (entries_.empty()) entries_.resize(kFirstSize);
    const Entry entry{request.transaction_id(), request.mgmt_class(), now + timeout};
    if (Entry* const same = find(entry)) {
      if (same->until > now) return false;
      *same = entry;
      return true;
    }
    while (oldest(entry).until > now && entries_.size() < kSizeMax) grow();
    oldest(entry) = entry;
    return true;
  }
  /// True if a program gets this response, which closes the transaction. Responses to requests
  /// without a time-out are unknown here, and always delivered.
  bool takes(mad::ConstMadView response, mad::TimePoint now) {
    if (entries_.empty()) return true;
    const Entry key{response.transaction_id(), response.mgmt_class(), {}};
    Entry* const entry = find(key);
    if (entry == nullptr) return true;
    const bool is_open = entry->until > now;
    entry->until = std::min(entry->until, now);
    return is_open || is_active_rmpp(response);
  }

 private:
  static bool is_active_rmpp(mad::ConstMadView mad) {
    return mad::rmpp_header_bytes(mad.mgmt_class()) != 0 &&
           mad::ConstRmppView(mad.bytes()).is_rmpp_active();
  }
  struct Entry {
    std::uint64_t transaction = 0;
    mad::MgmtClass mgmt_class{};
    mad::TimePoint until{};
    bool is(const Entry& other) const {
      return transaction == other.transaction && mgmt_class == other.mgmt_class;
    }
  };
  static constexpr std::size_t kFirstSize = 64, kSizeMax = 16384;

  /// An entry is at one of so many places from its hash on. The table's size thus depends on the
  /// number of open requests, not on collisions of hashes.
  static constexpr std::size_t kPlaces = 8;

  Entry& slot(const Entry& key, std::size_t place) {
    const std::uint64_t hash =
        (key.transaction ^ std::uint64_t{mad::to_raw(key.mgmt_class)} << 56) *
        0x9E37'79B9'7F4A'7C15u;
    return entries_[((hash >> 40) + place) & (entries_.size() - 1)];
  }
  /// Returns null if there is none.
  Entry* find(const Entry& key) {
    for (std::size_t place = 0; place < kPlaces; ++place)
      if (Entry& entry = slot(key, place); entry.is(key)) return &entry;
    return nullptr;
  }
  /// Returns the place, among those for the key, whose transaction ends first.
  Entry& oldest(const Entry& key) {
    Entry* found = &slot(key, 0);
    for (std::size_t place = 1; place < kPlaces; ++place)
      if (Entry& entry = slot(key, place); entry.until < found->until) found = &entry;
    return *found;
  }
  void grow() {
    std::vector<Entry> before(2 * entries_.size());
    before.swap(entries_);
    for (const Entry& entry : before)
      if (Entry& at = oldest(entry); entry.until >= at.until) at = entry;
  }

  std::vector<Entry> entries_;  // by hash; nothing is allocated per MAD
};

}  // namespace sim
