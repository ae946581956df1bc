#pragma once
// One subnet manager on one port: when to sweep, what to answer, whether to lead. All state lives
// on the runtime's thread.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "mad/computation.h"
#include "mad/smp.h"
#include "mad/smp_client.h"
#include "partitions/configuration.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"
#include "sm/election/control.h"
#include "sm/election/election.h"
#include "sm/election/followed_masters.h"
#include "sm/election/handover.h"
#include "sm/election/known_managers.h"
#include "sm/election/standby.h"
#include "sm/manager/audit_pace.h"
#include "sm/manager/port_watch.h"
#include "sm/manager/rebalancing.h"
#include "sm/manager/replication.h"
#include "sm/manager/snapshot_files.h"
#include "sm/manager/standby_view.h"
#include "sm/manager/sweep_scheduler.h"
#include "sm/manager/trap_intake.h"
#include "sm/manager/write_guard.h"
#include "sm/ops/operator_commands.h"
#include "sm/ops/status.h"
#include "sm/partitions/applied_revisions.h"
#include "sm/partitions/partition_store.h"
#include "sm/performance/performance_manager.h"
#include "sm/sa/administrator.h"
#include "sm/store/isolation_orders.h"
#include "sm/sweep/observe/light_sweep.h"
#include "sm/sweep/sweeper.h"

namespace sm {

using Progress = decltype(SweepServices::progress);

struct ManagerOptions {
  config::Options options;
  config::InputFiles files;
  partitions::Configuration partitioning = partitions::default_configuration();
  mad::Guid port_guid;    // as the operating system knows it; NodeInfo has the last word
  bool once = false;      // end after the first sweep
  Progress progress;      // may be empty
  OnPhase on_phase = {};  // of sweeps
  /// The loggers of single parts are not owned. Null: the manager's.
  spdlog::logger* sweep_log = nullptr;
  spdlog::logger* administration_log = nullptr;
  SurveyBounds survey_bounds = {};
  /// In a process with several managers: called when this one was MASTER and can lead no longer
  /// (its port has lost its link, or it ends). The others are to get master_resigned() with its
  /// port.
  std::function<void()> on_resigned = {};
  std::unique_ptr<StateReplica> replica = {};  // null: no store is shared with other managers
  std::function<sa::UnixTime()> wall_clock = [] {
    return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  };
};

class Manager {
 public:
  Manager(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
          ManagerOptions options);

  /// Runs until stop(), a fatal error, or (once) the end of the first sweep. Returns the process's
  /// exit code.
  boost::asio::awaitable<int> run();
  void stop();
  /// SIGHUP: new options, and everything is read again, forwarding tables by the audit within
  /// minutes, without one at once. If nothing but the
  /// partitions, or the VL tables (qos_*_sl2vl, qos_*_vlarb_*) changed, they alone are
  /// decided again, and no more than the difference is written: no sweep. A sweep that is under way
  /// ends with what it began with; then the difference between that and the latest reload counts.
  /// At once: sm_priority, and the limits of SMPs.
  void reload(const config::Options& options, const config::InputFiles& files,
              const partitions::Configuration& partitioning);

  /// A reload was asked for, and what was read is in force, or is not because of errors.
  void note_reload(bool taken) {
    ++(taken ? statistics_.reloads_taken : statistics_.reloads_rejected);
  }

  /// The manager of this process at `port` can lead no longer. If this one is its standby, it
  /// surveys at once.
  void master_resigned(mad::Guid port);
  /// The next sweep chooses all routes again, and writes what differs in the order in which no
  /// forwarding loop is possible. Errors: this manager is not MASTER.
  tl::expected<void, std::string> rebalance();

  /// Everything is read again, tables included, and what differs is written. Errors: as
  /// rebalance().
  tl::expected<void, std::string> resweep();

  /// The links at NODE or NODE:PORT are kept out of use, or are released. Orders outlive the
  /// process. Errors: in words; also as rebalance().
  tl::expected<void, std::string> isolate(const IsolationRequest& request);
  tl::expected<void, std::string> release(std::string_view name);
  /// Ends the conditions of nodes and links of this name that were lost. Errors: there are none;
  /// also as rebalance().
  tl::expected<void, std::string> forget(std::string_view name);
  /// Ports whose error counters have been above their thresholds for hm_num_noisy_hours, as the
  /// performance manager knows them: all of them, each time that it has looked.
  void set_noisy_ports(const std::set<PortPlace>& ports);

