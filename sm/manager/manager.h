#pragma once
// One subnet manager on one port.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mad/computation.h"
#include "mad/smp_client.h"
#include "partitions/configuration.h"
#include "sm/conditions/condition_log.h"
#include "sm/congestion/congestion_manager.h"
#include "sm/context/sweep_context.h"
#include "sm/events/manager_events.h"
#include "sm/keys/class_key_manager.h"
#include "sm/manager/counted_sends.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/manager/orders.h"
#include "sm/manager/partition_changes.h"
#include "sm/manager/replication.h"
#include "sm/manager/sweep_administration.h"
#include "sm/manager/sweep_runner.h"
#include "sm/manager/trap_intake.h"
#include "sm/manager/upkeep.h"
#include "sm/ops/status.h"
#include "sm/performance/performance_manager.h"
#include "sm/sa/administrator.h"
#include "sm/sweep/sweeper.h"

namespace sm {

struct ManagerOptions {
  config::Options options;
  config::InputFiles files;
  partitions::Configuration partitioning = partitions::default_configuration();
  mad::Guid port_guid;  // as the operating system knows it; NodeInfo has the last word
  bool once = false;    // end after the first sweep
  /// Loggers of single parts, not owned. A part whose logger is null uses the manager's.
  spdlog::logger* sweep_log = nullptr;
  spdlog::logger* administration_log = nullptr;
  SurveyBounds survey_bounds = {};
  /// True in a process with several managers: when one announces Resigned, the process calls
  /// master_resigned() of the others with its port.
  bool others_in_process = false;
  /// Receives PhaseEntered, StageProgressed and Resigned. Not owned; may be null.
  EventListener* listener = nullptr;
  std::shared_ptr<StateReplica> replica = {};  // null: no store is shared with other managers
  std::function<sa::UnixTime()> wall_clock = [] {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  };
};

/// Owns the parts of a subnet manager, and runs their loop. The loop takes reloads, does the work
/// that the scheduler names (SweepRunner), and idles until something is requested, while Upkeep
/// continues. Mastership decides whether the manager leads. Events of the parts arrive at on().
/// All state lives on the runtime's thread.
class Manager final : private EventListener {
 public:
  Manager(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
          ManagerOptions options);

  /// Runs until stop(), a fatal error, or, with `once`, the end of the first sweep. Returns the
  /// process's exit code.
  boost::asio::awaitable<int> run();
  void stop();
  /// Ends all SMPs, and so a sweep under way. Called after stop().
  void abandon();
  /// Takes new options (SIGHUP) and requests that everything is read again; the audit reads
  /// forwarding tables within minutes, or the sweep reads them at once if there is no audit. If
  /// only the partitions or the VL tables (qos_*_sl2vl, qos_*_vlarb_*) changed, a pass decides them
  /// again and writes the difference, without a sweep. A sweep under way ends with the options that
  /// it began with; then the latest reload takes effect. sm_priority and the limits of SMPs take
  /// effect at once.
  void reload(const config::Options& options, const config::InputFiles& files,
              const partitions::Configuration& partitioning);
  /// Counts a reload. `taken` means that its files had no errors, and are in force.
  void note_reload(bool taken) {
    ++(taken ? statistics_.reloads_taken : statistics_.reloads_rejected);
  }

  /// Handles the resignation of the manager of this process at `port`. If this one is its standby,
  /// it surveys at once.
  void master_resigned(mad::Guid port) { mastership_.master_resigned(port); }
  Orders& orders() { return orders_; }
  const Orders& orders() const { return orders_; }
  PartitionChanges& partitions() { return partitions_; }
  /// Takes the complete set of ports whose error counters have been above their thresholds for
  /// hm_num_noisy_hours, after each reading of the counters.
  void set_noisy_ports(const std::set<PortPlace>& ports);
  /// Sets the active conditions of a source in the process that does not belong to this manager.
  void set_conditions(ConditionSource source, std::vector<Condition> active) {
    conditions_.set_active(source, std::move(active));
  }

  bool is_sweeping() const { return !loop_.scheduler().is_held(); }
  /// True if the latest sweep left errors.
  bool has_errors() const { return loop_.scheduler().failures() > 0; }
  ManagerStatus status() const;
  /// Returns the context in force; a reload takes effect with the next sweep.
  SharedContext context() const { return loop_.context(); }
  mad::SmState state() const { return mastership_.state(); }
  /// Returns why the latest sweep was made, and how it ended.
  const std::string& last_sweep() const { return sweeps_.figures().last; }
  const sa::Administrator& administrator() const { return administrator_; }
  /// Returns the client for reads that an operator requests.
  mad::SmpClient& client() { return client_; }
  PerformanceManager& performance() { return performance_; }
  const PerformanceManager& performance() const { return performance_; }

 private:
  void on(const StateEntered& event) override;
  void on(const ManagersSeen& event) override;
  void on(const AnotherMasterWrote& event) override;
  void on(const Resigned& event) override;
  void on(const SubnetPublished& event) override;
  void on(const SweepConcluded& event) override;
  void on(const PhaseEntered& event) override;
  void on(const StageProgressed& event) override;
  void on(const GroupsChanged& event) override;
  void on(const RegistrationsStored& event) override;
  void on(const CountersPublished& event) override;

  // The loop
  void take_reload();
  void read_everything_on_reload();
  /// Does what the scheduler says.
  boost::asio::awaitable<void> act();
  boost::asio::awaitable<void> rest();
  /// Defers traps that arrive during the work until it has ended.
  boost::asio::awaitable<void> defer_traps(boost::asio::awaitable<void> work);

  void on_mads(std::span<const mad::ReceivedMad> mads);
  void on_request(const mad::ReceivedMad& received);
  TrapSituation trap_situation() const;
  sa::ManagerServices administration_services();
  AgentLoop::Surroundings surroundings();
  AgentLoop::Surroundings surroundings_with_keys();
  mad::Lid find_lid(const Condition& condition) const;

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  spdlog::logger& log_;
  ConditionLog conditions_;
  std::function<sa::UnixTime()> wall_clock_;
  EventListener* listener_;  // of the process; null: none
  ManagerStatistics statistics_;
  ManagerLoop loop_;
  mad::SmpClient client_;
  CountedSends sends_;
  SweepAdministration administration_;
  Sweeper sweeper_;
  sa::Administrator administrator_;
  PartitionChanges partitions_;
  Replication replication_;
  TrapIntake traps_;
  // These run beside the sweeps; all else is a loop over agents_.
  PerformanceManager performance_{surroundings(), wall_clock_, this};
  CongestionManager congestion_{surroundings()};
  ClassKeyManager class_keys_{surroundings_with_keys(),
                              [this] { return sweeper_.state().m_keys.version_on_disk(); }};
  std::vector<AgentLoop*> agents_{&performance_, &congestion_, &class_keys_};
  Mastership mastership_;
  Upkeep upkeep_;
  KeyChanges key_changes_;
  SweepRunner sweeps_;
  Orders orders_;
  mad::Computation computation_;  // ends before all that it works with
};

}  // namespace sm
