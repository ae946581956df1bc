#include "sim/world/virtual_runtime.h"

namespace sim {
namespace {

/// A timer that was armed again, cancelled or destroyed leaves its old event in the queue; the
/// event then has no effect.
class VirtualTimer final : public mad::Timer {
 public:
  VirtualTimer(EventQueue& events, std::function<void()> on_expiry)
      : events_(events), state_(std::make_shared<State>()) {
    state_->on_expiry = std::move(on_expiry);
  }
  void arm(mad::TimePoint deadline) override {
    const auto generation = ++state_->generation;
    events_.at(deadline, [weak = std::weak_ptr(state_), generation] {
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
  EventQueue& events_;
  std::shared_ptr<State> state_;
};

}  // namespace

std::unique_ptr<mad::Timer> VirtualRuntime::make_timer(std::function<void()> on_expiry) {
  return std::make_unique<VirtualTimer>(events_, std::move(on_expiry));
}

bool VirtualRuntime::run_handler() {
  context_.restart();
  if (context_.poll_one() == 0) return false;
  const mad::TimePoint free_again = now() + handler_time;
  while (events_.run_one(free_again)) {
  }
  events_.advance(free_again);
  return true;
}

void VirtualRuntime::let_coroutines_run() {
  context_.restart();
  context_.poll();
}

}  // namespace sim
