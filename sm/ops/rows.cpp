#include "sm/ops/rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "mad/path_units.h"
#include "sm/ops/web/rate_json.h"
#include "sm/sa/registrations/ports.h"
#include "virt/find.h"

namespace sm {

namespace {

using Json = nlohmann::json;

Json end_port_row(const Subnet& subnet, PortIndex index) {
  const Port& port = subnet.fabric.ports[index];
  const LidMap::Range lids = subnet.lids_of(index);
  return {{"port", port.number.value},
          {"port_guid", fmt::format("{}", port.guid)},
          {"lid", lids.base.value},
          {"lmc", lids.lmc},
          {"port_state", mad::name(port.info.port_state())}};
}

bool has_lids(const Subnet& subnet, PortIndex port) {
  return subnet.end_port_index.has(port) && subnet.end_port_index[port] != kNoIndex;
}

Json join_states(std::uint8_t bits) {
  Json names = Json::array();
  if ((bits & sa::join_state::kFull) != 0) names.push_back("full");
  if ((bits & sa::join_state::kNonMember) != 0) names.push_back("non_member");
  if ((bits & sa::join_state::kSendOnlyNonMember) != 0) names.push_back("send_only_non_member");
  if ((bits & sa::join_state::kSendOnlyFull) != 0) names.push_back("send_only_full");
  return names;
}

/// Of the port with that GUID in a PortGID or ServiceGID; nothing if none has it.
std::optional<std::string> description_of(mad::Guid guid, const Subnet* subnet) {
  const EndPoint end = subnet != nullptr ? subnet->find(guid) : EndPoint{};
  if (end.port == kNoIndex) return std::nullopt;
  return subnet->fabric.description(subnet->fabric.ports[end.port].node);
}

}  // namespace

std::string line_of(const Json& row) {
  return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json end_row(const Fabric& fabric, PortIndex index) {
  const Port& port = fabric.ports[index];
  return {{"node_guid", fmt::format("{}", fabric.nodes[port.node].guid)},
          {"description", fabric.description(port.node)},
          {"port", port.number.value}};
}

Json node_row(const Subnet& subnet, NodeIndex index) {
  const Fabric& fabric = subnet.fabric;
  const Node& node = fabric.nodes[index];
  const std::string description = fabric.description(index);
  Json row{{"node_guid", fmt::format("{}", node.guid)},
           {"node_type", mad::name(node.type)},
           {"description", description},
           {"system_image_guid", fmt::format("{}", node.info.system_image_guid())},
           {"vendor_id", fmt::format("{:#08x}", node.info.vendor_id())},
           {"device_id", fmt::format("{:#06x}", node.info.device_id())},
           {"num_ports", node.num_ports},
           {"ports", Json::array()}};
  if (const std::string text = node.description.text(); text != description)
    row["node_description"] = text;
  const auto ports = fabric.ports_of(index);
  row["ports_up"] = std::ranges::count_if(
      ports, [](const Port& port) { return port.number.value != 0 && port.is_up(); });
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    const PortIndex port = node.first_port + i;
    if (has_lids(subnet, port)) row["ports"].push_back(end_port_row(subnet, port));
  }
  return row;
}

bool is_degraded(const Fabric& fabric, PortIndex a, PortIndex b) {
  const mad::PortInfo &info = fabric.ports[a].info, &far = fabric.ports[b].info;
  if (!fabric.ports[a].is_up() || !fabric.ports[b].is_up()) return false;
  const mad::LinkRate active = mad::active_rate(info), best = mad::best_common_rate(info, far);
  return active.lanes < best.lanes || active.speed < best.speed;
}

Json port_row(const Subnet& subnet, PortIndex index) {
  const Fabric& fabric = subnet.fabric;
  const Port& port = fabric.ports[index];
  Json row = end_row(fabric, index);
  row["node_type"] = mad::name(fabric.nodes[port.node].type);
  row["port_state"] = port.known ? Json(mad::name(port.info.port_state())) : Json();
  row["port_physical_state"] =
      port.known && (port.number.value != 0 || !fabric.nodes[port.node].is_switch())
          ? Json(mad::name(port.info.port_physical_state()))
          : Json();
  if (port.isolated) row["isolated"] = true;
  if (has_lids(subnet, index)) row.update(end_port_row(subnet, index));
  if (port.peer == kNoIndex) return row;
  const mad::LinkRate active = mad::active_rate(port.info);
  row["link_width_active"] = mad::width_name(active.lanes);
  row["link_speed_active"] = mad::name(active.speed);
  row["neighbor_mtu"] = mad::mtu_bytes(static_cast<std::uint8_t>(port.info.neighbor_mtu()));
  row["operational_vls"] = mad::data_vls(port.info.operational_vls());
  row["degraded"] = is_degraded(fabric, index, port.peer);
  row["peer"] = end_row(fabric, port.peer);
  return row;
}

Json link_row(const Fabric& fabric, PortIndex a, PortIndex b) {
  const mad::PortInfo &info = fabric.ports[a].info, &far = fabric.ports[b].info;
  const mad::LinkRate active = mad::active_rate(info), best = mad::best_common_rate(info, far);
  return {{"a", end_row(fabric, a)},
          {"b", end_row(fabric, b)},
          {"port_state", mad::name(std::min(info.port_state(), far.port_state()))},
          {"link_width_active", mad::width_name(active.lanes)},
          {"link_speed_active", mad::name(active.speed)},
          {"link_width_max", mad::width_name(best.lanes)},
          {"link_speed_max", mad::name(best.speed)},
          {"degraded", is_degraded(fabric, a, b)},
          {"neighbor_mtu", mad::mtu_bytes(static_cast<std::uint8_t>(info.neighbor_mtu()))},
          {"operational_vls", mad::data_vls(info.operational_vls())},
          {"isolated", fabric.ports[a].isolated || fabric.ports[b].isolated}};
}

std::optional<Json> lid_row(const Subnet& subnet, mad::Lid lid) {
  const PortIndex index = subnet.lids.owner(lid);
  if (index == kNoIndex) return std::nullopt;
  const Port& port = subnet.fabric.ports[index];
  LidMap::Range lids = subnet.lids_of(index);
  mad::Guid guid = port.guid;
  const VPortIndex vport = subnet.vports ? subnet.vports->owner(lid) : VPortIndex(kNoIndex);
  if (vport != kNoIndex) {
    lids = {.base = lid};
    guid = subnet.vports->vports[vport].guid;
  } else if (lids.base != lid) {
    return std::nullopt;  // another of the port's 2^LMC
  }
  Json row = end_row(subnet.fabric, index);
  row["lid"] = lids.base.value;
  row["lmc"] = lids.lmc;
  row["port_guid"] = fmt::format("{}", guid);
  row["node_type"] = mad::name(subnet.fabric.nodes[port.node].type);
  if (vport != kNoIndex) row["vport"] = subnet.vports->vports[vport].index;
  return row;
}

Json group_row(const sa::Group& group) {
  return {{"mgid", sa::gid_text(group.mgid)},
          {"mlid", fmt::format("{}", group.mlid)},
          {"p_key", fmt::format("{}", group.p_key)},
          {"q_key", fmt::format("{:#010x}", group.q_key)},
          {"mtu", mad::mtu_bytes(group.mtu)},
          {"rate_gbps", rate_json(group.rate)},
          {"packet_life_time", group.packet_life},
          {"sl", group.sl.value},
          {"t_class", group.t_class},
          {"flow_label", group.flow_label},
          {"hop_limit", group.hop_limit},
          {"well_known", group.well_known},
          {"full_members", group.full_members}};
}

Json member_rows(const sa::Group& group, const Subnet* subnet) {
  Json members = Json::array();
  for (const auto& [port_gid, member] : group.members) {
    Json row{{"port_gid", sa::gid_text(port_gid)},
             {"join_state", join_states(member.join_state)},
             {"proxy_join", member.proxy_join}};
    if (auto description = description_of(port_gid.guid, subnet))
      row["description"] = std::move(*description);
    members.push_back(std::move(row));
  }
  return members;
}

Json service_row(const sa::Service& service, const Subnet* subnet) {
  const mad::ServiceRecord& record = service.record;
  const auto name = record.name();
  const std::string text(name.begin(), std::ranges::find(name, 0));
  Json row{
      {"service_id", fmt::format("{:#018x}", record.service_id())},
      {"service_gid", sa::gid_text(record.service_gid())},
      {"p_key", fmt::format("{}", record.p_key())},
      {"service_name", text},
      {"lease_s", record.lease() == mad::ServiceRecord::kForever ? Json() : Json(record.lease())},
      {"expires", service.expires ? Json(service.expires->time_since_epoch().count()) : Json()},
      {"registered_by", fmt::format("{}", service.registered_by)}};
  if (auto description = description_of(record.service_gid().guid, subnet))
    row["description"] = std::move(*description);
  return row;
}

Json vport_row(const VPorts& vports, VPortIndex index) {
  const VPort& vport = vports.vports[index];
  Json row{{"index", vport.index},
           {"guid", fmt::format("{}", vport.guid)},
           {"vnode_guid", fmt::format("{}", vport.node_info.vnode_guid())},
           {"state", mad::name(vport.state)},
           {"lid", vport.lid.value},
           {"own_lid", vport.has_own_lid}};
  if (const std::string description = vport.description.text(); !description.empty())
    row["description"] = description;
  row["p_keys"] = Json::array();
  for (const mad::PKey key : vports.keys_of(index))
    row["p_keys"].push_back(fmt::format("{:#06x}", key.value));
  if (!vport.is_served()) {
    row["why"] = text(vport.hold);
  } else if (vport.state != mad::PortState::active) {
    row["why"] = "it is being set to Active";
  }
  return row;
}

Json condition_row(const ConditionLog::Raised& raised, mad::TimePoint now) {
  const ConditionKind& kind = kind_of(raised.condition.id);
  Json row{{"id", kind.name},
           {"severity", name(kind.severity)},
           {"text", raised.condition.text},
           {"for_s", std::chrono::duration_cast<std::chrono::seconds>(now - raised.since).count()},
           {"times", raised.times}};
  if (raised.condition.guid != mad::Guid{}) row["guid"] = fmt::format("{}", raised.condition.guid);
  if (raised.condition.port) row["port"] = raised.condition.port->value;
  return row;
}

Json manager_row(const KnownManager& sm) {
  return {{"guid", fmt::format("{}", sm.guid)},
          {"name", sm.name},
          {"priority", sm.priority},
          {"state", mad::name(sm.state)},
          {"counts", sm.counts}};
}

Json isolated_row(const Isolated& link, mad::TimePoint now) {
  const auto seconds = [](mad::Duration time) {
    return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count(),
                                  0);
  };
  Json row{{"node_guid", fmt::format("{}", link.place.node)},
           {"port", link.place.port.value},
           {"name", link.name},
           {"peer", link.peer},
           {"reason", name_of(link.reason)},
           {"for_s", seconds(now - link.since)}};
  if (link.peer_node != mad::Guid{}) row["peer_guid"] = fmt::format("{}", link.peer_node);
  if (link.until) row["release_in_s"] = seconds(*link.until - now);
  return row;
}

