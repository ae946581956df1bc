#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "mad/ids.h"
#include "mad/runtime.h"
#include "mad/transport.h"
#include "sm/sa/query/client.h"

namespace sa {

/// A queued request.
struct Waiting {
  Client requester;  // whatever LID and queue pair it sends with
  mad::ReceivedMad mad;
  std::vector<std::uint8_t>
      rest;  // what an RMPP request has beyond its first MAD; empty for all others
  mad::TimePoint came{};
  bool needs_room = false;  // its answer is long, and waits for room
};

/// Requests in the order in which they are answered: one queue per requester, served round robin,
/// so that a flood from one requester delays no other. A physical port and its vports are one
/// requester, and each vport has a bound of its own. Requesters without a port GUID (unknown LIDs)
/// share one queue, that of Guid{}.
///
/// A requester that has more than a few waiting requests has at most an eighth as many as there are
/// free places that are not reserved for those with few. So one that is alone gets thousands, and
/// many that flood at once leave places to others (dynamic thresholds; Choudhury and Hahne,
/// IEEE/ACM Transactions on Networking 6(2), 1998).
class RequestQueue {
 public:
  struct Limits {
    /// All ports of a large subnet, at a moment at which each of them asks: after a restart. About
    /// 400 bytes each, which are taken when that many wait for the first time.
    std::uint32_t total = 32768;
    /// A host whose job starts, or a server whose clients all return, asks for thousands of paths
    /// at once; its kernel takes a refusal as final.
    std::uint32_t per_requester = 4096;
    std::uint32_t per_vport = 1024;
    std::uint32_t free_share = 8;
    std::uint32_t reserved = 8192;  // places that only requesters with few requests take
    std::uint32_t few = 16;
  };
  RequestQueue() : RequestQueue(Limits{}) {}
  explicit RequestQueue(const Limits& limits);

  /// False: the port's bound, its share or the vport's bound is reached, or no place is free, and
  /// the request is not queued.
  bool push(const Client& requester, const mad::ReceivedMad& mad, mad::TimePoint now,
            std::vector<std::uint8_t> rest = {});
  /// The next request; null if the queue is empty. It stays where it is until it is popped.
  const Waiting* front() const {
    return turns_.empty() ? nullptr : &slots_[queues_.at(turns_.front()).first].request;
  }
  /// The first request is done; the next requester has its turn.
  void pop();
  /// The first request is not done yet; the next requester has its turn.
  void rotate();
  /// The first request waits for room for a long answer; the next requester has its turn.
  void postpone();
  void clear();
  std::size_t size() const { return size_; }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  struct Slot {
    Waiting request;
    std::uint32_t next = kNone;
  };
  struct Queue {
    std::uint32_t first = kNone, last = kNone, length = 0;
  };

  /// Its requester may have one more.
  bool may_grow(const Queue& queue) const;

  Limits limits_;
  std::deque<Slot> slots_;  // as many as have ever waited
  std::uint32_t free_ = kNone;
  std::unordered_map<mad::Guid, Queue> queues_;             // those with a request
  std::deque<mad::Guid> turns_;                             // their order
  std::unordered_map<mad::Guid, std::uint32_t> of_vports_;  // requests of each vport that has some
  std::size_t size_ = 0;
};

}  // namespace sa
