#pragma once
// The executor sends the writes of stages, and repeats those that were lost.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "mad/smp_client.h"
#include "sm/events/manager_events.h"
#include "sm/sweep/apply/changing_switches.h"
#include "sm/sweep/apply/compute.h"
#include "sm/sweep/apply/plan.h"

namespace sm {

struct ApplyOptions {
  /// Gets StageProgressed. Not owned; may be null.
  EventListener* events = nullptr;
  /// Called once, after all tables and before the first write of P_Keys, LIDs or states of ports.
  std::function<boost::asio::awaitable<void>()> before_ports = {};
  /// Called once, before the first vport is set to Active.
  std::function<boost::asio::awaitable<void>()> before_vports = {};
  bool announces_phases = false;  // plan and apply, in turns
  Compute compute = {};           // of each stage
  /// Switches that reported a change, or null. Traps may add to them during this; see Identities.
  const ChangingSwitches* changing = nullptr;
};

/// Sends the stages of a plan, one after the other. On return, the planner's fabric and memory have
/// what devices acknowledged.
boost::asio::awaitable<ApplyReport> apply(mad::SmpClient& client, const ApplyOptions& options,
                                          const Fabric& fabric, Planner& planner);

/// Sends one stage; `method` get: a stage that reads.
boost::asio::awaitable<void> send(mad::SmpClient& client, const ApplyOptions& options,
                                  const Fabric& fabric, mad::Method method, Stage& stage,
                                  ApplyReport& report);

/// Sends the stages of a source that reads.
boost::asio::awaitable<void> read(mad::SmpClient& client, const ApplyOptions& options,
                                  const Fabric& fabric, StageSource& stages);

/// Returns "12 forwarding table blocks, 3 SwitchInfo"; empty if nothing was written.
std::string summary(const ApplyReport& report);

}  // namespace sm
