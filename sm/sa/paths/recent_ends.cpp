#include "sm/sa/paths/recent_ends.h"

#include <algorithm>

namespace sa {

void RecentEnds::note(mad::Guid guid, fabric::LidMap::Range lids, mad::TimePoint now) {
  if (guid == mad::Guid{}) return;
  const mad::TimePoint until = now + kTime;
  if (ends_.empty()) next_ = until;
  ends_.try_emplace(guid, End{.lids = lids, .until = until});
}

void RecentEnds::update_from(const fabric::Subnet* before, const fabric::Subnet& after,
                             const AliasGuids& aliases, mad::TimePoint now) {
  const auto is_present = [&](mad::Guid guid) { return after.find(guid).port != fabric::kNoIndex; };
  std::erase_if(ends_, [&](const auto& end) {
    return is_present(end.first) || is_present(aliases.owner(end.first));
  });
  for (const auto& [place, alias] : aliases.all())
    if (!is_present(place.port_guid)) note(alias, {}, now);
  if (before == nullptr) return;
  note_subnets(before->routers.get(), after.routers.get(), now);
  for (const fabric::PortIndex port : before->fabric.end_ports) {
    const mad::Guid guid = before->fabric.ports[port].guid;
    if (!is_present(guid)) note(guid, before->lid_range(port), now);
  }
  if (before->vports == nullptr || before->vports == after.vports) return;
  for (const auto& [guid, vport] : before->vports->of_guid)
    if (!is_present(guid)) note(guid, {.base = before->vports->vports[vport].lid}, now);
}

void RecentEnds::note_subnets(const fabric::Routers* before, const fabric::Routers* after,
                              mad::TimePoint now) {
  std::erase_if(subnets_, [&](const auto& subnet) {
    return after == nullptr || after->find(subnet.first) != nullptr;
  });
  if (before == nullptr || after == nullptr || before == after) return;
  for (const fabric::OtherSubnet& subnet : before->subnets)
    if (after->find(subnet.prefix) == nullptr) subnets_.try_emplace(subnet.prefix, now + kTime);
}

void RecentEnds::begin(mad::TimePoint now) {
  is_beginning_ = true;
  beginning_until_ = now + kTime;
}

void RecentEnds::expire(mad::TimePoint now) {
  is_beginning_ = is_beginning_ && now < beginning_until_;
  std::erase_if(subnets_, [now](const auto& subnet) { return subnet.second <= now; });
  if (ends_.empty() || now < next_) return;
  std::erase_if(ends_, [&](const auto& end) { return end.second.until <= now; });
  next_ = mad::TimePoint::max();
  for (const auto& [guid, end] : ends_) next_ = std::min(next_, end.until);
}

void RecentEnds::clear() {
  ends_.clear();
  subnets_.clear();
  is_beginning_ = false;
}

bool RecentEnds::contains(mad::Guid guid, const sm::Guid2Lid* guid2lid) const {
  return ends_.contains(guid) ||
         (is_beginning_ && guid2lid != nullptr && guid2lid->find(guid) != nullptr);
}

bool RecentEnds::contains(mad::Lid lid, const sm::Guid2Lid* guid2lid) const {
  if (std::ranges::any_of(ends_, [&](const auto& end) {
        return lid >= end.second.lids.base &&
               lid.value < end.second.lids.base.value + end.second.lids.count();
      }))
    return true;
  return is_beginning_ && guid2lid != nullptr &&
         std::ranges::any_of(guid2lid->entries, [&](const sm::Guid2Lid::Entry& entry) {
           return entry.first <= lid && lid <= entry.last;
         });
}

}  // namespace sa
