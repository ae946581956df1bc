#pragma once
// Rows of lists, as JSON: what heddlectl's lists and the API have in common. Keys are the names of
// the specification (lid, port_guid, link_width_active); GUIDs, P_Keys, MLIDs and GIDs are texts,
// LIDs and ports are numbers. Pure functions of what was published, for any thread.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "fabric/subnet.h"
#include "sm/conditions/condition_log.h"
#include "sm/election/known_managers.h"
#include "sm/health/isolation.h"
#include "sm/sa/registrations/groups.h"
#include "sm/sa/registrations/services.h"

namespace sm {

/// One line. Node descriptions come from the wire: what is not UTF-8 is replaced.
std::string line_of(const nlohmann::json& row);

/// One end of a link: node_guid, description, port.
nlohmann::json end_row(const Fabric& fabric, PortIndex port);
/// node_guid, node_type (CA, Switch, Router), description (the operator's name if there is one,
/// else the NodeDescription), node_description (only if the operator has another name for the
/// node), system_image_guid, vendor_id, device_id, num_ports, ports_up,
/// ports[] (end ports: port, port_guid, lid, lmc, port_state).
nlohmann::json node_row(const Subnet& subnet, NodeIndex node);
/// As end_row(), and: node_type, port_state, port_physical_state, of end ports port_guid, lid, lmc;
/// of a port that is kept out of use isolated (true);
/// of a port with a link link_width_active, link_speed_active, neighbor_mtu, operational_vls, and
/// peer (as end_row()), degraded. Where the PortInfo is not known, port_state is null.
nlohmann::json port_row(const Subnet& subnet, PortIndex port);
/// a and b (as end_row()), port_state (of the end that is less far), link_width_active,
/// link_speed_active, link_width_max and link_speed_max (what both ends support), degraded (whether
/// it is less than that), neighbor_mtu, operational_vls.
nlohmann::json link_row(const Fabric& fabric, PortIndex a, PortIndex b);
/// The link is up, slower or narrower than both ends support.
bool is_degraded(const Fabric& fabric, PortIndex a, PortIndex b);
/// As end_row(), and lid, lmc, port_guid, node_type; of a vport with a LID of its own also vport
/// (its index). Nothing if no port begins at that LID.
std::optional<nlohmann::json> lid_row(const Subnet& subnet, mad::Lid lid);
/// mgid, mlid, p_key, q_key, mtu (bytes), rate_gbps, packet_life_time, sl, t_class, flow_label,
/// hop_limit, well_known, full_members.
nlohmann::json group_row(const sa::Group& group);
/// members[] of a group: port_gid, join_state[] (full, non_member, send_only_non_member,
/// send_only_full), proxy_join, description (if the port is in the subnet).
nlohmann::json member_rows(const sa::Group& group, const Subnet* subnet);
/// service_id, service_gid, p_key, service_name (until a zero byte), lease_s (as registered;
/// null: it does not end), expires (seconds since 1970; null: never), registered_by (GUID),
/// description (if the port is in the subnet). Without ServiceKey and data.
nlohmann::json service_row(const sa::Service& service, const Subnet* subnet);
/// index, guid, vnode_guid, description (absent unless it was read), state, lid, own_lid, p_keys[],
/// why (text; why it is not Active, else absent).
nlohmann::json vport_row(const VPorts& vports, VPortIndex vport);
/// id, severity, text, for_s, times, and where it names one, guid and port.
nlohmann::json condition_row(const ConditionLog::Raised& raised, mad::TimePoint now);
/// guid, name, priority, state, counts.
nlohmann::json manager_row(const KnownManager& manager);
/// node_guid, port (0: the whole switch), name, peer, peer_guid (NodeGUID), reason, for_s, and
/// release_in_s, without further faults.
nlohmann::json isolated_row(const Isolated& link, mad::TimePoint now);
/// host (the node's description), guid, port, lid, enabled (whether vports are on), vport_cap, why
/// (why there are none, else absent), vports[]. `virt_enabled`: the option.
nlohmann::json virtualized_port_row(const Subnet& subnet, PortIndex port, unsigned virt_enabled);
/// p_key, name, sl, full_members, limited_members, groups (of partitions.conf).
nlohmann::json subnet_partition_row(const Subnet& subnet, const Partition& partition);
/// members[] of a partition: as end_row(), and port_guid, membership (full, limited).
nlohmann::json subnet_partition_members(const Subnet& subnet, const Partition& partition);

}  // namespace sm
