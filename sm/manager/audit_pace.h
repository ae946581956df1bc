#pragma once
// AuditPace decides when the background audit reads the next attributes.

#include <cstddef>
#include <optional>

#include "mad/runtime.h"

namespace sm {

/// Distributes a pass over its interval. A small fabric is read one attribute at a time. A large
/// one is read in bursts of at most kBurst, since each burst wakes the process once; devices are
/// not overloaded, because the SMP client bounds the requests in flight to one node. A pass never
/// exceeds kSmpsPerSecond and has at least kStepsPerPass bursts. Time is passed in.
class AuditPace {
 public:
  static constexpr mad::Duration kStep =
      std::chrono::milliseconds(100);  // between bursts, at least
  static constexpr mad::Duration kStepMax = std::chrono::seconds(10);
  static constexpr unsigned kBurst = 128;
  static constexpr unsigned kStepsPerPass = 16;
  static constexpr unsigned kSmpsPerSecond = 500;

  /// Requests a pass at `when`, as fast as kSmpsPerSecond admits, because another manager may have
  /// overwritten what this one wrote.
  void request_pass(mad::TimePoint when) { requested_ = when; }
  /// Returns when to read the next attributes; TimePoint::max() (never) if `interval` is 0.
  mad::TimePoint due(mad::Duration interval) const;
  /// True if a new pass must begin before the due attributes are read.
  bool begins(mad::TimePoint now, mad::Duration interval) const {
    return interval != interval_ || now >= end_ || is_requested(now);
  }
  /// True if the pass at `now` was requested; it begins with the first attribute.
  bool is_requested(mad::TimePoint now) const { return requested_ && now >= *requested_; }
  /// Begins a pass over `size` attributes.
  void begin(mad::TimePoint now, mad::Duration interval, std::size_t size);
  /// Returns how many attributes to read now that a read is due.
  unsigned take(mad::TimePoint now);
  /// Ends the pass; the next one begins when the interval of this one is over.
  void pass_is_over(mad::TimePoint now);

 private:
  mad::Duration interval_{};  // of the pass that runs; 0: none
  mad::Duration each_{};      // the time for one attribute
  mad::Duration step_{};      // from one burst to the next
  mad::TimePoint end_, next_;
  std::optional<mad::TimePoint> requested_;
};

}  // namespace sm
