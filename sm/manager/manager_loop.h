#pragma once
// The loop of a manager as the parts of the manager see it.

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "mad/runtime.h"
#include "sm/context/sweep_context.h"
#include "sm/manager/sweep_scheduler.h"
#include "sm/ops/operator_commands.h"
#include "sm/partitions/applied_revisions.h"

namespace sm {

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
  void reload(SharedContext next);
  bool has_reload() const { return next_ != nullptr; }
  /// Returns the latest reload that the loop has not taken, or null if there is none.
  SharedContext take_reload() { return std::exchange(next_, nullptr); }

  // ---- requests

  SweepScheduler& scheduler() { return scheduler_; }
  const SweepScheduler& scheduler() const { return scheduler_; }
  /// These request work of the scheduler, and wake the loop.
  void request_everything(std::string why, bool trust_tables = true);
  void request_node(mad::Guid node, std::string why);
  void request_groups();

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
  boost::asio::awaitable<void> pause_until(mad::TimePoint end);

  // ---- the end

  bool is_once() const { return once_; }
  void stop();
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
