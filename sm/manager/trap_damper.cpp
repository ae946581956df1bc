#include "sm/manager/trap_damper.h"

#include <limits>

namespace sm {
namespace {
constexpr std::uint32_t kAnyTrap = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kVendorTrap = 1u << 16;
}  // namespace

TrapKey TrapKey::of(mad::Guid source, const mad::Notice& notice) {
  const auto number = static_cast<std::uint32_t>(notice.trap_number());
  TrapKey key{.source = source, .number = notice.is_generic() ? number : number | kVendorTrap};
  if (const auto error = notice.as<mad::LinkErrorNotice>()) key.subject = error->port().value;
  return key;
}

unsigned TrapDamper::count(const TrapKey& key, mad::TimePoint now) {
  const auto [known, is_new] = index_.try_emplace(key);
  if (is_new) {
    entries_.push_front({.key = key});
    known->second = entries_.begin();
  } else {
    entries_.splice(entries_.begin(), entries_, known->second);
  }
  Entry& entry = entries_.front();
  if (now - entry.last >= kPause) entry.count = 0;
  entry.last = now;
  const unsigned repeats = ++entry.count;
  if (index_.size() > kRemembered) {
    index_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return repeats;
}

TrapDamper::Verdict TrapDamper::admit(const TrapKey& key, mad::TimePoint now) {
  const unsigned repeats = count(key, now);
  const unsigned of_source = count({.source = key.source, .number = kAnyTrap}, now);
  const bool is_repeat = repeats > kHandledMax;
  if (repeats == kHandledMax + 1 || (!is_repeat && of_source == kHandledOfSource + 1))
    return {.action = Action::storm_begins, .repeats = repeats};
  const bool handled = !is_repeat && of_source <= kHandledOfSource;
  return {.action = handled ? Action::handle : Action::delay, .repeats = repeats};
}

}  // namespace sm
