// Rows of subnet administration: multicast groups, services, partitions of the subnet.

#include <algorithm>
#include <array>

#include "mad/format.h"
#include "mad/path_units.h"
#include "sm/ops/rows.h"
#include "sm/ops/web/rate_json.h"
#include "sm/sa/registrations/ports.h"

namespace sm {

namespace {

using Json = nlohmann::json;
using Answered = nlohmann::ordered_json;

struct GroupSource {
  const sa::Group& group;
  std::size_t member_count;
  std::optional<std::uint8_t> join_state;  // of one port
};
struct MemberSource {
  const mad::Gid& port_gid;
  const sa::Member& member;
  const Subnet* subnet;
};
struct ServiceSource {
  const sa::Service& service;
  const Subnet* subnet;
  const mad::ServiceRecord& record() const { return service.record; }
};
struct PartitionSource {
  const Subnet& subnet;
  const Partition& partition;
  Json count(bool full) const {
    return std::ranges::count_if(subnet.partitions.keys, [&](mad::PKey key) {
      return mad::p_key_base(key) == partition.key && mad::is_full_member(key) == full;
    });
  }
};
struct PartitionMemberSource {
  mad::Guid guid;
  bool full;
};

/// Returns the NodeDescription of the node whose port has that GUID in a PortGID or ServiceGID;
/// nullopt if there is no such node.
FieldValue description_at(mad::Guid guid, const Subnet* subnet) {
  const EndPoint end = subnet != nullptr ? subnet->find(guid) : EndPoint{};
  if (end.port == kNoIndex) return std::nullopt;
  return subnet->fabric.description(subnet->fabric.ports[end.port].node);
}

constexpr std::string_view kJoinState = R"({"type":"array","items":{"enum":["full","non_member",)"
                                        R"("send_only_non_member","send_only_full"]}})";

Json join_states(std::uint8_t bits) {
  constexpr std::array<std::pair<std::uint8_t, std::string_view>, 4> kStates{{
      {sa::join_state::kFull, "full"},
      {sa::join_state::kNonMember, "non_member"},
      {sa::join_state::kSendOnlyNonMember, "send_only_non_member"},
      {sa::join_state::kSendOnlyFull, "send_only_full"},
  }};
  Json names = Json::array();
  for (const auto& [bit, name] : kStates)
    if ((bits & bit) != 0) names.push_back(name);
  return names;
}

constexpr auto kGroup = std::to_array<Field<GroupSource>>({
    {{"mgid", value::kText}, [](auto& of) { return sa::gid_text(of.group.mgid); }},
    {{"mlid", value::kText}, [](auto& of) { return fmt::format("{}", of.group.mlid); }},
    {{"p_key", value::kText}, [](auto& of) { return fmt::format("{}", of.group.p_key); }},
    {{"q_key", value::kText}, [](auto& of) { return fmt::format("{:#010x}", of.group.q_key); }},
    {{"mtu", value::kInteger, "bytes"}, [](auto& of) { return mad::mtu_bytes(of.group.mtu); }},
    {{"rate_gbps", value::kNumber}, [](auto& of) { return rate_json(of.group.rate); }},
    {{"packet_life_time", value::kInteger}, [](auto& of) { return of.group.packet_life; }},
    {{"sl", value::kInteger}, [](auto& of) { return of.group.sl.value; }},
    {{"t_class", value::kInteger}, [](auto& of) { return of.group.t_class; }},
    {{"flow_label", value::kInteger}, [](auto& of) { return of.group.flow_label; }},
    {{"hop_limit", value::kInteger}, [](auto& of) { return of.group.hop_limit; }},
    {{"well_known", value::kBoolean, "of partitions.conf: stays when the last member leaves"},
     [](auto& of) { return of.group.well_known; }},
    {{"full_members", value::kInteger}, [](auto& of) { return of.group.full_members; }},
    {{"member_count", value::kInteger}, [](auto& of) { return of.member_count; }},
    {{"join_state", kJoinState, "of the port that the query names", true},
     [](auto& of) -> FieldValue {
       return of.join_state ? FieldValue(join_states(*of.join_state)) : std::nullopt;
     }},
});

constexpr auto kMember = std::to_array<Field<MemberSource>>({
    {{"port_gid", value::kText}, [](auto& of) { return sa::gid_text(of.port_gid); }},
    {{"join_state", kJoinState}, [](auto& of) { return join_states(of.member.join_state); }},
    {{"proxy_join", value::kBoolean}, [](auto& of) { return of.member.proxy_join; }},
    {{"description", value::kText, "of the node, if the port is in the subnet", true},
     [](const MemberSource& of) { return description_at(of.port_gid.guid, of.subnet); }},
});

constexpr auto kService = std::to_array<Field<ServiceSource>>({
    {{"service_id", value::kText},
     [](auto& of) { return fmt::format("{:#018x}", of.record().service_id()); }},
    {{"service_gid", value::kText},
     [](auto& of) { return sa::gid_text(of.record().service_gid()); }},
    {{"p_key", value::kText}, [](auto& of) { return fmt::format("{}", of.record().p_key()); }},
    {{"service_name", value::kText, "until a zero byte"},
     [](auto& of) -> FieldValue {
       const auto name = of.record().name();
       return std::string(name.begin(), std::ranges::find(name, 0));
     }},
    {{"lease_s", value::kIntegerOrNull, "as registered; null: it does not end"},
     [](auto& of) {
       return of.record().lease() == mad::ServiceRecord::kForever ? Json()
                                                                  : Json(of.record().lease());
     }},
    {{"expires", value::kIntegerOrNull, "seconds since 1970; null: never"},
     [](auto& of) {
       return of.service.expires ? Json(of.service.expires->time_since_epoch().count()) : Json();
     }},
    {{"registered_by", value::kGuid},
     [](auto& of) { return fmt::format("{}", of.service.registered_by); }},
    {{"description", value::kText, "of the node, if the port is in the subnet", true},
     [](const ServiceSource& of) {
       return description_at(of.record().service_gid().guid, of.subnet);
     }},
});

constexpr auto kPartition = std::to_array<Field<PartitionSource>>({
    {{"p_key", value::kText}, [](auto& of) { return fmt::format("{:#06x}", of.partition.key); }},
    {{"name", value::kText}, [](auto& of) { return of.partition.name; }},
    {{"sl", value::kInteger}, [](auto& of) { return of.partition.sl.value; }},
    {{"full_members", value::kInteger}, [](auto& of) { return of.count(true); }},
    {{"limited_members", value::kInteger}, [](auto& of) { return of.count(false); }},
    {{"groups", value::kInteger, "multicast groups of partitions.conf"},
     [](auto& of) {
       return std::ranges::count_if(of.subnet.partitions.groups, [&](const auto& group) {
         return mad::p_key_base(group.p_key) == of.partition.key;
       });
     }},
});

constexpr auto kPartitionMember = std::to_array<Field<PartitionMemberSource>>({
    {{"port_guid", value::kGuid}, [](auto& of) { return fmt::format("{}", of.guid); }},
    {{"membership", "full|limited"}, [](auto& of) { return of.full ? "full" : "limited"; }},
});

std::string join_state_text(const Answered& member) {
  std::string text;
  for (const Answered& state : member.at("join_state"))
    text += (text.empty() ? "" : ",") + state.get<std::string>();
  return text;
}

/// Formats "of partitions.conf", and for the groups of a port its kind of membership.
std::string group_remark(const Answered& group) {
  std::string joined =
      group.contains("join_state") ? "joined: " + join_state_text(group) : std::string();
  if (!group.at("well_known").get<bool>()) return joined;
  return joined + (joined.empty() ? "" : "; ") + "of partitions.conf";
}

}  // namespace

RowInfo group_info() {
  return {"Group",
          "a multicast group",
          infos_of(kGroup),
          {{"MGID", "mgid"},
           {"MLID", "mlid"},
           {"P_Key", "p_key"},
           {"MTU", "mtu"},
           {"Gb/s", "rate_gbps"},
           {"SL", "sl"},
           {"members", "member_count"},
           {"full", "full_members"},
           {"", {}, group_remark}}};
}

RowInfo group_member_info() {
  return {"GroupMember",
          "a member of a multicast group",
          infos_of(kMember),
          {{"PortGID", "port_gid"},
           {"JoinState", {}, join_state_text},
           {"node", {}, [](const Answered& member) {
              return member.contains("description") ? field_text(member, "description")
                                                    : "not in the subnet";
            }}}};
}

RowInfo service_info() {
  return {"Service", "a service that a port has registered", infos_of(kService)};
}

RowInfo subnet_partition_info() {
  return {"SubnetPartition",
          "a partition as the subnet has it",
          infos_of(kPartition),
          {{"P_Key", "p_key"},
           {"name", "name"},
           {"SL", "sl"},
           {"full", "full_members"},
           {"limited", "limited_members"},
           {"groups", "groups"}}};
}

RowInfo subnet_partition_member_info() {
  RowInfo info{"SubnetPartitionMember",
               "a port that is a member of a partition",
               end_info().fields,
               {{"PortGUID", "port_guid"}, {"membership", "membership"}, {"port", {}, end_text}}};
  for (const auto& field : kPartitionMember) info.fields.push_back(field.info);
  return info;
}

Json group_row(const sa::Group& group, std::size_t member_count,
               std::optional<std::uint8_t> join_state) {
  return row_of(kGroup, GroupSource{group, member_count, join_state});
}

Json member_rows(const sa::Group& group, const Subnet* subnet) {
  Json members = Json::array();
  for (const auto& [port_gid, member] : group.members)
    members.push_back(row_of(kMember, MemberSource{port_gid, member, subnet}));
  return members;
}

Json service_row(const sa::Service& service, const Subnet* subnet) {
  return row_of(kService, ServiceSource{service, subnet});
}

Json subnet_partition_row(const Subnet& subnet, const Partition& partition) {
  return row_of(kPartition, PartitionSource{subnet, partition});
}

Json subnet_partition_members(const Subnet& subnet, const Partition& partition) {
  Json members = Json::array();
  const auto add = [&](PortIndex port, mad::Guid guid, std::span<const mad::PKey> keys) {
    for (const mad::PKey key : keys) {
      if (mad::p_key_base(key) != partition.key) continue;
      Json member = end_row(subnet.fabric, port);
      member.update(
          row_of(kPartitionMember, PartitionMemberSource{guid, mad::is_full_member(key)}));
      members.push_back(std::move(member));
    }
  };
  for (const PortIndex port : subnet.fabric.end_ports)
    add(port, subnet.fabric.ports[port].guid, subnet.find_p_keys(port));
  if (subnet.vports) {
    for (const VPortIndex index : subnet.vports->vports.indices()) {
      const VPort& vport = subnet.vports->vports[index];
      if (vport.is_served()) add(vport.port, vport.guid, subnet.vports->get_keys(index));
    }
  }
  return members;
}

}  // namespace sm
