// Multicast groups by MCMemberRecord.

#include "sm/sa/registrations/requests.h"

#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "mad/format.h"
#include "mad/path_units.h"
#include "sm/sa/query/visibility.h"
#include "sm/sa/registrations/group_parameters.h"
#include "sm/sa/registrations/ports.h"

namespace sa {
namespace {

using McMemberMask = mad::McMemberRecord;
template <class... Bits>
constexpr std::uint64_t make_mask(Bits... bits) {
  return ((std::uint64_t{1} << bits) | ...);
}
constexpr std::uint64_t kJoinComponents =
    make_mask(McMemberMask::kMgid, McMemberMask::kPortGid, McMemberMask::kJoinState);
constexpr std::uint64_t kCreateComponents =
    kJoinComponents | make_mask(McMemberMask::kQKey, McMemberMask::kTClass, McMemberMask::kPKey,
                                McMemberMask::kFlowLabel, McMemberMask::kSl);
constexpr auto kExactly = static_cast<std::uint8_t>(mad::Selector::exactly);
constexpr std::uint8_t kLinkLocal = 2;

/// A Set or Delete whose ends are known.
struct MembershipRequest {
  const Query& query;
  mad::McMemberRecord record;
  mad::Gid port_gid;          // PortGID as groups know it
  fabric::EndPoint member{};  // the end port or vport of PortGID
  bool is_proxy = false;      // another one sent the request
};

std::string member_text(const View& view, const MembershipRequest& request) {
  const std::string gid = gid_text(request.record.port_gid());
  return request.member.port == fabric::kNoIndex
             ? fmt::format("PortGID {}", gid)
             : fmt::format("{} (PortGID {})", find_name(view.subnet, request.member), gid);
}

Outcome refuse(const View& view, const MembershipRequest& request, std::uint16_t status,
               std::string_view what, std::string_view why) {
  return refused(status, fmt::format("{}: {}, MGID {}: {}", what, member_text(view, request),
                                     gid_text(request.record.mgid()), why));
}

mad::McMemberRecord mc_member_of(const Query& query) {
  return mad::McMemberRecord(query.record.first<mad::McMemberRecord::kBytes>());
}

/// Explains that the group does not exist: whether the partition has an IPoIB group.
std::string absent_group_text(const Groups& groups, const View& view,
                              const MembershipRequest& request) {
  const mad::Gid mgid = request.record.mgid();
  if (!is_ip(mgid)) return "there is no such group";
  const mad::PKey p_key{static_cast<std::uint16_t>(mgid.prefix >> 16)};  // RFC 4391, 4
  const mad::Gid broadcast = broadcast_of(mgid);
  if (groups.find(broadcast) != nullptr)
    return fmt::format("there is no such group in P_Key {}, whose IPoIB broadcast group exists",
                       p_key);
  const std::uint16_t key = mad::p_key_base(p_key);
  return view.subnet.partitions.find(p_key) != nullptr
             ? fmt::format(
                   "there is no IPoIB group in P_Key {}: partition {:#06x} is configured "
                   "without ipoib",
                   p_key, key)
             : fmt::format(
                   "there is no IPoIB group in P_Key {}: no partition {:#06x} is "
                   "configured (`heddlectl partition create {:#06x} --ipoib`)",
                   p_key, key, key);
}

/// Returns "Q_Key, TClass and SL": what creates a group, and the request lacks.
std::string missing_components(const Query& query) {
  constexpr std::pair<unsigned, std::string_view> kNames[]{{McMemberMask::kQKey, "Q_Key"},
                                                           {McMemberMask::kTClass, "TClass"},
                                                           {McMemberMask::kPKey, "P_Key"},
                                                           {McMemberMask::kFlowLabel, "FlowLabel"},
                                                           {McMemberMask::kSl, "SL"}};
  std::vector<std::string_view> missing;
  for (const auto& [component, name] : kNames)
    if (!query.has(component)) missing.push_back(name);
  const std::string_view last = missing.back();
  missing.pop_back();
  return missing.empty() ? std::string(last)
                         : fmt::format("{} and {}", fmt::join(missing, ", "), last);
}

/// The result of the checks that Set and Delete share; a status other than kOk refuses the request.
struct Checked {
  MembershipRequest request;
  std::optional<Outcome> refusal;
};
Checked check(const View& view, const Query& query, std::string_view no_components,
              std::string_view bad_prefix) {
  const mad::McMemberRecord record = mc_member_of(query);
  MembershipRequest request{
      .query = query,
      .record = record,
      .port_gid = canonical_gid(record.port_gid(), view.options.subnet_prefix)};
  if (view.options.disable_multicast)
    return {request, refused(mad::status::kMethodAttributeUnsupported)};
  if ((query.component_mask & kJoinComponents) != kJoinComponents) {
    return {
        request,
        refuse(view, request, mad::sa_status::kReqInsufficientComponents, no_components,
               fmt::format("component mask {:#x} lacks some of MGID, PortGID, JoinState ({:#x})",
                           query.component_mask, kJoinComponents))};
  }
  if (!is_local_prefix(request.record.port_gid().prefix, view.options.subnet_prefix))
    return {request,
            refuse(view, request, mad::sa_status::kReqInvalidGid, bad_prefix,
                   fmt::format(
                       "multicast stays within a subnet, and the prefix of this one is {:#018x}",
                       std::uint64_t{view.options.subnet_prefix}))};
  request.member =
      find_end_point(request.port_gid.guid, view.subnet, view.registrations.alias_guids);
  request.is_proxy = request.member != query.from.end();
  if (request.is_proxy && !may_act_for_others(view.options, query.from))
    return {request, refuse(view, request, mad::sa_status::kReqInvalid, bad_prefix,
                            "sa_etm_allow_untrusted_proxy_requests is FALSE, and the requester "
                            "is another port")};
  return {request, std::nullopt};
}

/// Only the port itself may change its membership; a proxy membership also the port that registered
/// it, and clients with sa_key. By the standard (IBTA Vol 1, 15.2.5.17) every port of the group's
/// partition may, which could then end the traffic of hosts that it does not serve. Here it may
/// where the port that registered the membership is no longer in the subnet, or is not known: a
/// dump of OpenSM does not have it, and the member itself counts then.
bool may_modify(const View& view, const MembershipRequest& request, const Member& member,
                const Group& group) {
  if (!request.is_proxy) return true;
  if (!member.proxy_join || !is_in_partition(view.subnet, request.query.from.end(), group.p_key))
    return false;
  return request.query.from.trusted ||
         view.subnet.find_guid(request.query.from.end()) == member.registered_by ||
         view.subnet.find(member.registered_by).port == fabric::kNoIndex ||
         view.subnet.find_guid(request.member) == member.registered_by;
}

/// Returns the scope of an MGID that subnet administration makes: that of the request, or
/// link-local if it names none.
std::uint8_t scope_of_new(const MembershipRequest& request) {
  const bool names_scope = request.query.has(McMemberMask::kScope) && request.record.scope() != 0;
  return names_scope ? request.record.scope() : kLinkLocal;
}

/// Returns an unused MGID of the scope that the request names, or nullopt if too many are in use;
/// the next call continues behind them.
std::optional<mad::Gid> choose_mgid(Registrations& registrations, const View& view,
                                    const MembershipRequest& request) {
  const std::uint32_t first = registrations.groups.next_mgid;
  const auto mgid =
      unused_mgid(registrations.groups, scope_of_new(request), view.options.subnet_prefix);
  registrations.steps += registrations.groups.next_mgid - first;
  return mgid;
}

/// Fills in the values of a new IP group that the request lacks from its broadcast group, so that
/// every member of that group can join. Returns nullopt if the group can be created.
std::optional<Outcome> apply_broadcast_values(const Groups& groups, const View& view,
                                              const MembershipRequest& request, Group& group) {
  const auto invalid = [&](std::string_view what, std::string_view why) {
    return refuse(view, request, mad::sa_status::kReqInvalid, what, why);
  };
  const mad::McMemberRecord& record = request.record;
  if (!is_ip(record.mgid()) || !view.options.ipoib_mcgroup_creation_validation ||
      record.mgid() == broadcast_of(record.mgid()))
    return std::nullopt;
  const Group* broadcast = groups.find(broadcast_of(record.mgid()));
  if (broadcast == nullptr)
    return invalid(
        "ERR 1B1B: no IP multicast group created",
        fmt::format("there is no broadcast group {}", gid_text(broadcast_of(record.mgid()))));
  std::string why = mismatch(record, request.query, *broadcast);
  if (why.empty()) why = mismatched_link_values(record, request.query, *broadcast);
  if (!why.empty())
    return invalid("ERR 1B1C: no IP multicast group created",
                   "differs from its broadcast group: " + why);
  if (!request.query.has(McMemberMask::kMtu)) group.mtu = broadcast->mtu;
  if (!request.query.has(McMemberMask::kRate)) group.rate = broadcast->rate;
  if (!request.query.has(McMemberMask::kHopLimit)) group.hop_limit = broadcast->hop_limit;
  return std::nullopt;
}

/// Chooses the MLID of a new group: a shared one, the requested one if it is free, or the lowest
/// free one. A port gets no free MLID if it has created more groups than MLIDs are left.
tl::expected<mad::Mlid, Outcome> choose_mlid(const Groups& groups, const View& view,
                                             const MembershipRequest& request, mad::Guid creator) {
  const auto no_room = [&](std::string_view why) {
    return tl::unexpected(refuse(view, request, mad::sa_status::kNoResources,
                                 "ERR 1B19: no multicast group created", why));
  };
  const mad::McMemberRecord& record = request.record;
  const mad::Mlid last = last_mlid(view.subnet.fabric), wanted = record.mlid();
  std::optional<mad::Mlid> mlid;
  if (view.options.consolidate_ipv6_snm_req && is_solicited_node(record.mgid()))
    mlid = solicited_node_mlid(groups, record.mgid());
  if (!mlid && request.query.has(McMemberMask::kMlid) && is_multicast(wanted) && wanted <= last &&
      groups.mlids().is_free(wanted))
    mlid = wanted;
  if (!mlid) mlid = groups.mlids().lowest_free(last);
  if (!mlid || groups.all().size() >= kGroups)
    return no_room(mlid ? fmt::format("there are {} groups", kGroups)
                        : fmt::format("all MLIDs up to {:#06x} are in use, the switches' "
                                      "MulticastFDBCap allows no more; consolidate_ipv6_snm_req "
                                      "shares those of IPv6 solicited-node groups",
                                      last.value));
  const std::uint32_t created = groups.created_by(creator), left = groups.mlids().free(last);
  if (groups.mlids().is_free(*mlid) && created > left)
    return no_room(fmt::format(
        "the requester has created {} groups, and {} MLIDs are left for others", created, left));
  return *mlid;
}

/// Returns the new group of the request: MGID, MLID and values. It is not registered yet.
tl::expected<Group, Outcome> new_group(Registrations& registrations, const View& view,
                                       const MembershipRequest& request, mad::Guid creator) {
  const auto invalid = [&](std::string_view what, std::string_view why) {
    return tl::unexpected(refuse(view, request, mad::sa_status::kReqInvalid, what, why));
  };
  const Groups& groups = registrations.groups;
  const mad::McMemberRecord& record = request.record;
  const bool makes_mgid = record.mgid() == mad::Gid{};
  if (!makes_mgid)
    if (const std::string illegal = illegal_mgid(record.mgid()); !illegal.empty())
      return invalid("no multicast group created", illegal);
  if (makes_mgid && is_reserved_scope(scope_of_new(request)))
    return invalid("no multicast group created",
                   fmt::format("its scope {:#x} is reserved", record.scope()));
  const PortLimits port = limits_of(view.subnet.fabric, request.member.port);
  tl::expected<Group, std::string> group =
      requested_values(record, request.query, port, view.options);
  if (!group) return invalid("ERR 1B26: no multicast group created", group.error());
  if (!makes_mgid)
    if (auto refusal = apply_broadcast_values(groups, view, request, *group))
      return tl::unexpected(std::move(*refusal));
  const tl::expected<mad::Mlid, Outcome> mlid = choose_mlid(groups, view, request, creator);
  if (!mlid) return tl::unexpected(mlid.error());
  group->mlid = *mlid;
  if (groups.mlids().is_free(*mlid)) group->created_by = creator;
  if (makes_mgid) {
    const auto mgid = choose_mgid(registrations, view, request);
    if (!mgid) return tl::unexpected(refused(mad::status::kBusy));  // a repetition continues
    group->mgid = *mgid;
  } else {
    group->mgid = record.mgid();
  }
  return std::move(*group);
}

/// Checks the join of a port to an existing or a new group.
std::optional<Outcome> refuse_join(const View& view, const MembershipRequest& request,
                                   const Group& group, bool is_new) {
  const auto invalid = [&](std::string_view what, std::string_view why) {
    return refuse(view, request, mad::sa_status::kReqInvalid, what, why);
  };
  if (!is_new)
    if (const std::string why = mismatch(request.record, request.query, group); !why.empty())
      return invalid("ERR 1B1A: no join", why);
  if (request.record.join_state() == 0) return invalid("ERR 1B12: no join", "JoinState is 0");
  if (!is_new)
    if (const std::string why = mismatched_link_values(request.record, request.query, group);
        !why.empty())
      return invalid("ERR 1B12: no join", why);
  if (view.options.mcgroup_join_validation)
    if (const std::string why = beyond(limits_of(view.subnet.fabric, request.member.port), group);
        !why.empty())
      return invalid("ERR 1B12: no join", why);
  if (!is_in_partition(view.subnet, request.member, group.p_key))
    return invalid(
        "ERR 1B14: no join",
        fmt::format("the port is not in the group's partition {:#06x}", group.p_key.value));
  const Member* member =
      is_new ? nullptr : view.registrations.groups.find(group.mgid, request.port_gid);
  // Several proxies may join for one port: a join that adds nothing takes nothing from the others.
  const bool changes =
      member != nullptr &&
      (!member->proxy_join || (request.record.join_state() & ~unsigned{member->join_state}) != 0);
  if (changes && !may_modify(view, request, *member, group))
    return invalid("ERR 1B13: no join",
                   fmt::format("{} may not change the membership of another port",
                               find_name(view.subnet, request.query.from.end())));
  return std::nullopt;
}

/// Returns the member as a record, with PortGID in the form of the request.
mad::McMemberRecord response_record(const MembershipRequest& request, const Group& group,
                                    const Member& member) {
  mad::McMemberRecord record = member_record(group, member);
  record.set_port_gid(request.record.port_gid());
  return record;
}

/// Checks the bounds of a client that gets one more membership: a new one, or a proxy's, by its own
/// join.
std::optional<Outcome> check_membership_quota(Groups& groups, const View& view,
                                              const MembershipRequest& request, const Group& group,
                                              const Client& client) {
  const Bounds bounds = bounds_of(client, view.options, joins_per_port(groups.quota().total()),
                                  kJoins, view.options.sa_etm_max_num_mcgs);
  const Member* const member = groups.find(group.mgid, request.port_gid);
  const bool ends_proxy = member != nullptr && member->proxy_join && !request.is_proxy;
  const bool is_full = member == nullptr ? groups.quota().is_full(client, bounds)
                                         : ends_proxy && groups.quota().has_all(client, bounds);
  if (!is_full) return std::nullopt;
  if (!groups.quota().is_first_refusal(client.end)) return refused(mad::sa_status::kNoResources);
  return refuse(view, request, mad::sa_status::kNoResources, "no join",
                fmt::format("{} has {}", find_name(view.subnet, request.query.from.end()),
                            usage_text(groups.quota(), client, bounds, "memberships")));
}

}  // namespace

Outcome set_mc_member(Registrations& registrations, const View& view, const Query& query,
                      UnixTime) {
  const Checked checked = check(view, query, "ERR 1B18: no join", "ERR 1B40: no join");
  if (checked.refusal) return *checked.refusal;
  const MembershipRequest& request = checked.request;
  Groups& groups = registrations.groups;
  const auto invalid = [&](std::string_view what, std::string_view why) {
    return refuse(view, request, mad::sa_status::kReqInvalid, what, why);
  };
  if (request.member.port == fabric::kNoIndex)
    return invalid("no join", "no port of the subnet has this PortGID");
  if (request.is_proxy && !may_communicate(view.subnet, query.from.end(), request.member))
    return invalid("no join", fmt::format("the requester {} shares no partition with the port",
                                          find_name(view.subnet, query.from.end())));

  const Client client = make_client(view.subnet, query.from.end());
  const Group* found = groups.find(request.record.mgid());
  std::optional<Group> created;
  if (found == nullptr) {
    if ((query.component_mask & kCreateComponents) != kCreateComponents)
      return refuse(
          view, request, mad::sa_status::kReqInsufficientComponents, "ERR 1B11: no join",
          fmt::format("{}; a request that creates it would also have {}",
                      absent_group_text(groups, view, request), missing_components(query)));
    if ((request.record.join_state() & join_state::kKeepsAlive) == 0)
      return invalid("ERR 1B10: no multicast group created",
                     fmt::format("JoinState {:#x} has neither FullMember nor SendOnlyFullMember",
                                 request.record.join_state()));
    tl::expected<Group, Outcome> group = new_group(registrations, view, request, client.port);
    if (!group) return std::move(group.error());
    created = std::move(*group);
  }
  const Group& group = created ? *created : *found;
  if (auto refusal = refuse_join(view, request, group, created.has_value()))
    return std::move(*refusal);
  if (auto refusal = check_membership_quota(groups, view, request, group, client))
    return std::move(*refusal);

  const Group& joined = created ? groups.create(std::move(*created)) : *found;
  const bool was_kept = joined.full_members != 0;
  const Member& member = groups.join(joined.mgid, {.port_gid = request.port_gid,
                                                   .join_state = request.record.join_state(),
                                                   .proxy_join = request.is_proxy,
                                                   .registered_by = client.end,
                                                   .registered_at = registered_at(client)});
  Outcome out = answered(response_record(request, joined, member));
  if (!was_kept && joined.full_members != 0)
    out.notice = GroupNotice{mad::TrapNumber::multicast_group_created, joined.mgid, joined.p_key};
  return out;
}

Outcome delete_mc_member(Registrations& registrations, const View& view, const Query& query,
                         UnixTime) {
  const Checked checked = check(view, query, "ERR 1B20: no leave", "ERR 1B41: no leave");
  if (checked.refusal) return *checked.refusal;
  const MembershipRequest& request = checked.request;
  Groups& groups = registrations.groups;
  const auto invalid = [&](std::string_view why) {
    return refuse(view, request, mad::sa_status::kReqInvalid, "ERR 1B25: no leave", why);
  };
  const Group* group = groups.find(request.record.mgid());
  if (group == nullptr) return invalid("there is no such group");
  const Member* member = groups.find(group->mgid, request.port_gid);
  if (member == nullptr) return invalid("the port is not a member");
  if (!may_modify(view, request, *member, *group))
    return invalid(fmt::format("{} may not change the membership of another port",
                               find_name(view.subnet, query.from.end())));
  if (request.record.join_state() == 0 ||
      (request.record.join_state() & ~unsigned{member->join_state}) != 0)
    return invalid(fmt::format("JoinState {:#x} to take away, the port has {:#x}",
                               request.record.join_state(), member->join_state));

  Member left = *member;
  left.join_state &= static_cast<std::uint8_t>(~request.record.join_state());
  Outcome out = answered(response_record(request, *group, left));
  const bool was_kept = group->full_members != 0;
  groups.leave(group->mgid, left.port_gid, request.record.join_state());
  if (group->full_members != 0) return out;
  if (was_kept)
    out.notice = GroupNotice{mad::TrapNumber::multicast_group_deleted, group->mgid, group->p_key};
  if (!group->well_known) groups.erase(group->mgid);
  return out;
}

mad::McMemberRecord group_record(const Group& group) {
  mad::McMemberRecord record;
  record.set_mgid(group.mgid);
  record.set_q_key(group.q_key);
  record.set_mlid(group.mlid);
  record.set_mtu_selector(kExactly);
  record.set_mtu(group.mtu);
  record.set_t_class(group.t_class);
  record.set_p_key(group.p_key);
  record.set_rate_selector(kExactly);
  record.set_rate(group.rate);
  record.set_packet_life_selector(kExactly);
  record.set_packet_life(group.packet_life);
  record.set_sl(group.sl);
  record.set_flow_label(group.flow_label);
  record.set_hop_limit(group.hop_limit);
  record.set_scope(group.scope());
  return record;
}

mad::McMemberRecord member_record(const Group& group, const Member& member) {
  mad::McMemberRecord record = group_record(group);
  record.set_port_gid(member.port_gid);
  record.set_join_state(member.join_state);
  record.set_proxy_join(member.proxy_join);
  return record;
}

namespace {

/// MTU, rate and lifetime are compared by their selectors, and JoinState and ProxyJoin only for
/// single members, so this list has none of them.
constexpr std::array kMcMemberComponents{
    Component{McMemberMask::kMgid, 0, 64},      Component{McMemberMask::kMgid, 64, 64},
    Component{McMemberMask::kPortGid, 128, 64}, Component{McMemberMask::kPortGid, 192, 64},
    Component{McMemberMask::kQKey, 256, 32},    Component{McMemberMask::kMlid, 288, 16},
    Component{McMemberMask::kTClass, 312, 8},   Component{McMemberMask::kPKey, 320, 16},
    Component{McMemberMask::kSl, 352, 4},       Component{McMemberMask::kFlowLabel, 356, 20},
    Component{McMemberMask::kHopLimit, 376, 8}, Component{McMemberMask::kScope, 384, 4},
};

bool matches(const Group& group, const mad::McMemberRecord& requested, const Query& query) {
  if (query.has(McMemberMask::kMlid) && requested.mlid() != group.mlid) return false;
  if (query.has(McMemberMask::kLifeSelector, McMemberMask::kLife)) {
    const auto selector = static_cast<mad::Selector>(requested.packet_life_selector());
    const int difference = int{group.packet_life} - int{requested.packet_life()};
    if ((selector == mad::Selector::greater_than && difference <= 0) ||
        (selector == mad::Selector::less_than && difference >= 0) ||
        (selector == mad::Selector::exactly && difference != 0))
      return false;
  }
  return mismatched_link_values(requested, query, group).empty();
}

/// Returns false if the sink accepts no more.
bool produce_member(const Query& query, const mad::McMemberRecord& requested, const Group& group,
                    const Member& member, RecordSink& sink) {
  if (query.has(McMemberMask::kJoinState) && requested.join_state() != member.join_state)
    return true;
  if (query.has(McMemberMask::kProxyJoin) && requested.proxy_join() != member.proxy_join)
    return true;
  return sink.add(member_record(group, member).bytes(), fabric::kNoIndex);
}

/// A group, and its first member that is not produced yet.
struct MemberPlace {
  mad::Gid mgid, port_gid{};
  auto operator<=>(const MemberPlace&) const = default;
};

bool produce_group(const View& view, const Query& query, const Group& group, RecordSink& sink) {
  const mad::McMemberRecord requested = mc_member_of(query);
  const bool names_port = query.has(McMemberMask::kPortGid);
  if (!query.from.trusted && !names_port)
    return sink.add(group_record(group).bytes(), fabric::kNoIndex);
  if (names_port) {
    const auto found =
        group.members.find(canonical_gid(requested.port_gid(), view.options.subnet_prefix));
    if (found == group.members.end()) return true;
    Member named = found->second;
    named.port_gid = requested.port_gid();
    const bool is_own = find_end_point(requested.port_gid().guid, view.subnet,
                                       view.registrations.alias_guids) == query.from.end();
    return query.from.trusted || is_own ? produce_member(query, requested, group, named, sink)
                                        : true;
  }
  const std::optional<MemberPlace> first = sink.first_key<MemberPlace>();
  auto at = first && first->mgid == group.mgid ? group.members.lower_bound(first->port_gid)
                                               : group.members.begin();
  for (; at != group.members.end(); ++at) {
    if (sink.pauses_before_key(MemberPlace{group.mgid, at->first})) return false;
    if (!produce_member(query, requested, group, at->second, sink)) return false;
  }
  return true;
}

std::uint16_t produce_mc_member(const View& view, const Query& query, RecordSink& sink) {
  const mad::McMemberRecord requested = mc_member_of(query);
  const auto is_visible = [&](const Group& group) {
    return is_in_partition(view.subnet, query.from.end(), group.p_key) &&
           matches(group, requested, query);
  };
  if (query.has(McMemberMask::kMgid)) {
    const Group* group = view.registrations.groups.find(requested.mgid());
    if (group != nullptr && is_visible(*group)) produce_group(view, query, *group, sink);
    return mad::status::kOk;
  }
  const Groups::All& all = view.registrations.groups.all();
  const std::optional<MemberPlace> first = sink.first_key<MemberPlace>();
  for (auto at = first ? all.lower_bound(first->mgid) : all.begin(); at != all.end(); ++at) {
    if (sink.pauses_before_key(MemberPlace{at->first})) break;
    if (is_visible(at->second) && !produce_group(view, query, at->second, sink)) break;
  }
  return mad::status::kOk;
}

}  // namespace

const RecordType kMcMemberRecordType{.attribute = mad::SaAttributeId::mc_member_record,
                                     .bytes = mad::McMemberRecord::kBytes,
                                     .components = kMcMemberComponents,
                                     .produce = produce_mc_member,
                                     .registered = true};

}  // namespace sa
