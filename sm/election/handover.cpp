#include "sm/election/handover.h"

namespace sm {

void PassedOver::add(mad::Guid sm, mad::TimePoint now) {
  if (entries_.size() >= kMax && !entries_.contains(sm)) return;
  Entry& entry = entries_[sm];
  if (now - entry.until > kPauseLast) entry.pause.reset();
  entry.until = now + entry.pause.next();
}

std::vector<mad::Guid> PassedOver::at(mad::TimePoint now) const {
  std::vector<mad::Guid> sms;
  for (const auto& [guid, entry] : entries_) {
    if (now < entry.until) sms.push_back(guid);
  }
  return sms;
}

}  // namespace sm
