#pragma once

#include <algorithm>

#include "mad/runtime.h"

namespace mad {

/// A pause before something is tried again: `first`, then twice as long each time, up to `last`.
class Backoff {
 public:
  constexpr Backoff(Duration first, Duration last) : first_(first), last_(last) {}

  /// The next pause.
  constexpr Duration next() { return latest_ = std::clamp(2 * latest_, first_, last_); }
  /// Returns what next() returned latest; 0 before the first one.
  constexpr Duration latest() const { return latest_; }
  constexpr void reset() { latest_ = {}; }

 private:
  Duration first_, last_, latest_{};
};

/// Schedules retries with growing pauses while requests fail. Other events do not change the
/// pauses.
class Retry {
 public:
  constexpr Retry(Duration first, Duration last) : pauses_(first, last) {}

  constexpr bool is_due(TimePoint now) const { return now >= at_; }
  constexpr void failed(TimePoint now) {
    if (is_due(now)) at_ = now + pauses_.next();
  }
  constexpr void succeeded() {
    pauses_.reset();
    at_ = {};
  }

 private:
  Backoff pauses_;
  TimePoint at_{};
};

}  // namespace mad
