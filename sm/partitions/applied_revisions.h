#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <list>
#include <memory>

#include "mad/runtime.h"

namespace sm {

/// The revision (of partitions, or of orders of operators) that the fabric has, and who waits for a
/// later one. On the runtime's thread.
class AppliedRevisions {
 public:
  static constexpr std::size_t kWaitingMax = 1'000;

  explicit AppliedRevisions(mad::Runtime& runtime) : state_(std::make_shared<State>(runtime)) {}
  /// All that wait get false.
  ~AppliedRevisions() {
    state_->ended = true;
    state_->wake();
  }
  AppliedRevisions(const AppliedRevisions&) = delete;
  AppliedRevisions& operator=(const AppliedRevisions&) = delete;

  std::uint64_t value() const { return state_->value; }
  void reached(std::uint64_t revision) {
    if (revision <= state_->value) return;
    state_->value = revision;
    state_->wake();
  }
  /// Returns false if that is not so before `deadline`, or if too many wait.
  boost::asio::awaitable<bool> wait(std::uint64_t revision, mad::TimePoint deadline) {
    return State::wait(state_, revision, deadline);
  }

 private:
  struct State {
    explicit State(mad::Runtime& of) : runtime(of) {}

    void wake() const {
      for (const auto& each : waiting) each->signal();
    }
    static boost::asio::awaitable<bool> wait(std::shared_ptr<State> self, std::uint64_t revision,
                                             mad::TimePoint deadline) {
      if (self->value >= revision) co_return true;
      if (self->waiting.size() >= kWaitingMax) co_return false;
      const auto signal = std::make_shared<mad::WakeUp>(self->runtime);
      const auto at = self->waiting.insert(self->waiting.end(), signal);
      while (!self->ended && self->value < revision && self->runtime.now() < deadline)
        co_await signal->wait_until(deadline);
      self->waiting.erase(at);
      co_return !self->ended && self->value >= revision;
    }

    mad::Runtime& runtime;
    std::uint64_t value = 0;
    bool ended = false;
    std::list<std::shared_ptr<mad::WakeUp>> waiting;
  };

  std::shared_ptr<State> state_;  // shared with the coroutines that wait
};

}  // namespace sm