  /// Acts as if a trap said that something may have changed. Errors: as rebalance().
  tl::expected<void, std::string> light_resweep();
  /// All NodeDescriptions are read again. Errors: as rebalance().
  tl::expected<void, std::string> update_descriptions();
  /// While it is off, sweeps wait; requests, vports, groups and P_Keys are served.
  void set_sweeping(bool on);
  bool is_sweeping() const { return !scheduler_.is_held(); }
  /// The latest sweep left errors.
  bool has_errors() const { return scheduler_.failures() > 0; }

  /// From now on, until a reload or the end: as if it were sm_priority. A STANDBY that outranks the
  /// master by it asks that one to hand over.
  void set_priority(std::uint8_t priority);

  /// All that stands now of what the process knows, and not this manager.
  void set_conditions(ConditionSource source, std::vector<Condition> active) {
    conditions_.set_active(source, std::move(active));
  }
  /// A line for the log.
  void note(const std::string& line) { log_.info("{}", line); }
  // Partitions of the API, on the runtime's thread: as PartitionService has them.
  boost::asio::awaitable<PartitionSnapshot> partition_snapshot();
  boost::asio::awaitable<ChangeResult> change_partitions(partitions::Change change, std::string by);
  boost::asio::awaitable<bool> partitions_applied(std::uint64_t revision, mad::Duration limit);

  ManagerStatus status() const;
  /// Those that a reload has brought are in force with the next sweep.
  SharedContext context() const { return context_; }
  mad::SmState state() const { return state_; }
  /// Why it was made, and how it ended.
  const std::string& last_sweep() const { return last_sweep_; }
  const sa::Administrator& administrator() const { return administrator_; }
  /// For reads that an operator asks for.
  mad::SmpClient& client() { return client_; }
  /// Port counters.
  PerformanceManager& performance() { return performance_; }
  const PerformanceManager& performance() const { return performance_; }

 private:
  /// Connects passes with subnet administration.
  class SweepAdministration final : public Administration {
   public:
    explicit SweepAdministration(Manager& manager) : manager_(manager) {}
    Registered prepare(const Subnet& draft, const SweepContext& context) override;
    void ready(const std::shared_ptr<const Subnet>& draft, const SharedContext& context) override;
    bool has_groups() const override { return true; }
    std::optional<mad::Mlid> append_groups(const Subnet& subnet, mad::Mlid first,
                                           std::vector<routing::MulticastGroup>& groups) override;
    std::optional<std::vector<routing::MulticastGroup>> changed_groups(
        const Subnet& subnet) override;

   private:
    Manager& manager_;
  };
  SweepServices sweep_services(Progress progress);

