#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "mad/ids.h"
#include "mad/runtime.h"
#include "mad/transport.h"
#include "sm/sa/port_share.h"
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
class RequestQueue {
 public:
  /// All places are enough for one request of each port of a large subnet, as after a restart. Each
  /// takes about 400 bytes, allocated when that many requests wait for the first time. A host whose
  /// job starts, or a server whose clients all return, requests thousands of paths at once; its
  /// kernel takes a refusal as final.
  static constexpr ShareLimits kLimits{.total = 32768,
                                       .per_port = 4096,
                                       .per_vport = 1024,
                                       .free_share = 8,
                                       .reserved = 8192,
                                       .few = 16};
  explicit RequestQueue(const ShareLimits& limits = kLimits) : limits_(limits) {}

  /// Returns false and does not queue the request if the port or the vport has its share, or no
  /// place is free.
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

  ShareLimits limits_;
  std::deque<Slot> slots_;  // as many as the most requests that ever waited
  std::uint32_t free_ = kNone;
  std::unordered_map<mad::Guid, Queue> queues_;             // those with a request
  std::deque<mad::Guid> turns_;                             // their order
  std::unordered_map<mad::Guid, std::uint32_t> of_vports_;  // requests of each vport that has some
  std::size_t size_ = 0;
};

}  // namespace sa
