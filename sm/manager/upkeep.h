#pragma once
// Work that a MASTER does while nothing is requested.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>

#include "sm/manager/audit_pace.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Decides when the routes of a quiet fabric are compared with fresh ones.
///
/// A switch or link that comes back has the routes again that its loss had moved
/// (routing/README.md). Links and switches that no routing had before carry little until all routes
/// are chosen again: with the option `rebalance`, once routes have stayed the same for
/// `rebalance_quiet_time`. Time is passed in; nothing here waits.
class Rebalancing {
 public:
  /// A sweep has succeeded. `rerouted`: with another routing than before.
  void swept(mad::TimePoint now, bool rerouted) {
    if (!rerouted) return;
    rerouted_at_ = now;
    compared_ = false;
  }
  /// The routes since the latest swept() were compared with new ones.
  void compared() { compared_ = true; }
  /// When to compare the routes with new ones; TimePoint::max(): never. `gained`: something was
  /// added that may carry less than its share. `lost`: routes were moved off something that is
  /// still lost; then the comparison is a report, and made once.
  mad::TimePoint due(const config::Options& options, bool gained, bool lost) const {
    if (!(options.rebalance && gained) && !(lost && !compared_)) return mad::TimePoint::max();
    return rerouted_at_ + std::chrono::seconds(options.rebalance_quiet_time);
  }

 private:
  mad::TimePoint rerouted_at_{};
  bool compared_ = false;
};

/// Keeps a subnet that was programmed without errors as it should be: the audit reads everything
/// back, and routes of a quiet fabric are compared with those that the engine would choose now.
class Upkeep {
 public:
  /// No Set of another manager is under way longer than this.
  static constexpr mad::Duration kLateSets = std::chrono::seconds(5);

  /// None of the references is owned.
  Upkeep(spdlog::logger& log, ManagerLoop& loop, Sweeper& sweeper, const Mastership& mastership)
      : log_(log), loop_(loop), sweeper_(sweeper), mastership_(mastership) {}

  /// An audit pass begins at `when`, at its highest pace.
  void request_audit(mad::TimePoint when) { audit_pace_.request_pass(when); }
  bool is_audited() const { return audit_interval() != mad::Duration::zero(); }
  /// A sweep of a MASTER has ended. `published`: with another subnet.
  void swept(bool rerouted, bool published);

  /// True once after a sweep that published a subnet: price_adoption() is to be called.
  bool take_price_due() { return std::exchange(price_due_, false); }
  /// Reports what it costs to keep the tables that were found on the fabric.
  boost::asio::awaitable<void> price_adoption() { return sweeper_.price_adoption(loop_.context()); }

  /// When the next step is to be done; TimePoint::max(): never.
  mad::TimePoint audit_due() const;
  mad::TimePoint rebalancing_due() const;
  /// Reads the next attributes; what differs is requested to be swept.
  boost::asio::awaitable<void> audit();
  /// Requests other routes, if they are worth it, or reports what they would be worth.
  boost::asio::awaitable<void> compare_routes();
  /// The greatest load of a link over that of fresh routes; nothing: not known since the latest
  /// change of routes.
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
