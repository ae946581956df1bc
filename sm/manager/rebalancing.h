#pragma once
// Rebalancing decides when a quiet fabric gets fresh routes.

#include "config/options.h"
#include "mad/ids.h"

namespace sm {

/// A switch or link that comes back has the routes again that its loss had moved
/// (routing/README.md). Links and switches that no routing had before carry little until all routes
/// are chosen again: with the option `rebalance`, once routes have stayed the same for
/// `rebalance_quiet_time`. Time is passed in; nothing here waits.
class Rebalancing {
 public:
  /// A sweep has succeeded. `rerouted`: with another routing than before.
  void swept(mad::TimePoint now, bool rerouted) {
    if (rerouted) rerouted_at_ = now;
  }
  /// When to compare the routes with new ones; TimePoint::max(): never. `gained`: something was
  /// added that may carry less than its share.
  mad::TimePoint due(const config::Options& options, bool gained) const {
    if (!options.rebalance || !gained) return mad::TimePoint::max();
    return rerouted_at_ + std::chrono::seconds(options.rebalance_quiet_time);
  }

 private:
  mad::TimePoint rerouted_at_{};
};

}  // namespace sm
