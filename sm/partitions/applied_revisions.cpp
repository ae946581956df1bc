#include "sm/partitions/applied_revisions.h"

#include <algorithm>
#include <list>

namespace sm {
namespace asio = boost::asio;

struct AppliedRevisions::State {
  mad::Runtime* runtime;
  std::uint64_t value = 0;
  bool ended = false;
  std::list<std::shared_ptr<mad::WakeUp>> waiting = {};

  static asio::awaitable<bool> wait(std::shared_ptr<State> self, std::uint64_t revision,
                                    mad::TimePoint deadline) {
    if (self->value >= revision) co_return true;
    if (self->waiting.size() >= kWaitingMax) co_return false;
    const auto wake = std::make_shared<mad::WakeUp>(*self->runtime);
    const auto at = self->waiting.insert(self->waiting.end(), wake);
    while (!self->ended && self->value < revision && self->runtime->now() < deadline)
      co_await wake->wait_until(deadline);
    self->waiting.erase(at);
    co_return !self->ended && self->value >= revision;
  }
};

AppliedRevisions::AppliedRevisions(mad::Runtime& runtime)
    : state_(std::make_shared<State>(State{.runtime = &runtime})) {}

AppliedRevisions::~AppliedRevisions() {
  state_->ended = true;
  for (const auto& wake : state_->waiting) wake->signal();
}

std::uint64_t AppliedRevisions::value() const { return state_->value; }

void AppliedRevisions::reached(std::uint64_t revision) {
  if (revision <= state_->value) return;
  state_->value = revision;
  for (const auto& wake : state_->waiting) wake->signal();
}

asio::awaitable<bool> AppliedRevisions::wait(std::uint64_t revision, mad::TimePoint deadline) {
  return State::wait(state_, revision, deadline);
}

}  // namespace sm
