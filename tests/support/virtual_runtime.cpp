#include "support/virtual_runtime.h"

#include <algorithm>

namespace fake {
namespace {

/// A timer that was armed anew, cancelled or destroyed leaves its old event in the queue, where it finds that it is not meant any more.
class VirtualTimer final : public mad::Timer {
 public:
  VirtualTimer(VirtualRuntime& runtime, std::function<void()> on_expiry) : runtime_(runtime), state_(std::make_shared<State>()) {
    state_->on_expiry = std::move(on_expiry);
  }
  void arm(mad::TimePoint deadline) override {
    const auto generation = ++state_->generation;
    runtime_.at(deadline, [weak = std::weak_ptr(state_), generation] {
      const auto state = weak.lock();
      if (state && state->generation == generation) state->on_expiry();
    });
  }
  void cancel() override { ++state_->generation; }

 private:
  struct State {
    std::function<void()> on_expiry;
    std::uint64_t generation = 0;
  };
  VirtualRuntime& runtime_;
  std::shared_ptr<State> state_;
};

}  // namespace

std::unique_ptr<mad::Timer> VirtualRuntime::make_timer(std::function<void()> on_expiry) {
  return std::make_unique<VirtualTimer>(*this, std::move(on_expiry));
}

void VirtualRuntime::at(mad::TimePoint when, std::function<void()> event) {
  events_.push_back({when, count_++, std::move(event)});
  std::push_heap(events_.begin(), events_.end(), Event::later);
}

bool VirtualRuntime::run_until(const std::function<bool()>& done, mad::Duration limit) {
  const mad::TimePoint end = now_ + limit;
  for (;;) {
    context_.restart();
    context_.poll();
    if (done()) return true;
    if (events_.empty() || events_.front().when > end) break;
    std::pop_heap(events_.begin(), events_.end(), Event::later);
    const Event event = std::move(events_.back());
    events_.pop_back();
    now_ = std::max(now_, event.when);
    event.happen();
  }
  now_ = end;
  return false;
}

}  // namespace fake
