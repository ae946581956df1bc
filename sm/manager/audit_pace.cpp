#include "sm/manager/audit_pace.h"

#include <algorithm>

namespace sm {

mad::TimePoint AuditPace::due(mad::Duration interval) const {
  if (interval == mad::Duration::zero()) return mad::TimePoint::max();
  return interval == interval_ ? next_ : mad::TimePoint{};
}

void AuditPace::begin(mad::TimePoint now, mad::Duration interval, std::size_t size) {
  constexpr mad::Duration kShortest = mad::Duration(std::chrono::seconds(1)) / kSmpsPerSecond;
  const auto attributes = static_cast<mad::Duration::rep>(std::max<std::size_t>(size, 1));
  interval_ = interval;
  each_ = std::max(interval / attributes, kShortest);
  end_ = now + interval;
  next_ = now + std::max(each_, kStep);
}

unsigned AuditPace::take(mad::TimePoint now) {
  next_ = now + std::max(each_, kStep);
  return static_cast<unsigned>(std::max<mad::Duration::rep>(kStep / each_, 1));
}

void AuditPace::pass_is_over(mad::TimePoint now) { next_ = std::max(end_, now + kStep); }

}  // namespace sm
