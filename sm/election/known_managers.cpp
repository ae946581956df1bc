#include "sm/election/known_managers.h"

#include <algorithm>
#include <utility>

#include "mad/format.h"
#include "sm/election/election_conditions.h"
#include "sm/election/state_machine.h"

namespace sm {
namespace {

std::string find_state(const KnownManager& sm) {
  return fmt::format("priority {}, {}{}", sm.priority, state_text(sm.state),
                     sm.counts ? "" : ", treated as absent");
}

}  // namespace

std::vector<std::string> KnownManagers::replace(std::vector<KnownManager> now) {
  if (now.size() > kMax) now.resize(kMax);
  std::vector<std::string> lines;
  for (const KnownManager& sm : now) {
    const auto before = std::ranges::find(list_, sm.guid, &KnownManager::guid);
    if (before == list_.end()) {
      lines.push_back(fmt::format("subnet manager found: {}: {}", sm.name, find_state(sm)));
    } else if (find_state(*before) != find_state(sm)) {
      lines.push_back(fmt::format("subnet manager changed: {}: {} (was {})", sm.name,
                                  find_state(sm), find_state(*before)));
    }
  }
  for (const KnownManager& sm : list_) {
    if (std::ranges::find(now, sm.guid, &KnownManager::guid) == now.end())
      lines.push_back(
          fmt::format("subnet manager disappeared: {}: was {}", sm.name, find_state(sm)));
  }
  list_ = std::move(now);
  return lines;
}

std::string KnownManagers::update(const mad::SmInfo& info) {
  const auto sm = std::ranges::find(list_, info.guid(), &KnownManager::guid);
  if (sm == list_.end() || (sm->priority == info.priority() && sm->state == info.sm_state()))
    return {};
  const std::string before = find_state(*sm);
  sm->priority = info.priority();
  sm->state = info.sm_state();
  return fmt::format("subnet manager changed: {}: {} (was {})", sm->name, find_state(*sm), before);
}

void FollowedMasters::lead(mad::TimePoint now) {
  if (!leads_since_) leads_since_ = now;
  unexpected_.reset();
}

bool FollowedMasters::follow(mad::Guid master, const std::string& name, mad::TimePoint now) {
  const bool is_known = std::ranges::find(followed_, master) != followed_.end();
  const auto led_since = std::exchange(leads_since_, std::nullopt);
  const bool has_led_long = led_since && now - *led_since >= kLed;
  if (!is_known) {
    followed_.push_back(master);
    if (followed_.size() > kRemembered) followed_.pop_front();
  }
  if (unexpected_ && unexpected_->guid != master) unexpected_.reset();
  if (is_known || !has_led_long) return led_since.has_value();
  unexpected_ = Condition{
      .id = kElectionConditions.master_unexpected,
      .text = fmt::format("unexpected master: the subnet manager at {} took the subnet over, and "
                          "this one had never been its standby",
                          name),
      .guid = master};
  return true;
}

std::optional<Condition> FollowedMasters::unexpected(std::span<const std::uint64_t> allowed) const {
  if (!unexpected_ || std::ranges::find(allowed, unexpected_->guid.value) != allowed.end())
    return std::nullopt;
  return unexpected_;
}

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
