#pragma once
// The loop of a manager as the parts of the manager see it.

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "mad/runtime.h"
#include "sm/context/sweep_context.h"
#include "sm/manager/sweep_scheduler.h"
#include "sm/ops/operator_commands.h"

namespace sm {

/// Holds the revision (of partitions, or of orders of operators) that the fabric has, and who waits
/// for a later one. Used on the runtime's thread only.
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

/// Holds the configuration in force, the requested work, and whether the manager continues. The
/// parts of a manager request work here, which wakes the loop, and wait here. One coroutine waits
/// at a time. Used on the runtime's thread only.
class ManagerLoop {
 public:
  /// The runtime is not owned. With `once`, the manager ends after the first sweep.
  ManagerLoop(mad::Runtime& runtime, SharedContext context, bool once)
      : runtime_(runtime),
        context_(std::move(context)),
        once_(once),
        orders_in_force_(runtime),
        wake_(runtime) {}

  // ---- configuration

  /// Returns the context of the sweep under way, or of the latest work.
  const SharedContext& context() const { return context_; }
  const config::Options& options() const { return context_->options; }
  /// Puts a context in force, between two pieces of work. Returns the previous one.
  SharedContext configure(SharedContext context) {
    return std::exchange(context_, std::move(context));
  }
  /// Keeps a reload until the loop takes it.
  void reload(SharedContext next) {
    next_ = std::move(next);
    wake();
  }
  bool has_reload() const { return next_ != nullptr; }
  /// Returns the latest reload that the loop has not taken, or null if there is none.
  SharedContext take_reload() { return std::exchange(next_, nullptr); }

  // ---- requests

  SweepScheduler& scheduler() { return scheduler_; }
  const SweepScheduler& scheduler() const { return scheduler_; }
  /// These request work of the scheduler, and wake the loop.
  void request_everything(std::string why, bool trust_tables = true) {
    scheduler_.request_everything(std::move(why), trust_tables);
    wake();
  }
  void request_node(mad::Guid node, std::string why) {
    scheduler_.request_node(node, std::move(why));
    wake();
  }
  void request_groups() {
    scheduler_.request_groups();
    wake();
  }

  // ---- orders of operators

  /// Notes an order that the next sweep puts in force.
  void note_order() { ++orders_made_; }
  /// Notes that a sweep begins, which puts the orders up to now in force.
  void sweep_begins() { orders_begun_ = orders_made_; }
  /// Notes that this sweep has published the subnet.
  void sweep_has_published() { orders_in_force_.reached(orders_begun_); }
  OrderProgress order_progress() const {
    return {.made = orders_made_, .in_force = orders_in_force_.value()};
  }
  /// Returns true when the orders up to now are in force, false at `deadline`.
  boost::asio::awaitable<bool> wait_for_orders(mad::TimePoint deadline) {
    return orders_in_force_.wait(orders_made_, deadline);
  }

  // ---- waiting

  mad::TimePoint now() const { return runtime_.now(); }
  void wake() { wake_.signal(); }
  /// Returns true when woken, false at `deadline`.
  boost::asio::awaitable<bool> wait_until(mad::TimePoint deadline) {
    return wake_.wait_until(deadline);
  }
  /// Waits until `end` or stop(); other signals do not end the wait.
  boost::asio::awaitable<void> pause_until(mad::TimePoint end) {
    // Not as one condition: g++ 12 puts a trap behind a loop with an awaited operand of && that
    // ends a coroutine.
    bool woken = true;
    while (!stopping_ && woken) woken = co_await wake_.wait_until(end);
  }

  // ---- the end

  bool is_once() const { return once_; }
  void stop() {
    stopping_ = true;
    wake();
  }
  bool is_stopping() const { return stopping_; }
  /// Ends the loop with this exit code after the work under way.
  void end(int exit_code) { exit_code_ = exit_code; }
  bool goes_on() const { return !stopping_ && !exit_code_; }
  int exit_code() const { return exit_code_.value_or(0); }

 private:
  mad::Runtime& runtime_;
  SharedContext context_;
  SharedContext next_;  // a reload that the loop has not taken; null: none
  bool once_;
  bool stopping_ = false;
  std::optional<int> exit_code_;
  std::uint64_t orders_made_ = 0, orders_begun_ = 0;  // begun: before the sweep under way
  AppliedRevisions orders_in_force_;
  SweepScheduler scheduler_;
  mad::WakeUp wake_;
};

}  // namespace sm
