#pragma once
// The performance manager: polls the counters of all ports beside the sweeps, while its subnet
// manager is MASTER, and publishes them.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "mad/gmp_client.h"
#include "sm/conditions/condition_log.h"
#include "sm/context/sweep_context.h"
#include "sm/events/manager_events.h"
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

/// All on the runtime's thread. Memory: about 750 bytes a port, and for nodes that are absent as
/// much for kAbsentFor; kAbsentMax of them at most.
class PerformanceManager {
 public:
  struct Hooks {
    /// As it was published latest; null unless this manager is MASTER.
    std::function<std::shared_ptr<const Subnet>()> subnet;
    std::function<SharedContext()> context;
    std::function<std::chrono::sys_seconds()> wall_clock;
    EventListener* events = nullptr;  // gets CountersPublished; not owned; null: none
  };
  static constexpr mad::Duration kAbsentFor = std::chrono::hours(24);
  static constexpr std::size_t kAbsentMax = 4096;

  PerformanceManager(mad::Runtime& runtime, mad::MadTransport& transport, spdlog::logger& log,
                     ConditionLog& conditions, Hooks hooks);
  PerformanceManager(const PerformanceManager&) = delete;
  PerformanceManager& operator=(const PerformanceManager&) = delete;

  /// Starts polling, until end(). Options are read again at each poll; a poll under way ends early
  /// when perfmgr becomes FALSE, or the manager is no longer MASTER.
  void begin();
  /// Returns when nothing is under way any more.
  boost::asio::awaitable<void> end();
  /// A subnet was published, the state of the manager or its options changed.
  void wake();
  /// The next poll begins now, unless one is under way. Errors: why there is none.
  tl::expected<void, std::string> poll_now();
  /// Receives a MAD of management class 0x04. False: it belongs to no query.
  bool on_mad(const mad::ReceivedMad& received) { return client_.on_mad(received); }

  /// Returns the counters of the latest complete poll; null: there was none, perfmgr is FALSE, or
  /// this manager is not MASTER.
  SharedPortCounters counters() const;
  PerformanceStatus status() const;
  /// Writes event_db_dump_file, in the directory of dumps unless it is absolute, beside the
  /// runtime's thread. Problems are logged. Errors: there are no counters.
  tl::expected<void, std::string> dump(DumpShape shape);

 private:
  boost::asio::awaitable<void> run();
  boost::asio::awaitable<void> poll();
  bool is_wanted() const;
  std::shared_ptr<const Subnet> subnet_if_wanted() const;
  void set_pace(const Subnet& subnet, const config::Options& options);
  void publish(const Poll& poll, const PollSummary& summary, const config::Options& options);
  void note_absent(const Subnet& subnet, const PollOptions& options);
  void withdraw();

  mad::Runtime& runtime_;
  spdlog::logger& log_;
  ConditionLog& conditions_;
  Hooks hooks_;
  mad::GmpClient client_;
  mad::WakeUp wake_, ended_;
  NodeRecords records_;
  SharedPortCounters published_;
  std::optional<mad::TimePoint> begun_;  // the latest poll; nothing: the next one begins at once
  std::uint64_t polls_ = 0;
  bool running_ = false, stopping_ = false, polling_ = false, announced_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace sm
