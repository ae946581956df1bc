#pragma once
// The performance manager polls the counters of all ports, independently of the sweeps, while its
// subnet manager is MASTER, and publishes them.

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "fabric/subnet.h"
#include "sm/agents/agent_loop.h"
#include "sm/events/manager_events.h"
#include "sm/performance/counters.h"
#include "sm/performance/dump.h"
#include "sm/performance/poll.h"

namespace sm {

/// Holds nodes whose packets all pass through one node, behind which no agent answers.
struct SilentGroup {
  NodeIndex behind = kNoIndex;     // a switch, which may be a member; or the manager's own node
  std::vector<mad::Guid> members;  // NodeGUIDs, ascending; two at least
};

/// Groups nodes by the node on the way there and back through which no node answered: that is
/// suspect, and not each of them. Of several it is the one that most silent nodes share, then the
/// first. `silent` and `answering`: NodeGUIDs, ascending;
/// those that are not in the subnet are skipped. A node that shares its silence with no other is in
/// no group. Pure.
std::vector<SilentGroup> group_silent(const Subnet& subnet, std::span<const mad::Guid> silent,
                                      std::span<const mad::Guid> answering);

/// Holds what `perfmgr` prints on OpenSM's console and in heddlectl.
struct PerformanceStatus {
  bool enabled = false;
  bool polling = false;  // a poll is under way
  std::chrono::seconds sweep_time{};
  std::size_t outstanding = 0, outstanding_max = 0;
  std::uint64_t polls = 0;  // complete ones
  PollSummary latest;
  mad::GmpStatistics queries;  // since the start
};

/// Memory: about 750 bytes a port. Nodes that are absent need as much for kAbsentFor; at most
/// kAbsentMax of them are kept.
class PerformanceManager final : public AgentLoop {
 public:
  using Clock = std::function<std::chrono::sys_seconds()>;
  static constexpr mad::Duration kAbsentFor = std::chrono::hours(24);
  static constexpr std::size_t kAbsentMax = 4096;

  PerformanceManager(Surroundings surroundings, Clock wall_clock, EventListener* events)
      : AgentLoop(std::move(surroundings)), wall_clock_(std::move(wall_clock)), events_(events) {}

  bool receives(mad::MgmtClass mgmt_class) const override {
    return mgmt_class == mad::MgmtClass::performance;
  }

  /// Begins the next poll now, unless a poll is in progress. Errors: why there is no poll.
  tl::expected<void, std::string> poll_now();

  /// Returns the counters of the latest complete poll; null if there was none, perfmgr is FALSE, or
  /// this manager is not MASTER.
  SharedPortCounters counters() const;
  PerformanceStatus status() const;
  /// Writes event_db_dump_file, in the directory of dumps unless it is absolute, outside the
  /// runtime's thread. Logs problems. Errors: there are no counters.
  tl::expected<void, std::string> dump(DumpShape shape);

 private:
  bool is_enabled(const config::Options& options) const override { return options.perfmgr; }
  boost::asio::awaitable<void> step() override;
  void withdraw() override;
  void forget() override { begun_.reset(); }
  /// Polls all ports. Ends early when perfmgr becomes FALSE, or the manager is no longer MASTER.
  boost::asio::awaitable<void> poll();
  void set_pace(const Subnet& subnet, const config::Options& options);
  void publish(const Poll& poll, const PollSummary& summary, const config::Options& options);
  void note_absent(const Subnet& subnet, const PollOptions& options);
  void report(const config::Options& options, const Subnet& subnet,
              const std::vector<SilentGroup>& groups);

  Clock wall_clock_;
  EventListener* events_;  // gets CountersPublished; not owned; null: none
  NodeRecords records_;
  SharedPortCounters results_;
  std::optional<mad::TimePoint> begun_;  // the latest poll; nothing: the next one begins at once
  std::uint64_t polls_ = 0;
  bool polling_ = false, announced_ = false;
};

}  // namespace sm
