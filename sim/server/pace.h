#pragma once
// The relation of virtual to real time. Arithmetic only: the caller passes the time.

#include <chrono>
#include <optional>

#include "sim/world/event_queue.h"

namespace sim::server {

class Pace {
 public:
  using RealTime = std::chrono::steady_clock::time_point;

  /// `speed`: virtual seconds per real second. 0: events within kAhead cost no real time; longer
  /// waits (a boot, the repetition of a trap, a program that does not answer) take as long as at
  /// speed 1, since attached programs run in real time.
  Pace(double speed, TimePoint virtual_start, RealTime real_start)
      : speed_(speed), virtual_origin_(virtual_start), real_origin_(real_start) {}

  double speed() const { return speed_; }
  void set_speed(double speed, RealTime real);

  /// The virtual time that corresponds to the real time.
  TimePoint now(RealTime real) const;
  /// Events up to this time run now. Later than now(): a sleep shorter than kSlack costs more than
  /// it saves.
  TimePoint due(RealTime real, TimePoint events_now) const;
  /// Notes up to which time events have run. At speed 0 the clock continues from there.
  void ran_to(TimePoint events_now, RealTime real);
  /// How long to sleep until an event at `when` is due; 0 if it is.
  std::chrono::nanoseconds until(TimePoint when, RealTime real, TimePoint events_now) const;

  static constexpr std::chrono::microseconds kSlack{200};  // real
  static constexpr std::chrono::milliseconds kAhead{10};   // virtual

 private:
  double speed_;
  TimePoint virtual_origin_;
  RealTime real_origin_;
};

}  // namespace sim::server
