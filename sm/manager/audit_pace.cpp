#include "sm/manager/audit_pace.h"

#include <algorithm>

namespace sm {

mad::TimePoint AuditPace::due(mad::Duration interval) const {
  if (interval == mad::Duration::zero()) return mad::TimePoint::max();
  if (interval != interval_) return {};
  return requested_ ? std::min(next_, *requested_) : next_;
}

void AuditPace::begin(mad::TimePoint now, mad::Duration interval, std::size_t size) {
  constexpr mad::Duration kShortest = mad::Duration(std::chrono::seconds(1)) / kSmpsPerSecond;
  const auto attributes = static_cast<mad::Duration::rep>(std::max<std::size_t>(size, 1));
  interval_ = interval;
  each_ = is_requested(now) ? kShortest : std::max(interval / attributes, kShortest);
  if (is_requested(now)) requested_.reset();
  step_ = std::max(std::min({each_ * kBurst, interval / kStepsPerPass, kStepMax}), kStep);
  end_ = now + interval;
  next_ = now + std::max(each_, step_);
}

unsigned AuditPace::take(mad::TimePoint now) {
  next_ = now + std::max(each_, step_);
  return static_cast<unsigned>(std::max<mad::Duration::rep>(step_ / each_, 1));
}

void AuditPace::pass_is_over(mad::TimePoint now) { next_ = std::max(end_, now + kStep); }

}  // namespace sm