  // The loop
  void take_reload();
  void take_partitions();
  /// Does what the scheduler says.
  boost::asio::awaitable<void> act();
  boost::asio::awaitable<void> rest();
  /// Traps that arrive during the work are handled after it.
  boost::asio::awaitable<void> with_traps_held(boost::asio::awaitable<void> work);
  boost::asio::awaitable<PassResult> pass(SharedContext context, PassRequest request,
                                          std::optional<Survey> survey = {});
  boost::asio::awaitable<PassResult> run_pass(SharedContext context,
                                              std::unique_ptr<PassRequest> request,
                                              std::unique_ptr<std::optional<Survey>> survey);
  void publish(SharedContext context, sa::Publication kind);
  boost::asio::awaitable<void> observe_and_program(PassRequest order);
  boost::asio::awaitable<std::optional<Survey>> observe(SharedContext context, PassRequest& order);
  bool goes_on_after(const Survey& survey, const PassRequest& order);
  boost::asio::awaitable<void> begin_service(SharedContext context, Survey& survey);
  void keep_programmed(const SharedContext& context, const PassResult& result);
  struct SweepStart {
    mad::TimePoint begin;
    std::uint64_t gets, sets;  // sent before
  };
  void log_sweep(const SweepStart& start);
  boost::asio::awaitable<void> program_parts(PassRequest request);
  void applied(const PassResult& result, const SweepContext& context);
  std::string refuses_partitions() const;
  boost::asio::awaitable<void> read_single();
  boost::asio::awaitable<void> disable_ports();
  boost::asio::awaitable<void> light_sweep();
  boost::asio::awaitable<SweepOutcome> sweep_lightly();
  boost::asio::awaitable<void> counted_sweep(PassRequest order);
  void enter_phase(SweepPhase phase);
  boost::asio::awaitable<void> audit();
  mad::TimePoint audit_due() const;
  mad::TimePoint rebalancing_due() const;
  bool is_converged() const;
  tl::expected<void, std::string> require_master() const;
  void restore_isolations(const LoadedIsolations& stored);
  void store_isolations();
  tl::expected<void, std::string> sweep_nodes(
      const tl::expected<std::vector<mad::Guid>, std::string>& nodes, std::string_view order);
  boost::asio::awaitable<void> compare_routes();
  void conclude(const PassResult& result, const std::string& why);
  void sweep_at_once(std::span<const mad::Guid> lost);
  void nothing_answers(const Condition& silent, const Survey& survey, const std::string& why);
  void port_is_down(bool answers);
  void read_everything_on_reload();
  void request_everything(std::string why);
  void request_node(mad::Guid node, std::string why);
  void request_groups();
  boost::asio::awaitable<void> program_groups();
  boost::asio::awaitable<void> program_vports();

  // Election and handover
  void enter(mad::SmState state);
  SmRank own_rank() const;
  ElectionDecision decide_election(const Fabric& fabric, std::span<const OtherSm> sms);
  boost::asio::awaitable<bool> leads_after(Survey& survey);
  boost::asio::awaitable<void> act_on(ElectionDecision decision,
                                      std::shared_ptr<const Subnet> subnet);
  boost::asio::awaitable<bool> hand_over(OtherSm to, std::shared_ptr<const Fabric> fabric);
  boost::asio::awaitable<bool> await_handover(OtherSm other, std::shared_ptr<const Fabric> fabric);
  void step_down(const SmRule& rule, OtherSm successor, std::shared_ptr<const Fabric> fabric);
  void follow(OtherSm master, std::shared_ptr<const Fabric> fabric);
  boost::asio::awaitable<void> end_service();
  void request_handover_of_master();
  void request_handover(const OtherSm& master, const Fabric& fabric);
  void survey_after_another(std::string why);
  void take_over(const SmRule& rule, std::string why);
  void answer_from_view(const Fabric& surveyed);
  void set_active(bool active);
  boost::asio::awaitable<void> wait_while_inactive();
  boost::asio::awaitable<void> poll_master();
  bool polls() const;
  boost::asio::awaitable<std::optional<mad::SmInfo>> read_by_route(const OtherSm& master);
  boost::asio::awaitable<std::optional<mad::SmInfo>> read_by_lid(mad::Lid lid);
  void resign();
  void demoted(std::string_view why);
  void still_leads(mad::Duration idle);
  bool takes_lid_read(const mad::ReceivedMad& received);
  void report_master();
  void acknowledge(const OtherSm& to);

  // Unsolicited MADs
  void on_mads(std::span<const mad::ReceivedMad> mads);
  void on_request(const mad::ReceivedMad& received);
  void on_trap(const mad::ReceivedMad& received, mad::ConstSmpView smp);
  TrapSituation trap_situation() const;
  void repress(const mad::ReceivedMad& received, std::optional<PortIndex> port);
  mad::Lid issuer_of(const mad::ReceivedMad& received, mad::ConstSmpView smp) const;
  void counters_published();
  void answer_sm_info(const mad::ReceivedMad& received, mad::ConstSmpView smp,
                      std::uint16_t status = mad::status::kOk);
  void on_control(const mad::ReceivedMad& received, mad::ConstSmpView smp);
  void apply_rule(const SmRule& rule, const std::optional<OtherSm>& sender);
  Condition refusal_of(const mad::ReceivedMad& received, std::uint32_t control,
                       std::string_view why) const;
  void judge_unknown_control(bool has_led);
  std::optional<OtherSm> master_at(const mad::ReceivedMad& received) const;
  mad::SmInfo own_sm_info() const;
  void respond(const mad::ReceivedMad& received, const mad::MadBytes& bytes);
  std::optional<PortIndex> port_of(mad::Lid lid) const;