namespace {

/// Why none of its vports is managed; "" if they are.
std::string why_none(const VirtualizedPort* port, unsigned enabled) {
  if (port != nullptr && port->info.virtualization_enable()) return "";
  if (enabled != 2) return fmt::format("virt_enabled is {}", enabled);
  if (port == nullptr) return "VirtualizationInfo is not answered, or refused";
  if (port->info.virtualization_revision() != 0)
    return fmt::format("VirtualizationRevision {} is not known",
                       port->info.virtualization_revision());
  return "not switched on: see SM-VPORT-PROBE-FAILED in `heddlectl status`";
}

}  // namespace

Json virtualized_port_row(const Subnet& subnet, PortIndex index, unsigned virt_enabled) {
  const Port& port = subnet.fabric.ports[index];
  const VirtualizedPort* const of = subnet.vports ? subnet.vports->at(index) : nullptr;
  Json row{{"host", subnet.fabric.description(port.node)},
           {"guid", fmt::format("{}", port.guid)},
           {"port", port.number.value},
           {"lid", subnet.lids_of(index).base.value},
           {"enabled", of != nullptr && of->info.virtualization_enable()},
           {"vport_cap", of == nullptr ? 0u : unsigned{of->info.vport_cap()}},
           {"vports", Json::array()}};
  if (const std::string why = why_none(of, virt_enabled); !why.empty()) row["why"] = why;
  for (std::uint32_t i = 0; of != nullptr && i < of->count; ++i)
    row["vports"].push_back(vport_row(*subnet.vports, of->first + i));
  return row;
}

