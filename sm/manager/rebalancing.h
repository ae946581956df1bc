#pragma once
// Rebalancing decides when the routes of a quiet fabric are compared with fresh ones.

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

}  // namespace sm