  mad::Duration sweep_interval() const;
  mad::Duration audit_interval() const;

  /// The first event after so long is not waited with: the survey finds what belongs to it.
  static constexpr mad::Duration kQuiet = std::chrono::seconds(1);

  mad::Runtime& runtime_;
  mad::MadTransport& transport_;
  spdlog::logger& log_;
  SharedContext context_;  // of the sweep under way, or of what was done latest
  SharedContext next_;     // a reload that the loop has not taken; null: none
  ConditionLog conditions_;
  bool once_;
  std::function<sa::UnixTime()> wall_clock_;
  mad::SmpClient client_;
  SweepAdministration administration_;
  Sweeper sweeper_;
  sa::Administrator administrator_;
  AppliedRevisions applied_;
  MemberChanges member_changes_;  // not in the fabric yet
  PartitionStore partitions_;
  Replication replication_;
  SnapshotFiles files_;
  mad::WakeUp wake_;
  SweepScheduler scheduler_;
  AuditPace audit_pace_;
  Rebalancing rebalancing_;
  TrapIntake traps_{runtime_, log_, conditions_, sweeper_, administrator_, scheduler_};

  PerformanceManager performance_;
  WriteGuard write_guard_;
  std::function<void()> on_resigned_;
  OnPhase on_phase_;
  std::optional<PortWatch> port_watch_;  // with others in this process
  mad::TimePoint next_stall_survey_{};

  mad::SmState state_ = mad::SmState::not_active;
  SmRank self_;
  Standby standby_;
  FollowedMasters followed_masters_;
  StandbyView standby_view_;
  ControlRequests controls_;
  PassedOver passed_over_;
  KnownManagers known_;
  mad::TimePoint handover_deadline_{};  // at the latest, of subnet administration after a handover
  std::optional<Handover> handover_;    // sent, without an outcome
  struct MasterFound {
    std::shared_ptr<const Fabric> fabric;
    std::vector<OtherSm> sms;
  };
  std::optional<MasterFound>
      master_found_;  // while the manager waits for another MASTER: the survey that found it
  mad::Backoff request_pause_{std::chrono::seconds(1), std::chrono::seconds(10)};
  mad::TimePoint next_request_{};  // of a handover, by trap 144
  /// Sent HANDOVER as MASTER, and was not known: it may have programmed the subnet since.
  std::optional<mad::Guid> unknown_master_;
  /// Its refusal, raised if so many surveys do not find that it led: the one under way may have
  /// begun before.
  struct UnknownControl {
    Condition refusal;
    unsigned surveys = 2;
  };
  std::optional<UnknownControl> unknown_control_;
  bool sees_other_master_ = false;  // the latest survey or light sweep as MASTER found another one
  struct LidRead {
    std::uint32_t transaction_id = 0;  // the low half: the kernel owns the other
    std::optional<mad::SmInfo> answer;
  };
  std::optional<LidRead> lid_read_;  // that waits for its response
  bool poll_by_lid_ = true;          // of the latest poll
  bool price_due_ =
      false;  // of tables found on the fabric, after a sweep, once nothing is requested
  bool port_down_ = false;
  bool stopping_ = false;
  std::optional<int> exit_code_;
  /// The end of the latest sweep whose survey cleared PortStateChange before it read the ports.
  mad::TimePoint swept_at_{}, groups_programmed_{};
  std::uint64_t sweeps_ = 0, light_sweeps_ = 0;
  bool light_sweep_yielded_ = false;  // the latest one, to a sweep
  std::string last_sweep_ = "none yet";
  std::uint32_t act_count_ = 0;
  ManagerStatistics statistics_;
  bool subnet_up_ = false;                           // after the latest sweep as MASTER
  SweepOutcome outcome_ = SweepOutcome::incomplete;  // of the sweep under way, so far
  std::optional<mad::TimePoint> routing_since_;      // unicast tables are computed
  mad::Computation computation_{runtime_};           // ends before all that it works with
};

}  // namespace sm
