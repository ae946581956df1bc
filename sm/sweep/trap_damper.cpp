#include "sm/sweep/trap_damper.h"

#include <string_view>

namespace sm {

TrapDamper::Action TrapDamper::admit(mad::Lid issuer, const mad::Notice& notice,
                                     mad::TimePoint now) {
  // The toggle and count of a notice change with every repeat of the same event, so they are left
  // out of its identity.
  mad::Notice same = notice;
  same.set_notice_toggle(false);
  same.set_notice_count(0);
  const auto bytes = same.bytes();
  const std::uint64_t key =
      std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) ^
      (std::uint64_t{issuer.value} << 48);

  if (heard_.size() >= kRemembered && !heard_.contains(key)) heard_.clear();
  History& history = heard_[key];
  if (now - history.last >= kPause) history.count = 0;
  history.last = now;
  ++history.count;
  if (history.count <= kHandledMax) return Action::handle;
  return history.count == kHandledMax + 1 ? Action::storm_begins : Action::ignore;
}

}  // namespace sm
