#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "mad/runtime.h"

namespace sa {

/// Limits the rate of log lines that remote ports can cause: `lines_per_pause` in each `pause`.
class LogThrottle {
 public:
  explicit LogThrottle(unsigned lines_per_pause = 1, mad::Duration pause = std::chrono::seconds(10))
      : pause_(pause), lines_per_pause_(lines_per_pause) {}
  /// Nothing: the line is suppressed. Else the number of lines suppressed since the last one that
  /// was logged.
  std::optional<std::uint64_t> say(mad::TimePoint now) {
    if (now >= window_end_) {
      window_end_ = now + pause_;
      said_ = 0;
    }
    if (said_ >= lines_per_pause_) {
      ++held_back_;
      return std::nullopt;
    }
    ++said_;
    return std::exchange(held_back_, 0);
  }

 private:
  mad::Duration pause_;
  unsigned lines_per_pause_, said_ = 0;
  mad::TimePoint window_end_{};
  std::uint64_t held_back_ = 0;
};

}  // namespace sa
