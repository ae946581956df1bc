#pragma once
// When the background audit reads the next attributes.

#include <cstddef>
#include <optional>

#include "mad/runtime.h"

namespace sm {

/// Distributes a pass over its interval: one attribute at a time where the fabric is small, else
/// bursts of at most kBurst, since each burst wakes the process once. No device minds one: the SMP
/// client bounds what is in flight to one node. Never more than kSmpsPerSecond, and at least
/// kStepsPerPass bursts a pass. Time is passed in.
class AuditPace {
 public:
  static constexpr mad::Duration kStep =
      std::chrono::milliseconds(100);  // between bursts, at least
  static constexpr mad::Duration kStepMax = std::chrono::seconds(10);
  static constexpr unsigned kBurst = 128;
  static constexpr unsigned kStepsPerPass = 16;
  static constexpr unsigned kSmpsPerSecond = 500;

  /// Another manager may have overwritten what this one wrote: a pass begins at `when`, as fast as
  /// kSmpsPerSecond admits.
  void request_pass(mad::TimePoint when) { requested_ = when; }
  /// When the next attributes are to be read. `interval` 0: never, TimePoint::max().
  mad::TimePoint due(mad::Duration interval) const;
  /// It is due, and a new pass begins before anything is read.
  bool begins(mad::TimePoint now, mad::Duration interval) const {
    return interval != interval_ || now >= end_ || is_requested(now);
  }
  /// True if the pass at `now` is a requested one, which begins with the first attribute.
  bool is_requested(mad::TimePoint now) const { return requested_ && now >= *requested_; }
  /// `size`: attributes of a whole pass.
  void begin(mad::TimePoint now, mad::Duration interval, std::size_t size);
  /// It is due: how many to read now.
  unsigned take(mad::TimePoint now);
  /// All were read: the next pass begins when the interval of this one is over.
  void pass_is_over(mad::TimePoint now);

 private:
  mad::Duration interval_{};  // of the pass that runs; 0: none
  mad::Duration each_{};      // the time for one attribute
  mad::Duration step_{};      // from one burst to the next
  mad::TimePoint end_, next_;
  std::optional<mad::TimePoint> requested_;
};

}  // namespace sm
