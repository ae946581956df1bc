#pragma once
// Upkeep is the work of a MASTER while nothing is requested.

#include <spdlog/logger.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "mad/backoff.h"
#include "mad/runtime.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/manager/replication.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Distributes a pass over its interval. A small fabric is read one attribute at a time. A large
/// one is read in bursts of at most kBurst, since each burst wakes the process once; devices are
/// not overloaded, because the SMP client bounds the requests in flight to one node. A pass never
/// exceeds kSmpsPerSecond and has at least kStepsPerPass bursts. Time is passed in.
class AuditPace {
 public:
  static constexpr mad::Duration kStep =
      std::chrono::milliseconds(100);  // between bursts, at least
  static constexpr mad::Duration kStepMax = std::chrono::seconds(10);
  static constexpr unsigned kBurst = 128;
  static constexpr unsigned kStepsPerPass = 16;
  static constexpr unsigned kSmpsPerSecond = 500;

  /// Requests a pass at `when`, as fast as kSmpsPerSecond admits, because another manager may have
  /// overwritten what this one wrote.
  void request_pass(mad::TimePoint when) { requested_ = when; }
  /// Returns when to read the next attributes; TimePoint::max() (never) if `interval` is 0.
  mad::TimePoint due(mad::Duration interval) const;
  /// True if a new pass must begin before the due attributes are read.
  bool begins(mad::TimePoint now, mad::Duration interval) const {
    return interval != interval_ || now >= end_ || is_requested(now);
  }
  /// True if the pass at `now` was requested; it begins with the first attribute.
  bool is_requested(mad::TimePoint now) const { return requested_ && now >= *requested_; }
  /// Begins a pass over `size` attributes.
  void begin(mad::TimePoint now, mad::Duration interval, std::size_t size);
  /// Returns how many attributes to read now that a read is due.
  unsigned take(mad::TimePoint now);
  /// Ends the pass; the next one begins when the interval of this one is over.
  void pass_is_over(mad::TimePoint now);

 private:
  mad::Duration interval_{};  // of the pass that runs; 0: none
  mad::Duration each_{};      // the time for one attribute
  mad::Duration step_{};      // from one burst to the next
  mad::TimePoint end_, next_;
  std::optional<mad::TimePoint> requested_;
};

/// Decides when the routes of a quiet fabric are compared with fresh ones.
///
/// A switch or link that returns regains the routes that its loss had moved (routing/README.md).
/// Links and switches that no routing had before get few routes until all routes are chosen again.
/// The option `rebalance` does this after routes have stayed unchanged for `rebalance_quiet_time`.
/// Time is passed in; nothing here waits.
class Rebalancing {
 public:
  /// Notes that a sweep has succeeded. `rerouted` means that the routing changed.
  void swept(mad::TimePoint now, bool rerouted) {
    if (!rerouted) return;
    rerouted_at_ = now;
    compared_ = false;
  }
  /// Notes that the routes since the latest swept() were compared with new ones.
  void compared() { compared_ = true; }
  /// Returns when to remove conflicts (State::has_conflicts()): soon after the routes were chosen.
  mad::TimePoint removal_due(const config::Options& options, bool has_conflicts) const {
    if (!options.rebalance || !has_conflicts) return mad::TimePoint::max();
    return rerouted_at_ +
           std::min<mad::Duration>(kSoon, std::chrono::seconds(options.rebalance_quiet_time));
  }
  /// Returns when to compare the routes with new ones; TimePoint::max() means never. `gained`: an
  /// added switch or link may have less than its share of routes. `lost`: routes were moved off one
  /// that is still lost; then the comparison is only reported, once.
  mad::TimePoint due(const config::Options& options, bool gained, bool lost) const {
    if (!(options.rebalance && gained) && !(lost && !compared_)) return mad::TimePoint::max();
    return rerouted_at_ + std::chrono::seconds(options.rebalance_quiet_time);
  }

  /// A fabric that is brought up, or that changes, has settled after this time.
  static constexpr mad::Duration kSoon = std::chrono::seconds(10);

 private:
  mad::TimePoint rerouted_at_{};
  bool compared_ = false;
};

