#include "sm/sa/request_queue.h"

#include <utility>

namespace sa {

RequestQueue::RequestQueue(const Limits& limits)
    : limits_(limits), slots_(limits.total), queues_(std::size_t{mad::kPermissiveLid.value} + 1) {
  clear();
}

void RequestQueue::clear() {
  for (Queue& queue : queues_) queue = {};
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    slots_[slot].request.rest.clear();
    slots_[slot].next = slot + 1 < slots_.size() ? slot + 1 : kNone;
  }
  free_ = slots_.empty() ? kNone : 0;
  turn_ = last_turn_ = kNone;
  size_ = 0;
}

bool RequestQueue::push(const mad::ReceivedMad& mad, mad::TimePoint now,
                        std::vector<std::uint8_t> rest) {
  const std::uint32_t requester = mad.from.lid.value;
  Queue& queue = queues_[requester];
  if (free_ == kNone || queue.length >= limits_.per_requester) return false;
  const std::uint32_t slot = std::exchange(free_, slots_[free_].next);
  slots_[slot].request.mad = mad;
  slots_[slot].request.rest = std::move(rest);
  slots_[slot].request.came = now;
  slots_[slot].next = kNone;
  ++size_;
  if (queue.length++ > 0) {
    slots_[queue.last].next = slot;
    queue.last = slot;
    return true;
  }
  queue.first = queue.last = slot;
  queue.next_turn = kNone;
  if (turn_ == kNone) {
    turn_ = requester;
  } else {
    queues_[last_turn_].next_turn = requester;
  }
  last_turn_ = requester;
  return true;
}

void RequestQueue::pop() {
  if (turn_ == kNone) return;
  const std::uint32_t requester = turn_;
  Queue& queue = queues_[requester];
  const std::uint32_t slot = queue.first;
  queue.first = slots_[slot].next;
  slots_[slot].request.rest = {};
  slots_[slot].next = std::exchange(free_, slot);
  --queue.length;
  --size_;
  turn_ = std::exchange(queue.next_turn, kNone);
  if (turn_ == kNone) last_turn_ = kNone;
  if (queue.length == 0) return;
  // The requester goes to the end of the round.
  if (turn_ == kNone) {
    turn_ = requester;
  } else {
    queues_[last_turn_].next_turn = requester;
  }
  last_turn_ = requester;
}

}  // namespace sa
