#include "sm/sa/registrations/registrations.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "mad/format.h"
#include "sm/sa/registrations/ports.h"

namespace sa {
namespace {

Group values_of(const fabric::WellKnownGroup& wanted, const config::Options& options) {
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

std::vector<GroupNotice> reconcile_groups(Registrations& registrations,
                                          const fabric::Subnet& subnet,
                                          const config::Options& options,
                                          std::vector<std::string>& log) {
  Groups& groups = registrations.groups;
  std::vector<GroupNotice> notices;
  std::map<mad::Gid, const fabric::WellKnownGroup*> wanted;
  if (!options.disable_multicast)
    for (const fabric::WellKnownGroup& group : subnet.partitions.groups)
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
  for (const fabric::WellKnownGroup& group : subnet.partitions.groups) {
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

namespace {

/// Runs one slice of a purge.
class Purge {
 public:
  Purge(Registrations& registrations, const fabric::Subnet& subnet, PurgePosition& position,
        std::size_t steps)
      : registrations_(registrations), subnet_(subnet), position_(position), steps_max_(steps) {
    position_.steps = 0;
  }

  bool has_step_left() { return position_.steps++ < steps_max_; }
  bool is_present(mad::Guid end) const { return subnet_.find(end).port != fabric::kNoIndex; }

  /// Returns false if the slice has ended, like the functions below.
  bool aliases() {
    AliasGuids& aliases = registrations_.alias_guids;
    const auto& all = aliases.all();
    for (auto at = all.lower_bound(position_.alias); at != all.end();) {
      const auto [place, alias] = *at++;
      if (!has_step_left()) {
        position_.alias = place;
        return false;
      }
      if (!is_present(place.port_guid)) {
        aliases.set(place, {});
      } else if (is_present(alias)) {
        aliases.withdraw(place);
        position_.returned.emplace(alias, place.port_guid);
      }
    }
    aliases.forget_changes([&](mad::Guid port) { return !is_present(port); });
    return true;
  }

  bool subscriptions() {
    Subscriptions& subscriptions = registrations_.subscriptions;
    const auto& all = subscriptions.all();
    for (auto at = all.lower_bound(position_.subscription); at != all.end();) {
      const SubscriptionId id = at->first;
      if (!has_step_left()) {
        position_.subscription = id;
        return false;
      }
      if (is_present(id.subscriber)) {  // the next subscriber
        at = all.lower_bound({mad::Guid{id.subscriber.value + 1}, 0});
        if (id.subscriber.value + 1 == 0) break;
      } else {
        ++at;
        subscriptions.erase(id);
      }
    }
    return true;
  }

  /// Drops services under aliases whose owners have returned and, if `absent`, of absent ports.
  bool services(bool absent) {
    if (!absent && position_.returned.empty()) return true;
    const auto& all = registrations_.services.all();
    for (auto at = all.lower_bound(position_.service); at != all.end();) {
      const auto& [rid, service] = *at;
      if (!has_step_left()) {
        position_.service = rid;
        return false;
      }
      const auto alias = position_.returned.find(rid.gid.guid);
      const bool is_gone =
          (alias != position_.returned.end() && service.registered_by == alias->second) ||
          (absent &&
           port_of(rid.gid.guid, subnet_, registrations_.alias_guids) == fabric::kNoIndex);
      const ServiceRid key = rid;
      ++at;
      if (is_gone) registrations_.services.erase(key);
    }
    return true;
  }

  bool members() {
    const auto& all = registrations_.groups.memberships();
    for (auto at = all.lower_bound(position_.membership); at != all.end();) {
      const auto [guid, key] = *at;
      if (!has_step_left()) {
        position_.membership = {guid, key};
        return false;
      }
      const fabric::EndPoint end = find_end_point(guid, subnet_, registrations_.alias_guids);
      const bool has_returned = position_.returned.contains(guid);
      if (!has_returned && end.port != fabric::kNoIndex && end.vport == fabric::kNoIndex) {
        if (guid.value + 1 == 0) break;
        at = all.lower_bound({mad::Guid{guid.value + 1}, {}});  // the next GUID
        continue;
      }
      const bool is_gone =
          has_returned
              ? registrations_.groups.find(key.first, key.second)->registered_by != guid
              : end.port == fabric::kNoIndex ||
                    !is_in_partition(subnet_, end, registrations_.groups.find(key.first)->p_key);
      if (is_gone) drop(key);
      at = all.upper_bound({guid, key});  // its whole group may be deleted
    }
    return true;
  }

  /// Drops members under one alias whose owner has returned.
  void members_under(mad::Guid alias) {
    const auto& all = registrations_.groups.memberships();
    for (auto at = all.lower_bound({alias, {}}); at != all.end() && at->first == alias;) {
      const Groups::MemberKey key = at->second;
      if (registrations_.groups.find(key.first, key.second)->registered_by != alias) drop(key);
      at = all.upper_bound({alias, key});
    }
  }

  std::vector<GroupNotice> take_notices() { return std::move(notices_); }

 private:
  /// Drops the member, and its group after the last full member: each member is a step.
  void drop(const Groups::MemberKey& key) {
    const std::size_t before = registrations_.groups.memberships().size();
    for (GroupNotice& notice : drop_members(registrations_.groups, {&key, 1}))
      notices_.push_back(notice);
    position_.steps += before - registrations_.groups.memberships().size();
  }

  Registrations& registrations_;
  const fabric::Subnet& subnet_;
  PurgePosition& position_;
  const std::size_t steps_max_;
  std::vector<GroupNotice> notices_;
};

}  // namespace

std::vector<GroupNotice> withdraw_aliases_of_present_ports(Registrations& registrations,
                                                           const fabric::Subnet& subnet,
                                                           mad::Guid port_guid) {
  PurgePosition position;
  Purge purge(registrations, subnet, position, std::numeric_limits<std::size_t>::max());
  AliasGuids& aliases = registrations.alias_guids;
  for (auto at = aliases.all().lower_bound({port_guid, 0});
       at != aliases.all().end() && at->first.port_guid == port_guid;) {
    const auto [place, alias] = *at++;
    if (!purge.is_present(alias)) continue;
    aliases.withdraw(place);
    position.returned.emplace(alias, port_guid);
  }
  if (position.returned.empty()) return {};
  purge.services(false);
  for (const auto& [alias, port] : position.returned) purge.members_under(alias);
  return purge.take_notices();
}

std::vector<GroupNotice> forget_absent_slice(Registrations& registrations,
                                             const fabric::Subnet& subnet,
                                             const config::Options& options, Absent absent,
                                             PurgePosition& position, std::size_t steps) {
  using enum PurgePosition::Part;
  Purge purge(registrations, subnet, position, steps);
  if (position.part == ports) {
    registrations.acknowledged.keep_present(subnet.fabric);
    position.part = aliases;
  }
  if (position.part == aliases && purge.aliases()) position.part = subscriptions;
  if (position.part == subscriptions && purge.subscriptions()) position.part = services;
  const bool keeps_services = absent != Absent::after_load && !options.drop_event_subscriptions;
  if (position.part == services && purge.services(!keeps_services)) position.part = members;
  if (position.part == members && purge.members()) position.part = done;
  return purge.take_notices();
}

std::vector<GroupNotice> purge_absent_ports(Registrations& registrations,
                                            const fabric::Subnet& subnet,
                                            const config::Options& options, Absent absent) {
  std::vector<GroupNotice> notices;
  PurgePosition position;
  while (!position.is_done())
    std::ranges::move(forget_absent_slice(registrations, subnet, options, absent, position),
                      std::back_inserter(notices));
  return notices;
}

bool update_moved_members(Registrations& registrations, const fabric::Subnet& before,
                          const fabric::Subnet& after) {
  // Ports are compared by PortGUID, because indices are valid in one fabric only.
  const auto place = [](const fabric::Subnet& subnet, fabric::PortIndex port) {
    return port == fabric::kNoIndex ? mad::Guid{} : subnet.fabric.ports[port].guid;
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

namespace {

/// A member is always of this subnet, whatever prefix its PortGID was stored with.
void make_members_canonical(Groups& groups, std::uint64_t subnet_prefix) {
  std::vector<Groups::MemberKey> others;
  for (const auto& [guid, key] : groups.memberships())
    if (key.second.prefix != subnet_prefix) others.push_back(key);
  for (const auto& [mgid, port_gid] : others) {
    Member member = *groups.find(mgid, port_gid);
    groups.leave(mgid, port_gid, member.join_state);
    member.port_gid.prefix = subnet_prefix;
    groups.join(mgid, member);
  }
}

void make_services_canonical(Services& services, std::uint64_t subnet_prefix) {
  std::vector<ServiceRid> others;
  for (const auto& [rid, service] : services.all())
    if (canonical_gid(rid.gid, subnet_prefix) != rid.gid) others.push_back(rid);
  const auto rank = [](const Service& service) {
    return std::pair(service.registered_by == service.record.service_gid().guid,
                     service.expires.value_or(UnixTime::max()));
  };
  for (const ServiceRid& rid : others) {
    Service service = *services.find(rid);
    services.erase(rid);
    service.record.set_service_gid(canonical_gid(rid.gid, subnet_prefix));
    const Service* const same = services.find(rid_of(service.record));
    if (same == nullptr || rank(*same) < rank(service)) services.set(std::move(service));
  }
}

void make_subscriptions_canonical(Subscriptions& subscriptions, std::uint64_t subnet_prefix) {
  std::vector<SubscriptionId> others;
  for (const auto& [id, subscription] : subscriptions.all()) {
    const mad::Gid gid = subscription.inform_info.gid();
    if (canonical_gid(gid, subnet_prefix) != gid) others.push_back(id);
  }
  for (const SubscriptionId id : others) {
    Subscription subscription = subscriptions.all().at(id);
    mad::InformInfo& inform_info = subscription.inform_info;
    inform_info.set_gid(canonical_gid(inform_info.gid(), subnet_prefix));
    subscriptions.erase(id);
    if (subscriptions.find(id.subscriber, inform_info) == nullptr)
      subscriptions.set(id, subscription);
  }
}

}  // namespace

void make_gids_canonical(Registrations& registrations, std::uint64_t subnet_prefix) {
  make_members_canonical(registrations.groups, subnet_prefix);
  make_services_canonical(registrations.services, subnet_prefix);
  make_subscriptions_canonical(registrations.subscriptions, subnet_prefix);
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
