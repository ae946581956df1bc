#include "sm/sa/registrations/groups.h"

#include <algorithm>
#include <limits>

#include "sm/sa/registrations/ports.h"

namespace sa {
namespace {

constexpr std::size_t compute_index(mad::Mlid mlid) { return mlid.value - mad::kMlidMin.value; }

}  // namespace

std::optional<mad::Mlid> MlidPool::lowest_free(mad::Mlid last) const {
  while (first_free_ < users_.size() && users_[first_free_] != 0) ++first_free_;
  if (first_free_ > compute_index(last)) return std::nullopt;
  return mad::Mlid{static_cast<std::uint16_t>(mad::kMlidMin.value + first_free_)};
}

std::uint32_t MlidPool::users_of(mad::Mlid mlid) const {
  return is_multicast(mlid) && compute_index(mlid) < users_.size() ? users_[compute_index(mlid)]
                                                                   : 0;
}

void MlidPool::take(mad::Mlid mlid) {
  if (compute_index(mlid) >= users_.size()) users_.resize(compute_index(mlid) + 1);
  if (users_[compute_index(mlid)]++ == 0) ++in_use_;
}

void MlidPool::give_back(mad::Mlid mlid) {
  if (--users_[compute_index(mlid)] > 0) return;
  --in_use_;
  first_free_ = std::min(first_free_, compute_index(mlid));
}

std::uint32_t MlidPool::free(mad::Mlid last) const {
  const auto all = static_cast<std::uint32_t>(compute_index(last) + 1);
  if (users_.size() <= all) return all - in_use_;
  return static_cast<std::uint32_t>(
      std::count(users_.begin(), users_.begin() + static_cast<std::ptrdiff_t>(all), 0u));
}

mad::Mlid last_mlid(const fabric::Fabric& fabric) {
  unsigned count = mad::kMlidMax.value - mad::kMlidMin.value + 1u;
  std::vector<unsigned> caps;
  for (const fabric::Switch& sw : fabric.switches)
    if (const unsigned cap = sw.info.multicast_fdb_cap(); cap != 0) caps.push_back(cap);
  std::ranges::sort(caps);
  // One small table does not limit the MLIDs of the whole fabric: trees avoid switches whose table
  // is too small for the group.
  const std::size_t ignored = caps.size() < 3 ? 0 : std::max<std::size_t>(caps.size() / 10, 1);
  if (!caps.empty()) count = std::min(count, caps[ignored]);
  return {static_cast<std::uint16_t>(mad::kMlidMin.value + count - 1)};
}

namespace {

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

enum class Traffic : std::uint8_t { none, sends, receives };
constexpr Traffic traffic_of(std::uint8_t state) {
  return (state & join_state::kReceives) != 0 ? Traffic::receives
         : state != 0                         ? Traffic::sends
                                              : Traffic::none;
}

void add_members(const Group& group, const fabric::Subnet& subnet, const AliasGuids& aliases,
                 routing::MulticastGroup& out) {
  out.sls |= static_cast<std::uint16_t>(1u << group.sl.value);
  for (const auto& [gid, member] : group.members) {
    const fabric::PortIndex port = port_of(gid.guid, subnet, aliases);
    if (port == fabric::kNoIndex) continue;
    (traffic_of(member.join_state) == Traffic::receives ? out.receivers : out.senders)
        .push_back(port);
  }
}

void tidy(routing::MulticastGroup& group) {
  sort_unique(group.receivers);
  sort_unique(group.senders);
  std::erase_if(group.senders, [&](fabric::PortIndex port) {
    return std::binary_search(group.receivers.begin(), group.receivers.end(), port);
  });
}

}  // namespace

const Member* Groups::find(mad::Gid mgid, mad::Gid port_gid) const {
  const Group* group = find(mgid);
  if (group == nullptr) return nullptr;
  const auto found = group->members.find(port_gid);
  return found == group->members.end() ? nullptr : &found->second;
}

const Group& Groups::create(Group group) {
  group.members.clear();
  group.full_members = 0;
  mlids_.take(group.mlid);
  if (group.created_by != mad::Guid{}) creations_.take(group.created_by);
  touched_.groups.insert(group.mgid);
  of_mlid_.emplace(group.mlid, group.mgid);
  const mad::Gid mgid = group.mgid;
  return groups_.emplace(mgid, std::move(group)).first->second;
}

void Groups::set_values(const Group& values) {
  Group& group = groups_.at(values.mgid);
  Group changed = values;
  changed.mlid = group.mlid;
  changed.created_by = group.created_by;
  changed.full_members = group.full_members;
  changed.members.swap(group.members);
  group = std::move(changed);
  touched_.groups.insert(group.mgid);
}

void Groups::count(Group& group, std::uint8_t before, std::uint8_t after) {
  group.full_members -= (before & join_state::kKeepsAlive) != 0 ? 1u : 0u;
  group.full_members += (after & join_state::kKeepsAlive) != 0 ? 1u : 0u;
  if (traffic_of(before) != traffic_of(after)) changed_.insert(group.mlid);
}

void Groups::mark_members_stale() {
  for (const auto& [mgid, group] : groups_)
    for (const auto& [gid, member] : group.members) stale_members_.emplace(mgid, gid);
  touched_.members.insert(stale_members_.begin(), stale_members_.end());
}

void Groups::trust_members() {
  touched_.members.insert(stale_members_.begin(), stale_members_.end());
  stale_members_.clear();
}

const Member& Groups::join(mad::Gid mgid, const Member& member) {
  if (stale_members_.erase({mgid, member.port_gid}) > 0)
    touched_.members.emplace(mgid, member.port_gid);
  Group& group = groups_.at(mgid);
  const auto [at, is_new] = group.members.try_emplace(member.port_gid, member);
  Member& held = at->second;
  const std::uint8_t before = is_new ? 0 : held.join_state;
  held.join_state = before | member.join_state;
  if (is_new) {
    quota_.take(member.client());
    memberships_.insert({member.port_gid.guid, {mgid, member.port_gid}});
  } else if (held.proxy_join && !member.proxy_join) {
    quota_.give_back(held.client());
    quota_.take(member.client());
    held.proxy_join = false;
    held.registered_by = member.registered_by;
    held.registered_at = member.registered_at;
    touched_.members.emplace(mgid, member.port_gid);
  }
  if (is_new || held.join_state != before) touched_.members.emplace(mgid, member.port_gid);
  count(group, before, held.join_state);
  return held;
}

void Groups::leave(mad::Gid mgid, mad::Gid port_gid, std::uint8_t bits) {
  Group& group = groups_.at(mgid);
  const auto at = group.members.find(port_gid);
  Member& held = at->second;
  const std::uint8_t before = held.join_state, after = before & static_cast<std::uint8_t>(~bits);
  if (after == before) return;
  held.join_state = after;
  touched_.members.emplace(mgid, port_gid);
  count(group, before, after);
  if (after != 0) return;
  stale_members_.erase({mgid, port_gid});
  quota_.give_back(held.client());
  memberships_.erase({port_gid.guid, {mgid, port_gid}});
  group.members.erase(at);
}

void Groups::erase(mad::Gid mgid) {
  Group& group = groups_.at(mgid);
  while (!group.members.empty()) leave(mgid, group.members.begin()->first, 0xF);
  mlids_.give_back(group.mlid);
  of_mlid_.erase({group.mlid, mgid});
  creations_.give_back(group.created_by);
  touched_.groups.insert(mgid);
  groups_.erase(mgid);
}

std::vector<mad::Mlid> Groups::take_changed_mlids() {
  const std::set<mad::Mlid> changed = std::exchange(changed_, {});
  return {changed.begin(), changed.end()};
}

Groups::Touched Groups::take_touched() { return std::exchange(touched_, {}); }

std::vector<routing::MulticastGroup> Groups::for_routing(const fabric::Subnet& subnet,
                                                         const AliasGuids& aliases,
                                                         std::span<const mad::Mlid> mlids) const {
  std::vector<routing::MulticastGroup> out(mlids.size());
  for (std::size_t i = 0; i < mlids.size(); ++i) {
    out[i].mlid = mlids[i];
    out[i].sls = 0;
    for (auto at = of_mlid_.lower_bound({mlids[i], mad::Gid{}});
         at != of_mlid_.end() && at->first == mlids[i]; ++at)
      add_members(groups_.at(at->second), subnet, aliases, out[i]);
  }
  for (routing::MulticastGroup& group : out) tidy(group);
  return out;
}

std::map<mad::Gid, std::uint8_t> Groups::join_states(mad::Guid guid) const {
  std::map<mad::Gid, std::uint8_t> states;
  for (auto at = memberships_.lower_bound({guid, {}});
       at != memberships_.end() && at->first == guid; ++at) {
    const auto& [mgid, port_gid] = at->second;
    states[mgid] |= find(mgid, port_gid)->join_state;
  }
  return states;
}

std::vector<routing::MulticastGroup> Groups::for_routing(const fabric::Subnet& subnet,
                                                         const AliasGuids& aliases) const {
  std::vector<routing::MulticastGroup> out;
  append_for_routing(subnet, aliases, {}, std::numeric_limits<std::size_t>::max(), out);
  return out;
}

std::optional<mad::Mlid> Groups::append_for_routing(
    const fabric::Subnet& subnet, const AliasGuids& aliases, mad::Mlid first,
    std::size_t members_max, std::vector<routing::MulticastGroup>& out) const {
  std::size_t members = 0;
  for (auto at = of_mlid_.lower_bound({first, mad::Gid{}}); at != of_mlid_.end();) {
    const mad::Mlid mlid = at->first;
    if (members >= members_max) return mlid;
    const std::size_t before = members;
    routing::MulticastGroup all;
    all.mlid = mlid;
    all.sls = 0;
    for (; at != of_mlid_.end() && at->first == mlid; ++at) {
      const Group& group = groups_.at(at->second);
      members += group.members.size();
      add_members(group, subnet, aliases, all);
    }
    if (members == before) continue;
    tidy(all);
    out.push_back(std::move(all));
  }
  return std::nullopt;
}

std::optional<mad::Mlid> solicited_node_mlid(const Groups& groups, mad::Gid mgid) {
  // The P_Key and the scope are in the upper half of the MGID, so that these groups are adjacent in
  // the map.
  const auto at = groups.all().lower_bound({mgid.prefix, {0x00000001FF000000}});
  if (at == groups.all().end() || at->first.prefix != mgid.prefix || !is_solicited_node(at->first))
    return std::nullopt;
  return at->second.mlid;
}

}  // namespace sa
