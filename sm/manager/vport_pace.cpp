#include "sm/manager/vport_pace.h"

#include <algorithm>

namespace sm {
namespace {
constexpr mad::Duration kFullCredit = VPortPace::kAtOnce * VPortPace::kRequest;
}

mad::TimePoint VPortPace::request(mad::Guid port, mad::TimePoint now) {
  Port& of = seen(port, now);
  if (of.credit >= kRequest) {
    of.credit -= kRequest;
    return now;
  }
  const mad::Duration pause = of.pauses.next();
  return mad::TimePoint((now.time_since_epoch() / pause + 1) * pause);
}

void VPortPace::repeat(mad::Guid port, mad::TimePoint now) { seen(port, now); }

VPortPace::Port& VPortPace::seen(mad::Guid port, mad::TimePoint now) {
  forget_quiet(now);
  const auto [found, is_new] = ports_.try_emplace(port);
  Port& of = found->second;
  const mad::Duration quiet = is_new ? mad::Duration{} : now - of.latest;
  of.latest = now;
  if (quiet >= kRequest) of.credit = std::min(kFullCredit, of.credit + quiet);
  if (of.credit >= kFullCredit / 2) of.pauses.reset();
  return of;
}

void VPortPace::forget_quiet(mad::TimePoint now) {
  if (now < forgotten_ + kFullCredit) return;
  forgotten_ = now;
  std::erase_if(ports_,
                [now](const auto& port) { return now - port.second.latest >= kFullCredit; });
}

}  // namespace sm
