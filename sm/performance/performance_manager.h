#pragma once
// The performance manager: polls the counters of all ports beside the sweeps, while its subnet
// manager is MASTER, and publishes them.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "sm/events/manager_events.h"
#include "sm/performance/agent_loop.h"
#include "sm/performance/counters.h"
#include "sm/performance/dump.h"
#include "sm/performance/poll.h"
#include "sm/performance/records.h"

namespace sm {

/// For OpenSM's console and heddlectl: what `perfmgr` prints.
struct PerformanceStatus {
  bool enabled = false;
  bool polling = false;  // a poll is under way
  std::chrono::seconds sweep_time{};
  std::size_t outstanding = 0, outstanding_max = 0;
  std::uint64_t polls = 0;  // complete ones
  PollSummary latest;
  mad::GmpStatistics queries;  // since the start
};

/// Memory: about 750 bytes a port, and for nodes that are absent as
/// much for kAbsentFor; kAbsentMax of them at most.
class PerformanceManager final : public AgentLoop {
 public:
  using Clock = std::function<std::chrono::sys_seconds()>;
  static constexpr mad::Duration kAbsentFor = std::chrono::hours(24);
  static constexpr std::size_t kAbsentMax = 4096;

  PerformanceManager(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
                     ConditionLog& conditions, Published published, Clock wall_clock,
                     EventListener* events);

  /// The next poll begins now, unless one is under way. Errors: why there is none.
  tl::expected<void, std::string> poll_now();

  /// Returns the counters of the latest complete poll; null: there was none, perfmgr is FALSE, or
  /// this manager is not MASTER.
  SharedPortCounters counters() const;
  PerformanceStatus status() const;
  /// Writes event_db_dump_file, in the directory of dumps unless it is absolute, beside the
  /// runtime's thread. Problems are logged. Errors: there are no counters.
  tl::expected<void, std::string> dump(DumpShape shape);

 private:
  bool is_enabled(const config::Options& options) const override { return options.perfmgr; }
  boost::asio::awaitable<void> step() override;
  void withdraw() override;
  void forget() override { begun_.reset(); }
  /// Ends early when perfmgr becomes FALSE, or the manager is no longer MASTER.
  boost::asio::awaitable<void> poll();
  void set_pace(const Subnet& subnet, const config::Options& options);
  void publish(const Poll& poll, const PollSummary& summary, const config::Options& options);
  void note_absent(const Subnet& subnet, const PollOptions& options);

  Clock wall_clock_;
  EventListener* events_;  // gets CountersPublished; not owned; null: none
  NodeRecords records_;
  SharedPortCounters results_;
  std::optional<mad::TimePoint> begun_;  // the latest poll; nothing: the next one begins at once
  std::uint64_t polls_ = 0;
  bool polling_ = false, announced_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sm
