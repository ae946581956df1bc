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
      rest;  // the part of an RMPP request after its first MAD; empty for others
  mad::TimePoint came{};
  bool needs_room = false;  // its answer is long, and waits for room
};

/// Holds requests in the order in which they are answered: one queue per requester, served round
/// robin, so that a flood from one requester delays no other. A physical port and its vports are
/// one requester, and each vport has its own bound. Requesters without a port GUID (unknown LIDs)
/// share the queue of Guid{}.
///
/// A requester that has more than a few waiting requests gets at most an eighth of the free places
/// that are not reserved for requesters with few. A lone requester gets thousands of places, and
/// many that flood at once leave places to others (dynamic thresholds; Choudhury and Hahne,
/// IEEE/ACM Transactions on Networking 6(2), 1998).
class RequestQueue {
 public:
  struct Limits {
    /// Bounds all requests: enough for one of each port of a large subnet, as after a restart. Each
    /// takes about 400 bytes, allocated when that many requests wait for the first time.
    std::uint32_t total = 32768;
    /// A host whose job starts, or a server whose clients all return, requests thousands of paths
    /// at once; its kernel takes a refusal as final.
    std::uint32_t per_requester = 4096;
    std::uint32_t per_vport = 1024;
    std::uint32_t free_share = 8;
    std::uint32_t reserved = 8192;  // places that only requesters with few requests take
    std::uint32_t few = 16;
  };
  RequestQueue() : RequestQueue(Limits{}) {}
  explicit RequestQueue(const Limits& limits);

  /// Returns false and does not queue the request if the port's bound, its share or the vport's
  /// bound is reached, or no place is free.
  bool push(const Client& requester, const mad::ReceivedMad& mad, mad::TimePoint now,
            std::vector<std::uint8_t> rest = {});
  /// Returns the next request, which stays in the queue until pop(), or null if there is none.
  const Waiting* front() const {
    return turns_.empty() ? nullptr : &slots_[queues_.at(turns_.front()).first].request;
  }
  /// Removes the first request, which is done; the next requester has its turn.
  void pop();
  /// Keeps the first request, which is not done yet; the next requester has its turn.
  void rotate();
  /// Keeps the first request, which waits for room for a long answer; the next requester follows.
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

  /// True if the queue's requester may add a request.
  bool may_grow(const Queue& queue) const;

  Limits limits_;
  std::deque<Slot> slots_;  // as many as the most requests that ever waited
  std::uint32_t free_ = kNone;
  std::unordered_map<mad::Guid, Queue> queues_;             // those with a request
  std::deque<mad::Guid> turns_;                             // their order
  std::unordered_map<mad::Guid, std::uint32_t> of_vports_;  // requests of each vport that has some
  std::size_t size_ = 0;
};

}  // namespace sa
