#pragma once
// How many SMPs may be in flight.

#include <algorithm>

#include "mad/runtime.h"

namespace mad {

/// A window that is fixed, or grows with every response and halves on proven losses.
class SmpWindow {
 public:
  /// `fixed`: 0 for a window that adapts up to `most`. An adaptive window keeps its size within the
  /// limit: the initial size may be above a small limit, and the window may have been a large fixed
  /// one.
  void set_limits(unsigned fixed, unsigned most) {
    is_fixed_ = fixed != 0;
    most_ = most;
    size_ = is_fixed_ ? fixed : std::min<double>(size_, most);
  }
  bool is_fixed() const { return is_fixed_; }
  unsigned size() const { return static_cast<unsigned>(size_); }

  void grow() {
    if (is_fixed_ || size_ >= most_) return;
    size_ += slow_start_ ? 1.0 : 1.0 / size_;
  }
  /// Halves once in `period`: a burst of losses is one event.
  void shrink(TimePoint now, Duration period) {
    if (is_fixed_ || now - last_shrink_ < period) return;
    last_shrink_ = now;
    slow_start_ = false;
    size_ = std::max(size_ / 2, std::min<double>(kLeast, most_));
  }

 private:
  static constexpr double kLeast = 2;

  bool is_fixed_ = false;
  unsigned most_ = 1;
  double size_ = 8;
  bool slow_start_ = true;
  TimePoint last_shrink_{};
};

}  // namespace mad
