#pragma once
// The environment of a pass sends SMPs, runs long work and passes events to listeners.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "fabric/subnet.h"
#include "mad/computation.h"
#include "mad/smp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/events/manager_events.h"
#include "sm/sweep/apply/apply.h"
#include "sm/sweep/apply/changing_switches.h"
#include "sm/sweep/apply/compute.h"

namespace sm {

/// Says for as long as it lives that attributes are being written.
class Busy {
 public:
  explicit Busy(std::shared_ptr<bool> flag) : flag_(std::move(flag)) { *flag_ = true; }
  ~Busy() { *flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::shared_ptr<bool> flag_;
};

/// Holds services of the process that sweeps use. Each may be null; none is owned.
struct SweepServices {
  /// Gets PhaseEntered, StageProgressed, and SubnetPublished of drafts.
  EventListener* events = nullptr;
  /// Runs long computations beside the control thread; if null, they run in place.
  mad::Computation* computation = nullptr;
  /// If null, a sweep does not wait for the time that a device needs.
  mad::Runtime* runtime = nullptr;
};

class SweepEnvironment {
 public:
  /// Owns none of the references.
  SweepEnvironment(mad::SmpClient& smp_client, spdlog::logger& logger, ConditionLog& condition_log,
                   SweepServices services);

  /// Runs `work` on another thread. `work` and all that it refers to must live until the coroutine
  /// returns. Nothing else uses data of sweeps before that.
  boost::asio::awaitable<void> compute(const std::function<void()>& work) const;
  bool is_computing() const { return *computing_; }
  /// Sends the stages of a source that reads.
  boost::asio::awaitable<void> read(std::unique_ptr<StageSource> stages,
                                    const Fabric& fabric) const;
  /// Returns options whose reference must outlive them.
  ApplyOptions apply_options() const;
  bool can_pause() const { return services_.runtime != nullptr; }
  boost::asio::awaitable<void> pause(mad::Duration time) const;
  EventListener* events() const { return services_.events; }
  void enter(SweepPhase phase) const { announce(services_.events, PhaseEntered{phase}); }
  /// Returns a subnet for publication, whose destruction does not delay the control thread.
  std::shared_ptr<const Subnet> snapshot(Subnet subnet) const;

  mad::SmpClient& client;
  spdlog::logger& log;
  ConditionLog& conditions;
  ChangingSwitches changing;  // since they were surveyed

 private:
  SweepServices services_;
  std::shared_ptr<mad::Runtime> discards_;  // not owned; snapshots outlive this. Null: in place
  /// The coroutine that computes shares this flag: its frame may be destroyed after this object
  /// when the process ends.
  std::shared_ptr<bool> computing_ = std::make_shared<bool>(false);
};

}  // namespace sm
