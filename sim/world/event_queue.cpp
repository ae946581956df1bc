#include "sim/world/event_queue.h"

#include <algorithm>

namespace sim {

void EventQueue::at(TimePoint when, Action action) {
  heap_.push_back({when, count_++, std::move(action)});
  std::push_heap(heap_.begin(), heap_.end(), Later{});
}

std::optional<TimePoint> EventQueue::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().when;
}

bool EventQueue::run_one(TimePoint limit) {
  if (heap_.empty() || heap_.front().when > limit) return false;
  std::pop_heap(heap_.begin(), heap_.end(), Later{});
  const Event event = std::move(heap_.back());
  heap_.pop_back();
  now_ = std::max(now_, event.when);
  event.action();
  return true;
}

}  // namespace sim
