#include "sm/ops/data_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/rows.h"

namespace sm {

namespace {

using Json = nlohmann::json;

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

}  // namespace

std::string nodes_json(const Subnet* subnet) {
  Rows nodes("nodes");
  if (subnet != nullptr) {
    for (const NodeIndex node : subnet->fabric.nodes.indices()) nodes.add(node_row(*subnet, node));
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
        Json row = end_row(fabric, index);
        row["port_physical_state"] = mad::name(port.info.port_physical_state());
        if (port.isolated) row["isolated"] = true;
        unlinked.add(row);
      } else if (index < port.peer) {
        links.add(link_row(fabric, index, port.peer));
      }
    }
  }
  return object(links.take() + ",\n" + unlinked.take());
}

std::string lids_json(const Subnet* subnet) {
  Rows lids("lids");
  for (std::uint32_t lid = 1; subnet != nullptr && lid < subnet->lids.port_of_lid.size(); ++lid) {
    if (const auto row = lid_row(*subnet, mad::Lid{static_cast<std::uint16_t>(lid)}))
      lids.add(*row);
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
  row["members"] = member_rows(group, subnet);
  return line_of(row) + "\n";
}

}  // namespace sm
