#include "sm/sa/registrations/alias_guids.h"

namespace sa {

mad::GuidInfo AliasGuids::block(mad::Guid port_guid, unsigned block) const {
  mad::GuidInfo out;
  const unsigned first = block * mad::GuidInfo::kEntries;
  if (block == 0) out.set_guid(0, port_guid);
  for (auto at = all_.lower_bound({port_guid, first});
       at != all_.end() && at->first < AliasPlace{port_guid, first + mad::GuidInfo::kEntries}; ++at)
    out.set_guid(at->first.index - first, at->second);
  return out;
}

std::vector<std::pair<unsigned, mad::GuidInfo>> AliasGuids::blocks(mad::Guid port_guid) const {
  std::vector<std::pair<unsigned, mad::GuidInfo>> out;
  for (auto at = all_.lower_bound({port_guid, 0});
       at != all_.end() && at->first.port_guid == port_guid; ++at) {
    const unsigned number = at->first.index / mad::GuidInfo::kEntries;
    if (out.empty() || out.back().first != number)
      out.emplace_back(number, block(port_guid, number));
  }
  return out;
}

void AliasGuids::set(AliasPlace place, mad::Guid alias) {
  if (at(place) == alias) return;
  if (const auto found = all_.find(place); found != all_.end()) {
    owners_.erase(found->second);
    all_.erase(found);
  }
  touched_.insert(place);
  if (alias == mad::Guid{}) return;
  all_.emplace(place, alias);
  owners_.emplace(alias, place.port_guid);
}

void AliasGuids::forget_changes(const std::function<bool(mad::Guid)>& gone) {
  std::erase_if(withdrawn_, [&](const Block& block) { return gone(block.port_guid); });
  std::vector<mad::Guid> ports;
  for (const auto& [port, change] : changes_)
    if (gone(port)) ports.push_back(port);
  for (const mad::Guid port : ports) abandon(port);
}

void AliasGuids::withdraw(AliasPlace place) {
  withdrawn_.insert({place.port_guid, place.index / mad::GuidInfo::kEntries});
  set(place, {});
}

void AliasGuids::prepare(mad::Guid port_guid, Change change) {
  for (const auto& [index, alias] : change)
    if (alias != mad::Guid{}) reserved_.insert(alias);
  changes_.emplace(port_guid, std::move(change));
}

void AliasGuids::commit(mad::Guid port_guid) {
  const auto found = changes_.find(port_guid);
  if (found == changes_.end()) return;  // the port has disappeared since
  const Change change = std::move(found->second);
  changes_.erase(found);
  for (const auto& [index, alias] : change) {
    reserved_.erase(alias);
    set({port_guid, index}, {});  // first removes all: an alias may move within the port
  }
  for (const auto& [index, alias] : change) set({port_guid, index}, alias);
}

void AliasGuids::abandon(mad::Guid port_guid) {
  const auto found = changes_.find(port_guid);
  if (found == changes_.end()) return;
  for (const auto& [index, alias] : found->second) reserved_.erase(alias);
  changes_.erase(found);
}

}  // namespace sa
