#include "sm/ops/data_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "mad/link_speed.h"
#include "mad/path_units.h"
#include "sm/sa/registrations/ports.h"

namespace sm {

namespace {

using Json = nlohmann::json;

/// Node descriptions come from the wire: what is not UTF-8 is replaced.
std::string line_of(const Json& row) {
  return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// "name":[...], a row a line.
class Rows {
 public:
  explicit Rows(std::string_view name) : text_(fmt::format("\"{}\":[", name)) {}
  void add(const Json& row) {
    text_ += first_ ? "\n" : ",\n";
    text_ += line_of(row);
    first_ = false;
  }
  std::string take() { return std::move(text_) + (first_ ? "]" : "\n]"); }

 private:
  std::string text_;
  bool first_ = true;
};

std::string object(std::string members) { return "{" + std::move(members) + "}\n"; }

Json end_json(const Fabric& fabric, PortIndex index) {
  const Port& port = fabric.ports[index];
  return {{"node_guid", fmt::format("{}", fabric.nodes[port.node].guid)},
          {"description", fabric.description(port.node)},
          {"port", port.number.value}};
}

Json end_port_json(const Subnet& subnet, PortIndex index) {
  const Port& port = subnet.fabric.ports[index];
  const LidMap::Range lids = subnet.lids_of(index);
  return {{"port", port.number.value},
          {"port_guid", fmt::format("{}", port.guid)},
          {"lid", lids.base.value},
          {"lmc", lids.lmc},
          {"port_state", mad::name(port.info.port_state())}};
}

Json node_json(const Subnet& subnet, NodeIndex index) {
  const Fabric& fabric = subnet.fabric;
  const Node& node = fabric.nodes[index];
  Json row{{"node_guid", fmt::format("{}", node.guid)},
           {"node_type", mad::name(node.type)},
           {"description", fabric.description(index)},
           {"system_image_guid", fmt::format("{}", node.info.system_image_guid())},
           {"vendor_id", fmt::format("{:#08x}", node.info.vendor_id())},
           {"device_id", fmt::format("{:#06x}", node.info.device_id())},
           {"num_ports", node.num_ports},
           {"ports", Json::array()}};
  if (const std::string text = node.description.text(); text != fabric.description(index))
    row["node_description"] = text;
  const auto ports = fabric.ports_of(index);
  row["ports_up"] = std::ranges::count_if(
      ports, [](const Port& port) { return port.number.value != 0 && port.is_up(); });
  for (std::uint32_t i = 0; i < ports.size(); ++i) {
    const PortIndex port = node.first_port + i;
    if (subnet.end_port_index.has(port) && subnet.end_port_index[port] != kNoIndex)
      row["ports"].push_back(end_port_json(subnet, port));
  }
  return row;
}

Json link_json(const Fabric& fabric, PortIndex a, PortIndex b) {
  const mad::PortInfo &info = fabric.ports[a].info, &far = fabric.ports[b].info;
  const mad::LinkRate active = mad::active_rate(info), best = mad::best_common_rate(info, far);
  const bool up = fabric.ports[a].is_up() && fabric.ports[b].is_up();
  return {{"a", end_json(fabric, a)},
          {"b", end_json(fabric, b)},
          {"port_state", mad::name(std::min(info.port_state(), far.port_state()))},
          {"link_width_active", mad::width_name(active.lanes)},
          {"link_speed_active", mad::name(active.speed)},
          {"link_width_max", mad::width_name(best.lanes)},
          {"link_speed_max", mad::name(best.speed)},
          {"degraded", up && (active.lanes < best.lanes || active.speed < best.speed)},
          {"neighbor_mtu", mad::mtu_bytes(static_cast<std::uint8_t>(info.neighbor_mtu()))},
          {"operational_vls", mad::data_vls(info.operational_vls())},
          {"isolated", fabric.ports[a].isolated || fabric.ports[b].isolated}};
}

Json partition_row(const Subnet& subnet, const Partition& partition) {
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

Json group_row(const sa::Group& group) {
  return {{"mgid", sa::gid_text(group.mgid)},
          {"mlid", fmt::format("{}", group.mlid)},
          {"p_key", fmt::format("{}", group.p_key)},
          {"q_key", fmt::format("{:#010x}", group.q_key)},
          {"mtu", mad::mtu_bytes(group.mtu)},
          {"rate_gbps", mad::rate_gbps(group.rate)},
          {"packet_life_time", group.packet_life},
          {"sl", group.sl.value},
          {"t_class", group.t_class},
          {"flow_label", group.flow_label},
          {"hop_limit", group.hop_limit},
          {"well_known", group.well_known},
          {"full_members", group.full_members}};
}

Json join_states(std::uint8_t bits) {
  Json names = Json::array();
  if ((bits & sa::join_state::kFull) != 0) names.push_back("full");
  if ((bits & sa::join_state::kNonMember) != 0) names.push_back("non_member");
  if ((bits & sa::join_state::kSendOnlyNonMember) != 0) names.push_back("send_only_non_member");
  if ((bits & sa::join_state::kSendOnlyFull) != 0) names.push_back("send_only_full");
  return names;
}

Json lid_row(const Subnet& subnet, PortIndex index) {
  const Port& port = subnet.fabric.ports[index];
  const LidMap::Range lids = subnet.lids_of(index);
  Json row = end_json(subnet.fabric, index);
  row["lid"] = lids.base.value;
  row["lmc"] = lids.lmc;
  row["port_guid"] = fmt::format("{}", port.guid);
  row["node_type"] = mad::name(subnet.fabric.nodes[port.node].type);
  return row;
}

}  // namespace

std::string nodes_json(const Subnet* subnet) {
  Rows nodes("nodes");
  if (subnet != nullptr) {
    for (const NodeIndex node : subnet->fabric.nodes.indices()) nodes.add(node_json(*subnet, node));
  }
  return object(nodes.take());
}

std::string links_json(const Subnet* subnet) {
  Rows links("links"), unlinked("ports_without_link");
  if (subnet != nullptr) {
    const Fabric& fabric = subnet->fabric;
    for (const PortIndex index : fabric.ports.indices()) {
      const Port& port = fabric.ports[index];
      if (port.peer == kNoIndex) {
        if (!port.known || port.number.value == 0 || !fabric.nodes[port.node].is_switch()) continue;
        Json row = end_json(fabric, index);
        row["port_physical_state"] = mad::name(port.info.port_physical_state());
        if (port.isolated) row["isolated"] = true;
        unlinked.add(row);
      } else if (index < port.peer) {
        links.add(link_json(fabric, index, port.peer));
      }
    }
  }
  return object(links.take() + ",\n" + unlinked.take());
}

std::string lids_json(const Subnet* subnet) {
  Rows lids("lids");
  for (std::uint32_t lid = 1; subnet != nullptr && lid < subnet->lids.port_of_lid.size(); ++lid) {
    const PortIndex port = subnet->lids.port_of_lid[lid];
    if (port == kNoIndex) continue;
    Json row = lid_row(*subnet, port);
    const VPortIndex vport = subnet->vports
                                 ? subnet->vports->owner(mad::Lid{static_cast<std::uint16_t>(lid)})
                                 : VPortIndex(kNoIndex);
    if (vport != kNoIndex) {
      row["lid"] = lid;
      row["lmc"] = 0;
      row["vport"] = subnet->vports->vports[vport].index;
      row["port_guid"] = fmt::format("{}", subnet->vports->vports[vport].guid);
    } else if (row["lid"] != lid) {
      continue;  // another of the port's 2^LMC
    }
    lids.add(row);
  }
  return object(lids.take());
}

std::string partitions_json(const Subnet* subnet) {
  Rows partitions("partitions");
  if (subnet != nullptr) {
    for (const Partition& partition : subnet->partitions.partitions)
      partitions.add(partition_row(*subnet, partition));
  }
  return object(partitions.take());
}

std::optional<std::string> partition_json(const Subnet& subnet, mad::PKey key) {
  const Partition* const partition = subnet.partitions.find(key);
  if (partition == nullptr) return std::nullopt;
  Json row = partition_row(subnet, *partition);
  Json& members = row["members"] = Json::array();
  const auto add = [&](PortIndex port, mad::Guid guid, std::span<const mad::PKey> keys) {
    for (const mad::PKey of : keys) {
      if (mad::partition_of(of) != partition->key) continue;
      Json member = end_json(subnet.fabric, port);
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
  return line_of(row) + "\n";
}

std::vector<GroupSummary> summaries(const sa::Groups& groups) {
  std::vector<GroupSummary> all;
  all.reserve(groups.all().size());
  for (const auto& [mgid, group] : groups.all()) {
    all.push_back({.group = {.mgid = group.mgid,
                             .mlid = group.mlid,
                             .p_key = group.p_key,
                             .q_key = group.q_key,
                             .mtu = group.mtu,
                             .rate = group.rate,
                             .packet_life = group.packet_life,
                             .sl = group.sl,
                             .t_class = group.t_class,
                             .flow_label = group.flow_label,
                             .hop_limit = group.hop_limit,
                             .created_by = group.created_by,
                             .well_known = group.well_known,
                             .full_members = group.full_members,
                             .members = {}},
                   .member_count = group.members.size()});
  }
  return all;
}

std::string groups_json(const std::vector<GroupSummary>& groups) {
  Rows rows("groups");
  for (const GroupSummary& summary : groups) {
    Json row = group_row(summary.group);
    row["member_count"] = summary.member_count;
    rows.add(row);
  }
  return object(rows.take());
}

std::string group_json(const sa::Group& group, const Subnet* subnet) {
  Json row = group_row(group);
  row["member_count"] = group.members.size();
  Json& members = row["members"] = Json::array();
  for (const auto& [port_gid, member] : group.members) {
    Json of{{"port_gid", sa::gid_text(port_gid)},
            {"join_state", join_states(member.join_state)},
            {"proxy_join", member.proxy_join}};
    const EndPoint end = subnet != nullptr ? subnet->find(port_gid.guid) : EndPoint{};
    if (end.port != kNoIndex)
      of["description"] = subnet->fabric.description(subnet->fabric.ports[end.port].node);
    members.push_back(std::move(of));
  }
  return line_of(row) + "\n";
}

}  // namespace sm
