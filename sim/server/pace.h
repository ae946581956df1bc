#pragma once
// How virtual time follows real time. Arithmetic only: the caller says what time it is.

#include <chrono>
#include <optional>

#include "sim/world/event_queue.h"

namespace sim::server {

class Pace {
 public:
  using RealTime = std::chrono::steady_clock::time_point;

  /// `speed`: virtual seconds per real second. 0: what happens within kAhead costs no real time at
  /// all; longer waits (a boot, the repetition of a trap, a program that does not answer) take as
  /// long as they do at speed 1, since the programs outside live in real time.
  Pace(double speed, TimePoint virtual_start, RealTime real_start)
      : speed_(speed), virtual_origin_(virtual_start), real_origin_(real_start) {}

  double speed() const { return speed_; }
  void set_speed(double speed, RealTime real);

  /// What the clock of the fabric should show.
  TimePoint now(RealTime real) const;
  /// Events up to this time happen now. Later than now(): sleeping for less than kSlack costs more
  /// than it gains.
  TimePoint due(RealTime real, TimePoint events_now) const;
  /// Tells how far events have run. At speed 0 the clock goes on from there.
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
