#include "sm/sa/group_changes.h"

#include <utility>

#include "mad/attributes/notice.h"

namespace sa {

bool GroupChanges::add(const GroupNotice& notice) {
  const bool is_created = notice.trap == mad::TrapNumber::multicast_group_created;
  const auto [place, is_first] = groups_.try_emplace(notice.mgid);
  Change& change = place->second;
  change.exists = is_created;
  change.p_key = notice.p_key;
  if (is_first) {
    change.p_key_before = notice.p_key;
    change.is_reported_to_exist = !is_created;
    if (at_once_ < kAtOnceMax) {
      ++at_once_;
      change.is_reported_to_exist = is_created;
      return true;
    }
  }
  change.is_pending = true;
  return false;
}

void GroupChanges::clear() {
  groups_.clear();
  at_once_ = 0;
}

std::vector<GroupNotice> GroupChanges::take() {
  std::vector<GroupNotice> out;
  for (const auto& [mgid, change] : groups_) {
    if (!change.is_pending) continue;
    if (change.is_reported_to_exist)
      out.push_back({mad::TrapNumber::multicast_group_deleted, mgid, change.p_key_before});
    if (change.exists)
      out.push_back({mad::TrapNumber::multicast_group_created, mgid, change.p_key});
  }
  clear();
  return out;
}

}  // namespace sa
