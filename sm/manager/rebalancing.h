#pragma once
// When routes are to be chosen anew because nothing else happens.

#include "config/options.h"
#include "mad/ids.h"
#include "sm/sweep/adoption_price.h"

namespace sm {

/// Routes stay while they fulfil the guarantees of their engine, so that load gathers on some links
/// while others come back (routing/README.md). With the option `rebalance` that is looked at once
/// routes have stayed the same for `rebalance_quiet_time`. Time is passed in; nothing here waits.
class Rebalancing {
 public:
  /// A sweep has succeeded. `rerouted`: with another routing than before; `anew`: without regard to
  /// the one before.
  void swept(mad::TimePoint now, bool rerouted, bool anew) {
    if (anew) may_have_drifted_ = false;
    if (!rerouted || anew) return;
    may_have_drifted_ = true;
    rerouted_at_ = now;
  }
  /// When to compare the routes with new ones; TimePoint::max(): never.
  mad::TimePoint due(const config::Options& options) const {
    if (!options.rebalance || !may_have_drifted_) return mad::TimePoint::max();
    return rerouted_at_ + std::chrono::seconds(options.rebalance_quiet_time);
  }
  /// They were compared: not again before the next change.
  void compared() { may_have_drifted_ = false; }

  /// More than a tenth of the highest load.
  static bool is_worth_it(const RoutingPrice& price) {
    return price.worst_load * 10 > price.worst_load_anew * 11;
  }

 private:
  bool may_have_drifted_ = false;
  mad::TimePoint rerouted_at_{};
};

}  // namespace sm