/// Maintains a subnet that was programmed without errors: the audit reads everything back, and
/// routes of a quiet fabric are compared with those that the engine would choose now.
class Upkeep {
 public:
  /// Sets of another manager arrive within this time.
  static constexpr mad::Duration kLateSets = std::chrono::seconds(5);

  /// Owns none of the references.
  Upkeep(spdlog::logger& log, ManagerLoop& loop, Sweeper& sweeper, const Mastership& mastership)
      : log_(log), loop_(loop), sweeper_(sweeper), mastership_(mastership) {}

  /// Requests an audit pass at `when`, at its highest pace.
  void request_audit(mad::TimePoint when) { audit_pace_.request_pass(when); }
  bool is_audited() const { return audit_interval() != mad::Duration::zero(); }
  /// Handles the end of a sweep of a MASTER. `published` means that it published another subnet.
  void swept(bool rerouted, bool published);

  /// True once after a sweep that published a subnet; the caller then calls price_adoption().
  bool take_price_due() { return std::exchange(price_due_, false); }
  /// Reports the cost of keeping the tables that were found on the fabric.
  boost::asio::awaitable<void> price_adoption() { return sweeper_.price_adoption(loop_.context()); }

  /// Returns when the next step is due; TimePoint::max() means never.
  mad::TimePoint audit_due() const;
  mad::TimePoint rebalancing_due() const;
  /// Returns when to write again what the disk did not take: after 1, 2, 4, ... 60 s.
  mad::TimePoint storing_due() const;
  boost::asio::awaitable<void> store_again();
  /// Reads the next attributes, and requests sweeps of nodes whose attributes differ.
  boost::asio::awaitable<void> audit();
  /// Requests other routes if they are worth it, or reports what they would gain.
  boost::asio::awaitable<void> compare_routes();
  mad::TimePoint conflict_removal_due() const;
  /// Requests routes on which fewer flows share a link, if there are such routes.
  boost::asio::awaitable<void> remove_conflicts();
  /// Returns the greatest load of a link divided by that of fresh routes; nullopt if it is not
  /// known since the latest change of routes.
  std::optional<double> load_ratio() const { return load_ratio_; }

 private:
  mad::Duration audit_interval() const;
  bool is_converged() const;

  spdlog::logger& log_;
  ManagerLoop& loop_;
  Sweeper& sweeper_;
  const Mastership& mastership_;
  AuditPace audit_pace_;
  Rebalancing rebalancing_;
  mad::Backoff storing_pause_{std::chrono::seconds(1), std::chrono::minutes(1)};
  mad::TimePoint storing_at_{};
  bool price_due_ = false;  // of tables found on the fabric, once nothing is requested
  std::optional<double> load_ratio_;
};

/// Decides when the keys of ports are changed (periodic_key_update): begins another version of the
/// keys (KeyVersion) at the end of each period, while this manager is MASTER. The version is given
/// to the state store; then a pass stores it on disk and sends one Set(PortInfo) to each end port.
/// A port that does not answer keeps its key until a sweep reaches it: guid2mkey and the previous
/// version contain this key.
class KeyChanges {
 public:
  /// A change that could not be stored is tried again after this time.
  static constexpr mad::Duration kRetry = std::chrono::minutes(1);

  /// Owns none of the references.
  KeyChanges(spdlog::logger& log, ManagerLoop& loop, Sweeper& sweeper, const Mastership& mastership,
             Replication& replication, std::function<std::chrono::sys_seconds()> wall_clock)
      : log_(log),
        loop_(loop),
        sweeper_(sweeper),
        mastership_(mastership),
        replication_(replication),
        wall_clock_(std::move(wall_clock)) {}

  /// Returns when to call change(); TimePoint::max() means never.
  mad::TimePoint due() const;
  /// Begins another version, and requests a pass that gives ports its keys.
  boost::asio::awaitable<void> change();

 private:
  spdlog::logger& log_;
  ManagerLoop& loop_;
  Sweeper& sweeper_;
  const Mastership& mastership_;
  Replication& replication_;
  std::function<std::chrono::sys_seconds()> wall_clock_;
  mad::TimePoint changed_{}, not_before_{};
};

}  // namespace sm
