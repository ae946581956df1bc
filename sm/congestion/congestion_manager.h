#pragma once
// The congestion manager sets congestion control of all devices, independently of the sweeps, while
// its subnet manager is MASTER and congestion_control is TRUE.

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "mad/computation.h"
#include "sm/agents/agent_loop.h"
#include "sm/congestion/congestion_devices.h"
#include "sm/congestion/congestion_pass.h"
#include "sm/congestion/congestion_settings.h"

namespace sm {

/// Runs passes over the devices. A pass visits devices at once that are new, may have restarted, or
/// have failed and are due again, and all devices after a reload that changed their settings. At
/// audit_interval a slow pass visits all devices; it yields to the other passes.
class CongestionManager final : public AgentLoop {
 public:
  static constexpr std::size_t kEarlierKeysMax = 4;

  explicit CongestionManager(Surroundings surroundings)
      : AgentLoop(std::move(surroundings)), computation_(runtime_) {}

  /// Sets all devices.
  boost::asio::awaitable<void> run_once() override;
  /// Ports in state Init have lost their settings if their node has restarted.
  void note_ports(const Fabric& fabric) override;
  bool receives(mad::MgmtClass mgmt_class) const override {
    return mgmt_class == mad::MgmtClass::congestion_control;
  }

  /// Returns the table of the latest pass; null if there was none, congestion_control is FALSE, or
  /// this manager is not MASTER.
  SharedCongestion table() const;

 private:
  enum class Reason : std::uint8_t { none, devices, audit, logs };

  bool is_enabled(const config::Options& options) const override {
    return options.congestion_control;
  }
  boost::asio::awaitable<void> step() override;
  void withdraw() override;
  void forget() override;
  boost::asio::awaitable<void> reconcile(std::shared_ptr<const Subnet> subnet);
  boost::asio::awaitable<void> pass(Reason reason, std::shared_ptr<const Subnet> subnet);
  void update_plan();
  void begin_audit_if_due();
  bool is_due(const CongestionRecord& record, Reason reason) const;
  Reason next_reason() const;
  mad::TimePoint next_due() const;
  mad::Duration log_interval() const;
  void set_pace(Reason reason, std::size_t devices);
  std::vector<CongestionPlace> places(Reason reason) const;
  void publish(const Subnet& subnet, const CongestionPass& pass, Reason reason);
  void log_pass(const Subnet& subnet, const CongestionPass& pass);

  CongestionRecords records_;
  std::vector<CongestionEnd> ends_;  // of reconciled_, one for each record
  std::shared_ptr<const Subnet> reconciled_;
  CongestionPlan plan_;
  std::vector<std::uint64_t> earlier_keys_;
  std::vector<mad::Guid> restarted_;     // that note_ports() found, ascending
  std::uint64_t generation_ = 0;         // that devices are to be visited in
  std::uint64_t urgent_generation_ = 0;  // those of an earlier one are visited at once
  mad::TimePoint audited_{}, logs_read_{};
  std::uint64_t passes_ = 0, gets_ = 0, sets_ = 0, mended_ = 0;
  SharedCongestion results_;
  bool announced_ = false;
  mad::Computation computation_;  // ends before all that it works with
};

}  // namespace sm
