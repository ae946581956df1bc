#pragma once
// SweepRunner carries out the scheduler's actions: sweeps, light sweeps, and other work.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mad/computation.h"
#include "mad/smp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/events/manager_events.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/manager/partition_changes.h"
#include "sm/manager/replication.h"
#include "sm/manager/snapshot_files.h"
#include "sm/manager/upkeep.h"
#include "sm/ops/manager_statistics.h"
#include "sm/sa/administrator.h"
#include "sm/sweep/observe/light_sweep.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Figures of sweeps that operators read.
struct SweepFigures {
  std::uint64_t sweeps = 0, light_sweeps = 0;
  std::string last = "none yet";  // why the latest sweep was made, and how it ended
  bool subnet_up = false;         // after the latest sweep as MASTER
  mad::TimePoint noticed{};       // when what the latest sweep has found was reported, or, without
                                  // a trap, when the sweep began
};

/// Each coroutine is one piece of work of the loop, and they run one after the other. A subnet that
/// a pass publishes is announced as SubnetPublished. A sweep that ends without an outcome (no link,
/// another MASTER, the end of the process) has written nothing.
class SweepRunner {
 public:
  /// Owns none of the references.
  struct Parts {
    mad::Runtime& runtime;
    spdlog::logger& log;
    spdlog::logger& files_log;
    ConditionLog& conditions;
    mad::SmpClient& client;
    mad::Computation& computation;
    ManagerLoop& loop;
    Mastership& mastership;
    Sweeper& sweeper;
    sa::Administrator& administrator;
    Replication& replication;
    PartitionChanges& partitions;
    Upkeep& upkeep;
    ManagerStatistics& statistics;
    EventListener& events;
  };
  explicit SweepRunner(const Parts& parts);

  /// The first event after so long a quiet time starts a sweep without delay.
  static constexpr mad::Duration kQuiet = std::chrono::seconds(1);

  /// Surveys as `order` says, decides whether this manager leads, and programs the subnet.
  boost::asio::awaitable<void> sweep(PassRequest order);
  /// Finds what changed without a trap.
  boost::asio::awaitable<void> light_sweep();
  /// Programs changes of only partitions, memberships or VL tables on the published subnet. A
  /// manager that is not MASTER, or has published no subnet yet, leaves them to the next sweep.
  boost::asio::awaitable<void> program_parts(PassRequest request);
  /// Reads the attributes that traps named and that need no sweep.
  boost::asio::awaitable<void> read_single();
  boost::asio::awaitable<void> disable_ports();
  /// Programs trees whose memberships changed. It first waits until no more changes arrive, up to a
  /// limit.
  boost::asio::awaitable<void> program_groups();
  /// Programs vports that hosts have started, moved or ended.
  boost::asio::awaitable<void> program_vports();
  /// Reads the tables of routers, which changed or may have changed.
  boost::asio::awaitable<void> read_routers();
  /// Returns when the files of the latest subnet are written.
  boost::asio::awaitable<void> finish() { return files_.finish(); }

  void entered(const StateEntered& event);
  void enter_phase(SweepPhase phase);
  const SweepFigures& figures() const { return figures_; }
  /// Returns the end of the latest sweep that cleared PortStateChange before it read the ports.
  mad::TimePoint swept_at() const { return swept_at_; }
  mad::Duration interval() const { return std::chrono::seconds(loop_.options().sweep_interval); }

 private:
  boost::asio::awaitable<PassResult> pass(SharedContext context, PassRequest request,
                                          std::optional<Survey> survey = {});
  boost::asio::awaitable<PassResult> run_pass(SharedContext context,
                                              std::unique_ptr<PassRequest> request,
                                              std::unique_ptr<std::optional<Survey>> survey);
  void publish(SharedContext context, Publication kind);
  boost::asio::awaitable<void> observe_and_program(PassRequest order);
  boost::asio::awaitable<std::optional<Survey>> observe(SharedContext context, PassRequest& order);
  bool should_continue(const Survey& survey, const PassRequest& order);
  boost::asio::awaitable<void> begin_service(SharedContext context, Survey& survey);
  void answer_from_view(const Fabric& surveyed);
  void publish_programmed(const SharedContext& context, const PassResult& result);
  void note_result(const PassRequest& order, const PassResult& result);
  struct SweepStart {
    mad::TimePoint begin;
    std::uint64_t gets, sets;  // sent before
  };
  void log_sweep(const SweepStart& start);
  void log_end(const SweepStart& start);
  void conclude(const PassResult& result, const std::string& why);
  void sweep_at_once(std::span<const mad::Guid> lost);
  void report_unreachable(const Condition& silent, const Survey& survey, const std::string& why);
  void port_is_down(bool answers);
  void report_key_change(mad::TimePoint begin);
  boost::asio::awaitable<SweepOutcome> sweep_lightly();
  std::vector<PortIndex> take_hosts(const Fabric& fabric);
  void request_found(const LightSweepResult& result, const Subnet& subnet,
                     const std::set<mad::Guid>& unread);

  spdlog::logger& log_;
  ConditionLog& conditions_;
  mad::SmpClient& client_;
  mad::Computation& computation_;
  ManagerLoop& loop_;
  Mastership& mastership_;
  Sweeper& sweeper_;
  sa::Administrator& administrator_;
  Replication& replication_;
  PartitionChanges& partitions_;
  Upkeep& upkeep_;
  ManagerStatistics& statistics_;
  EventListener& events_;
  SnapshotFiles files_;

  SweepFigures figures_;
  SweepOutcome outcome_ = SweepOutcome::incomplete;  // of the sweep under way, so far
  mad::TimePoint swept_at_{}, groups_programmed_{};
  std::optional<mad::TimePoint> routing_since_;  // unicast tables are computed
  bool port_down_ = false;
  std::size_t next_host_ = 0;         // hosts_in_turn()
  mad::TimePoint hosts_due_{};        // the next ones are asked then
  bool light_sweep_yielded_ = false;  // the latest one, to a sweep
};

}  // namespace sm
