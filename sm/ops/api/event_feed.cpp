#include "sm/ops/api/event_feed.h"

#include <utility>

namespace sm::api {

void EventFeed::observe(std::shared_ptr<const View> view) {
  {
    const std::lock_guard lock(mutex_);
    observed_at_ = std::chrono::steady_clock::now();
    if (std::exchange(pending_, std::move(view))) return;  // compare() is under way to it
  }
  worker_.post([this] { compare(); });
}

std::chrono::steady_clock::time_point EventFeed::observed_at() const {
  const std::lock_guard lock(mutex_);
  return observed_at_;
}

void EventFeed::compare() {
  std::shared_ptr<const View> view;
  {
    const std::lock_guard lock(mutex_);
    view = std::exchange(pending_, nullptr);
  }
  // Requests may be answered in another order than they were made.
  if (last_ && view->status.now < last_->status.now) return;
  const auto snapshot = snapshots_.of(*view);
  if (last_)
    log_.add(events_between(*last_, *view), {.wall = wall_clock_(), .steady = view->status.now},
             *snapshot);
  last_ = std::move(view);
}

}  // namespace sm::api
