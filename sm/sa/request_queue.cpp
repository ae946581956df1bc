#include "sm/sa/request_queue.h"

#include <utility>

namespace sa {

void RequestQueue::clear() {
  queues_.clear();
  turns_.clear();
  of_vports_.clear();
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    slots_[slot].request.rest.clear();
    slots_[slot].next = slot + 1 < slots_.size() ? slot + 1 : kNone;
  }
  free_ = slots_.empty() ? kNone : 0;
  size_ = 0;
}

bool RequestQueue::push(const Client& requester, const mad::ReceivedMad& mad, mad::TimePoint now,
                        std::vector<std::uint8_t> rest) {
  const auto found = queues_.find(requester.port);
  const auto of_vport = requester.is_vport() ? of_vports_.find(requester.end) : of_vports_.end();
  const InUse in_use{.port = found == queues_.end() ? 0 : found->second.length,
                     .own = of_vport == of_vports_.end() ? 0 : of_vport->second,
                     .all = size_};
  if (admission(limits_, requester, in_use) != Admission::admitted) return false;
  if (requester.is_vport()) ++of_vports_[requester.end];
  if (free_ == kNone) {
    free_ = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  }
  const std::uint32_t slot = std::exchange(free_, slots_[free_].next);
  slots_[slot].request = {.requester = requester, .mad = mad, .rest = std::move(rest), .came = now};
  slots_[slot].next = kNone;
  ++size_;
  if (found == queues_.end()) {
    queues_.emplace(requester.port, Queue{.first = slot, .last = slot, .length = 1});
    turns_.push_back(requester.port);
    return true;
  }
  Queue& queue = found->second;
  slots_[queue.last].next = slot;
  queue.last = slot;
  ++queue.length;
  return true;
}

void RequestQueue::pop() {
  if (turns_.empty()) return;
  const auto found = queues_.find(turns_.front());
  Queue& queue = found->second;
  const std::uint32_t slot = queue.first;
  queue.first = slots_[slot].next;
  if (const Client& requester = slots_[slot].request.requester; requester.is_vport()) {
    const auto of_vport = of_vports_.find(requester.end);
    if (--of_vport->second == 0) of_vports_.erase(of_vport);
  }
  slots_[slot].request.rest = {};
  slots_[slot].request.needs_room = false;
  slots_[slot].next = std::exchange(free_, slot);
  --size_;
  if (--queue.length > 0) return rotate();
  queues_.erase(found);
  turns_.pop_front();
}

void RequestQueue::postpone() {
  if (turns_.empty()) return;
  slots_[queues_.at(turns_.front()).first].request.needs_room = true;
  rotate();
}

void RequestQueue::rotate() {
  if (turns_.empty()) return;
  turns_.push_back(turns_.front());
  turns_.pop_front();
}

}  // namespace sa
