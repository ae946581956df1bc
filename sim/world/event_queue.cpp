#include "sim/world/event_queue.h"

#include <algorithm>

namespace sim {

void EventQueue::at(TimePoint when, Action action) {
  std::uint32_t slot = static_cast<std::uint32_t>(actions_.size());
  if (free_.empty()) {
    actions_.push_back(std::move(action));
  } else {
    slot = free_.back();
    free_.pop_back();
    actions_[slot] = std::move(action);
  }
  heap_.push_back({when, count_++, slot});
  std::push_heap(heap_.begin(), heap_.end(), Later{});
}

std::optional<TimePoint> EventQueue::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().when;
}

bool EventQueue::run_one(TimePoint limit) {
  if (heap_.empty() || heap_.front().when > limit) return false;
  std::pop_heap(heap_.begin(), heap_.end(), Later{});
  const Event event = heap_.back();
  heap_.pop_back();
  now_ = std::max(now_, event.when);
  const Action action = std::move(actions_[event.slot]);
  actions_[event.slot] = nullptr;
  free_.push_back(event.slot);
  action();
  return true;
}

}  // namespace sim
