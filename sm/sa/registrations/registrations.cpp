#include "sm/sa/registrations/registrations.h"

#include <algorithm>
#include <tuple>

#include "mad/format.h"
#include "sm/sa/registrations/ports.h"

namespace sa {
namespace {

Group values_of(const sm::WellKnownGroup& wanted, const config::Options& options) {
  Group group;
  group.mgid = wanted.mgid;
  group.p_key = wanted.p_key;
  group.q_key = wanted.q_key;
  group.mtu = wanted.mtu;
  group.rate = wanted.rate;
  group.packet_life = options.subnet_timeout;
  group.sl = wanted.sl;
  group.t_class = wanted.t_class;
  group.flow_label = wanted.flow_label;
  group.hop_limit = wanted.hop_limit;
  group.well_known = true;
  return group;
}

bool has_values(const Group& group, const Group& wanted) {
  const auto values = [](const Group& of) {
    return std::tie(of.mgid, of.p_key, of.q_key, of.mtu, of.rate, of.packet_life, of.sl, of.t_class,
                    of.flow_label, of.hop_limit, of.well_known);
  };
  return values(group) == values(wanted);
}

/// Erases the group; adds a notice if it had full members.
void delete_group(Groups& groups, mad::Gid mgid, std::vector<GroupNotice>& notices) {
  const Group& group = *groups.find(mgid);
  if (group.full_members != 0)
    notices.push_back({mad::TrapNumber::multicast_group_deleted, mgid, group.p_key});
  groups.erase(mgid);
}

}  // namespace

std::vector<GroupNotice> reconcile_groups(Registrations& registrations, const sm::Subnet& subnet,
                                          const config::Options& options,
                                          std::vector<std::string>& log) {
  Groups& groups = registrations.groups;
  std::vector<GroupNotice> notices;
  std::map<mad::Gid, const sm::WellKnownGroup*> wanted;
  if (!options.disable_multicast)
    for (const sm::WellKnownGroup& group : subnet.partitions.groups)
      wanted.emplace(group.mgid, &group);

  std::vector<mad::Gid> deleted, demoted;
  for (const auto& [mgid, group] : groups.all()) {
    if (wanted.contains(mgid)) continue;
    if (subnet.partitions.find(group.p_key) == nullptr ||
        (group.well_known && group.full_members == 0))
      deleted.push_back(mgid);
    else if (group.well_known)
      demoted.push_back(mgid);
  }
  for (const mad::Gid mgid : deleted) delete_group(groups, mgid, notices);
  for (const mad::Gid mgid : demoted) {
    Group values = *groups.find(mgid);
    values.well_known = false;
    groups.set_values(values);
  }

  const mad::Mlid last = last_mlid(subnet.fabric);
  for (const sm::WellKnownGroup& group : subnet.partitions.groups) {
    const auto entry = wanted.find(group.mgid);
    if (entry == wanted.end() || entry->second != &group)
      continue;  // multicast is disabled, or the MGID is named twice
    Group values = values_of(group, options);
    if (const Group* known = groups.find(group.mgid)) {
      if (!has_values(*known, values)) groups.set_values(values);
      continue;
    }
    const auto mlid = groups.mlids().lowest_free(last);
    if (!mlid) {
      log.push_back(
          fmt::format("group {} of partition {:#06x} has no MLID: all up to {:#06x} are in use",
                      gid_text(group.mgid), group.p_key.value, last.value));
      continue;
    }
    values.mlid = *mlid;
    groups.create(std::move(values));
  }
  return notices;
}

std::vector<GroupNotice> withdraw_aliases_of_present_ports(Registrations& registrations,
                                                           const sm::Subnet& subnet) {
  const std::map<mad::Guid, mad::Guid> withdrawn = registrations.alias_guids.withdraw(
      [&](mad::Guid alias) { return subnet.find(alias).port != sm::kNoIndex; });
  if (withdrawn.empty()) return {};
  Groups& groups = registrations.groups;
  std::vector<Groups::MemberKey> members;
  for (const auto& [mgid, group] : groups.all())
    for (const auto& [gid, member] : group.members)
      if (withdrawn.contains(gid.guid) && member.registered_by != gid.guid)
        members.emplace_back(mgid, gid);
  std::vector<ServiceRid> services;
  for (const auto& [rid, service] : registrations.services.all()) {
    const auto alias = withdrawn.find(rid.gid.guid);
    if (alias != withdrawn.end() && service.registered_by == alias->second) services.push_back(rid);
  }
  for (const ServiceRid& rid : services) registrations.services.erase(rid);
  return drop_members(groups, members);
}

std::vector<GroupNotice> forget_absent_ports(Registrations& registrations, const sm::Subnet& subnet,
                                             const config::Options& options, Absent absent) {
  const auto is_present = [&](mad::Guid end) { return subnet.find(end).port != sm::kNoIndex; };
  registrations.alias_guids.forget_ports([&](mad::Guid port) { return !is_present(port); });
  std::vector<GroupNotice> notices = withdraw_aliases_of_present_ports(registrations, subnet);
  registrations.subscriptions.forget_ports([&](mad::Guid port) { return !is_present(port); });
  const auto resolves = [&](mad::Guid guid) {
    return port_of(guid, subnet, registrations.alias_guids) != sm::kNoIndex;
  };
  if (absent == Absent::after_load || options.drop_event_subscriptions)
    registrations.services.forget([&](mad::Gid gid) { return !resolves(gid.guid); });

  Groups& groups = registrations.groups;
  std::vector<Groups::MemberKey> gone;
  const auto may_be_gone = [&](mad::Guid guid) {
    const sm::EndPoint end = end_of(guid, subnet, registrations.alias_guids);
    return end.port == sm::kNoIndex || end.vport != sm::kNoIndex;
  };
  if (!groups.has_member_where(may_be_gone)) return notices;
  for (const auto& [mgid, group] : groups.all()) {
    for (const auto& [gid, member] : group.members) {
      const sm::EndPoint end = end_of(gid.guid, subnet, registrations.alias_guids);
      const bool has_lost_keys =
          end.vport != sm::kNoIndex && !is_in_partition(subnet, end, group.p_key);
      if (end.port == sm::kNoIndex || has_lost_keys) gone.emplace_back(mgid, gid);
    }
  }
  std::ranges::move(drop_members(groups, gone), std::back_inserter(notices));
  return notices;
}

bool follow_moved_members(Registrations& registrations, const sm::Subnet& before,
                          const sm::Subnet& after) {
  // PortGUIDs: indices are of one fabric only.
  const auto place = [](const sm::Subnet& subnet, sm::PortIndex port) {
    return port == sm::kNoIndex ? mad::Guid{} : subnet.fabric.ports[port].guid;
  };
  const auto has_moved = [&](const auto& vport) {
    const mad::Guid was = place(before, before.find(vport.first).port);
    return was != mad::Guid{} && was != place(after, after.find(vport.first).port);
  };
  if (!after.vports || std::ranges::none_of(after.vports->of_guid, has_moved)) return false;
  const AliasGuids& aliases = registrations.alias_guids;
  bool any = false;
  for (const auto& [mgid, group] : registrations.groups.all()) {
    if (std::ranges::any_of(group.members, [&](const auto& member) {
          const mad::Guid guid = member.first.guid;
          return place(before, port_of(guid, before, aliases)) !=
                 place(after, port_of(guid, after, aliases));
        })) {
      registrations.groups.note_move(mgid);
      any = true;
    }
  }
  return any;
}

std::vector<GroupNotice> drop_members(Groups& groups, std::span<const Groups::MemberKey> members) {
  std::vector<GroupNotice> notices;
  for (const auto& [mgid, gid] : members) {
    const Group* group = groups.find(mgid);
    if (group == nullptr || !group->members.contains(gid))
      continue;  // deleted with an earlier member
    const bool was_kept = group->full_members != 0;
    groups.leave(mgid, gid, groups.find(mgid, gid)->join_state);
    if (group->full_members != 0) continue;
    if (was_kept) notices.push_back({mad::TrapNumber::multicast_group_deleted, mgid, group->p_key});
    if (!group->well_known) groups.erase(mgid);
  }
  return notices;
}

}  // namespace sa
