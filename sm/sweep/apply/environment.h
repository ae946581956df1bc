#pragma once
// The environment of a pass: how SMPs are sent, where long work runs, who is notified.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string_view>

#include "fabric/subnet.h"
#include "mad/smp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/sweep/apply/apply.h"
#include "sm/sweep/apply/busy.h"
#include "sm/sweep/apply/changing_switches.h"
#include "sm/sweep/apply/compute.h"
#include "sm/sweep/apply/phases.h"

namespace sm {

/// Functions of the process that sweeps use. Each may be empty.
struct SweepServices {
  /// Called now and then during long stages.
  std::function<void(std::string_view what, std::size_t done, std::size_t total)> progress = {};
  /// Computes what takes long beside the control thread; empty: in place.
  Compute compute = {};
  /// Suspends a coroutine; empty: a sweep does not wait for what a device needs time for.
  std::function<boost::asio::awaitable<void>(mad::Duration)> pause = {};
  /// Runs on another thread, some time; what it refers to is its own. Empty: in place.
  std::function<void(std::function<void()> work)> discard = {};
  /// Called when a sweep enters a phase.
  OnPhase on_phase = {};
};

class SweepEnvironment {
 public:
  /// None of the references is owned.
  SweepEnvironment(mad::SmpClient& smp_client, spdlog::logger& logger, ConditionLog& condition_log,
                   SweepServices services);

  /// `work` and all that it refers to must live until the coroutine returns. Nothing else uses what
  /// belongs to sweeps before that.
  boost::asio::awaitable<void> compute(const std::function<void()>& work) const;
  bool is_computing() const { return *computing_; }
  /// Sends the stages of a source that reads.
  boost::asio::awaitable<void> read(std::unique_ptr<StageSource> stages,
                                    const Fabric& fabric) const;
  /// The reference that the options hold must live as long as they do.
  ApplyOptions apply_options() const;
  bool can_pause() const { return static_cast<bool>(services_.pause); }
  boost::asio::awaitable<void> pause(mad::Duration time) const { return services_.pause(time); }
  const SweepServices& services() const { return services_; }
  void enter(SweepPhase phase) const {
    if (services_.on_phase) services_.on_phase(phase);
  }
  /// A subnet to be published. When it is not used any more, its end does not keep the control
  /// thread busy.
  std::shared_ptr<const Subnet> snapshot(Subnet subnet) const;

  mad::SmpClient& client;
  spdlog::logger& log;
  ConditionLog& conditions;
  ChangingSwitches changing;  // since they were surveyed

 private:
  SweepServices services_;
  std::shared_ptr<const std::function<void(std::function<void()>)>> discard_;  // null: in place
  /// Shared with the coroutine that computes: its frame may be destroyed after this when the
  /// process ends.
  std::shared_ptr<bool> computing_ = std::make_shared<bool>(false);
};

}  // namespace sm
