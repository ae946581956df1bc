#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mad/runtime.h"

namespace mad {

/// How many durations were not longer than each of some bounds. A value: the owner that publishes
/// it copies it.
class DurationHistogram {
 public:
  /// Shape: `bounds_s` ascending, in seconds; they must outlive this and its copies (a constant).
  explicit DurationHistogram(std::span<const double> bounds_s)
      : bounds_s_(bounds_s), counts_(bounds_s.size() + 1) {}

  void observe(Duration duration) {
    const double seconds = std::chrono::duration<double>(duration).count();
    const auto bucket = std::ranges::lower_bound(bounds_s_, seconds) - bounds_s_.begin();
    ++counts_[static_cast<std::size_t>(bucket)];
    sum_s_ += seconds;
  }

  std::span<const double> bounds_s() const { return bounds_s_; }
  /// One more than bounds: those that were longer than all of them come last. Not cumulated.
  std::span<const std::uint64_t> counts() const { return counts_; }
  double sum_s() const { return sum_s_; }
  std::uint64_t count() const {
    std::uint64_t all = 0;
    for (const std::uint64_t in_bucket : counts_) all += in_bucket;
    return all;
  }

 private:
  std::span<const double> bounds_s_;
  std::vector<std::uint64_t> counts_;
  double sum_s_ = 0;
};

}  // namespace mad
