#pragma once

#include <algorithm>
#include <chrono>
#include <utility>

#include "mad/runtime.h"

namespace mad {

/// Admits a number of new requests in a second, in bursts of a fortieth of that. Between bursts it
/// admits none: requests that each follow a response cost a wake-up of every thread on their way.
class RateLimit {
 public:
  /// 0: as many as there are.
  void set(unsigned per_second) { per_second_ = per_second; }
  bool has_limit() const { return per_second_ != 0; }
  bool admits(TimePoint now) {
    if (per_second_ == 0) return true;
    const double earned =
        std::chrono::duration<double>(now - std::exchange(counted_, now)).count() * per_second_;
    allowance_ = std::min(allowance_ + earned, burst());
    if (allowance_ < 1) pauses_ = true;
    if (allowance_ >= std::max(1.0, kBegins * burst())) pauses_ = false;
    return !pauses_;
  }
  /// One was sent.
  void spend() {
    if (per_second_ != 0) allowance_ -= 1;
  }
  /// After admits() returned false: when a whole burst may be sent.
  TimePoint next() const {
    const std::chrono::duration<double> wait((burst() - allowance_) / per_second_);
    return counted_ + std::chrono::ceil<std::chrono::milliseconds>(wait);
  }

 private:
  static constexpr double kBurstSeconds = 1.0 / 40;
  static constexpr double kBegins = 0.9;  // the share of a burst that is earned when it begins
  double burst() const { return std::max(1.0, per_second_ * kBurstSeconds); }

  unsigned per_second_ = 0;
  double allowance_ = 0;  // what may be sent now, counted up to `counted_`
  bool pauses_ = false;   // the latest burst is over, the next one has not been earned
  TimePoint counted_{};
};

}  // namespace mad
