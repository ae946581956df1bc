#pragma once

#include <cstdint>
#include <optional>

#include "mad/runtime.h"

namespace sm {

/// Bounds the log lines of one kind that hosts can cause: so many in each period, and the next one
/// can say how many were left out.
class LineLimit {
 public:
  static constexpr mad::Duration kPeriod = std::chrono::seconds(10);

  explicit LineLimit(unsigned lines) : lines_(lines) {}

  /// The number of lines left out before this one; nothing if this one is left out, too.
  std::optional<std::uint64_t> admit(mad::TimePoint now) {
    if (now >= period_ends_) {
      period_ends_ = now + kPeriod;
      used_ = 0;
    }
    if (used_ >= lines_) {
      ++left_out_;
      return std::nullopt;
    }
    ++used_;
    const std::uint64_t before = left_out_;
    left_out_ = 0;
    return before;
  }

 private:
  unsigned lines_, used_ = 0;
  std::uint64_t left_out_ = 0;
  mad::TimePoint period_ends_{};
};

}  // namespace sm
