#pragma once
// Upkeep is the work of a MASTER while nothing is requested.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>

#include "sm/manager/audit_pace.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/sweep/sweeper.h"

namespace sm {

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
  /// Returns when to compare the routes with new ones; TimePoint::max() means never. `gained`: an
  /// added switch or link may have less than its share of routes. `lost`: routes were moved off one
  /// that is still lost; then the comparison is only reported, once.
  mad::TimePoint due(const config::Options& options, bool gained, bool lost) const {
    if (!(options.rebalance && gained) && !(lost && !compared_)) return mad::TimePoint::max();
    return rerouted_at_ + std::chrono::seconds(options.rebalance_quiet_time);
  }

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

  /// None of the references is owned.
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
  /// Reads the next attributes, and requests sweeps of nodes whose attributes differ.
  boost::asio::awaitable<void> audit();
  /// Requests other routes if they are worth it, or reports what they would gain.
  boost::asio::awaitable<void> compare_routes();
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
  bool price_due_ = false;  // of tables found on the fabric, once nothing is requested
  std::optional<double> load_ratio_;
};

}  // namespace sm