Json subnet_partition_row(const Subnet& subnet, const Partition& partition) {
  std::size_t full = 0, limited = 0;
  for (const mad::PKey key : subnet.partitions.keys) {
    if (mad::partition_of(key) == partition.key) ++(mad::is_full_member(key) ? full : limited);
  }
  const auto groups = std::ranges::count_if(subnet.partitions.groups, [&](const auto& group) {
    return mad::partition_of(group.p_key) == partition.key;
  });
  return {{"p_key", fmt::format("{:#06x}", partition.key)},
          {"name", partition.name},
          {"sl", partition.sl.value},
          {"full_members", full},
          {"limited_members", limited},
          {"groups", groups}};
}

Json subnet_partition_members(const Subnet& subnet, const Partition& partition) {
  Json members = Json::array();
  const auto add = [&](PortIndex port, mad::Guid guid, std::span<const mad::PKey> keys) {
    for (const mad::PKey of : keys) {
      if (mad::partition_of(of) != partition.key) continue;
      Json member = end_row(subnet.fabric, port);
      member["port_guid"] = fmt::format("{}", guid);
      member["membership"] = mad::is_full_member(of) ? "full" : "limited";
      members.push_back(std::move(member));
    }
  };
  for (const PortIndex port : subnet.fabric.end_ports)
    add(port, subnet.fabric.ports[port].guid, subnet.p_keys_of(port));
  if (subnet.vports) {
    for (const VPortIndex index : subnet.vports->vports.indices()) {
      const VPort& vport = subnet.vports->vports[index];
      if (vport.is_served()) add(vport.port, vport.guid, subnet.vports->keys_of(index));
    }
  }
  return members;
}

}  // namespace sm
