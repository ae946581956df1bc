#pragma once

#include <cstdint>
#include <vector>

#include "mad/runtime.h"
#include "mad/transport.h"

namespace sa {

/// A queued request.
struct Waiting {
  mad::ReceivedMad mad;
  std::vector<std::uint8_t>
      rest;  // what an RMPP request has beyond its first MAD; empty for all others
  mad::TimePoint came{};
};

/// Requests in the order in which they are answered: one queue per requester (LID), served round
/// robin, so that a flood from one requester delays no other. All memory is allocated by the
/// constructor.
class RequestQueue {
 public:
  struct Limits {
    std::uint32_t total = 4096;
    std::uint32_t per_requester = 256;
  };
  RequestQueue() : RequestQueue(Limits{}) {}
  explicit RequestQueue(const Limits& limits);

  /// False: the total bound or the requester's is reached, and the request is not queued.
  bool push(const mad::ReceivedMad& mad, mad::TimePoint now, std::vector<std::uint8_t> rest = {});
  /// The next request; null if the queue is empty. Valid until the next push() or pop().
  const Waiting* front() const {
    return turn_ == kNone ? nullptr : &slots_[queues_[turn_].first].request;
  }
  void pop();
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
    std::uint32_t next_turn =
        kNone;  // the requester after this one; valid while this queue is not empty
  };

  Limits limits_;
  std::vector<Slot> slots_;
  std::vector<Queue> queues_;  // by LID
  std::uint32_t free_ = kNone;
  std::uint32_t turn_ = kNone, last_turn_ = kNone;
  std::size_t size_ = 0;
};

}  // namespace sa
