#include "sim/server/pace.h"

#include <algorithm>

namespace sim::server {
namespace {

mad::Duration scaled(mad::Duration time, double factor) {
  return mad::Duration(static_cast<mad::Duration::rep>(static_cast<double>(time.count()) * factor));
}

}  // namespace

void Pace::set_speed(double speed, RealTime real) {
  virtual_origin_ = now(real);
  real_origin_ = real;
  speed_ = speed;
}

TimePoint Pace::now(RealTime real) const {
  const mad::Duration passed = real - real_origin_;
  return virtual_origin_ + (speed_ == 0 || speed_ == 1 ? passed : scaled(passed, speed_));
}

TimePoint Pace::due(RealTime real, TimePoint events_now) const {
  if (speed_ == 0) return std::max(now(real), events_now) + kAhead;
  return now(real) + scaled(kSlack, speed_);
}

void Pace::ran_to(TimePoint events_now, RealTime real) {
  if (speed_ != 0 || events_now <= now(real)) return;
  virtual_origin_ = events_now;
  real_origin_ = real;
}

std::chrono::nanoseconds Pace::until(TimePoint when, RealTime real, TimePoint events_now) const {
  const mad::Duration left = when - due(real, events_now);
  if (left <= mad::Duration{}) return {};
  return speed_ == 0 || speed_ == 1 ? left : scaled(left, 1 / speed_);
}

}  // namespace sim::server
