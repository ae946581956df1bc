#pragma once
// The kernel's rule for a program's requests: it delivers a response while the transaction is open,
// that is until its time-out or the first response, and refuses a request whose transaction is
// open. Source: drivers/infiniband/core/mad.c, user_mad.c.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mad/mad_header.h"
#include "mad/runtime.h"

namespace sim {

class OpenRequests {
 public:
  /// False: it is open already.
  bool open(mad::ConstMadView request, mad::TimePoint now, mad::Duration timeout) {
    if (entries_.empty()) entries_.resize(kFirstSize);
    const Entry entry{request.transaction_id(), request.mgmt_class(), now + timeout};
    Entry* at = &slot(entry);
    while (!at->is(entry) && at->until > now && entries_.size() < kSizeMax) {
      grow();
      at = &slot(entry);
    }
    if (at->is(entry) && at->until > now) return false;
    *at = entry;
    return true;
  }
  /// True if a program gets this response, which closes the transaction. What was sent without a
  /// time-out is not known here, and delivered.
  bool takes(mad::ConstMadView response, mad::TimePoint now) {
    if (entries_.empty()) return true;
    const Entry key{response.transaction_id(), response.mgmt_class(), {}};
    Entry& entry = slot(key);
    if (!entry.is(key)) return true;
    const bool is_open = entry.until > now;
    entry.until = std::min(entry.until, now);
    return is_open;
  }

 private:
  struct Entry {
    std::uint64_t transaction = 0;
    mad::MgmtClass mgmt_class{};
    mad::TimePoint until{};
    bool is(const Entry& other) const {
      return transaction == other.transaction && mgmt_class == other.mgmt_class;
    }
  };
  static constexpr std::size_t kFirstSize = 64, kSizeMax = 16384;

  Entry& slot(const Entry& key) {
    const std::uint64_t hash =
        (key.transaction ^ std::uint64_t{mad::to_raw(key.mgmt_class)} << 56) *
        0x9E37'79B9'7F4A'7C15u;
    return entries_[hash >> 40 & (entries_.size() - 1)];
  }
  void grow() {
    std::vector<Entry> before(2 * entries_.size());
    before.swap(entries_);
    for (const Entry& entry : before)
      if (entry.until >= slot(entry).until) slot(entry) = entry;
  }

  std::vector<Entry> entries_;  // by hash; nothing is allocated per MAD
};

}  // namespace sim
