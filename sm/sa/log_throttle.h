#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "mad/runtime.h"

namespace sa {

/// Lets a line that anybody on the fabric can provoke into the log once in a while only.
class LogThrottle {
 public:
  explicit LogThrottle(mad::Duration pause = std::chrono::seconds(10)) : pause_(pause) {}
  /// Whether to say it now; then how often it was held back since the last time.
  std::optional<std::uint64_t> say(mad::TimePoint now) {
    if (now < next_) {
      ++held_back_;
      return std::nullopt;
    }
    next_ = now + pause_;
    return std::exchange(held_back_, 0);
  }

 private:
  mad::Duration pause_;
  mad::TimePoint next_{};
  std::uint64_t held_back_ = 0;
};

}  // namespace sa
