#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include "mad/runtime.h"

namespace mad {

/// Admits a number of new requests in a second, in bursts of a hundredth of that.
class RateLimit {
 public:
  /// 0: as many as there are.
  void set(unsigned per_second) { per_second_ = per_second; }
  bool admits(TimePoint now) {
    if (per_second_ == 0) return true;
    const double earned =
        std::chrono::duration<double>(now - std::exchange(counted_, now)).count() * per_second_;
    allowance_ = std::min(allowance_ + earned, std::max(1.0, per_second_ / 100.0));
    return allowance_ >= 1;
  }
  /// One was sent.
  void spend() {
    if (per_second_ != 0) allowance_ -= 1;
  }
  /// After admits() returned false: when a whole burst may be sent, or the rest of one.
  TimePoint next() const {
    constexpr Duration kBurstPause = std::chrono::milliseconds(10);
    const std::chrono::duration<double> wait((1 - allowance_) / per_second_);
    return counted_ +
           std::max<Duration>(kBurstPause, std::chrono::ceil<std::chrono::milliseconds>(wait));
  }

 private:
  unsigned per_second_ = 0;
  double allowance_ = 0;  // what may be sent now, counted up to `counted_`
  TimePoint counted_{};
};

}  // namespace mad
