#pragma once
// Lists of what a manager knows, as JSON: for heddlectl, and for whatever else asks a daemon. Pure
// functions of what was published, for any thread. Keys are the names of the specification
// (lid, port_guid, link_width_active); GUIDs, P_Keys, MLIDs and GIDs are texts, LIDs and ports are
// numbers. A row is a line, so that a fabric of tens of thousands of ports is never a tree in
// memory.

#include <optional>
#include <string>
#include <vector>

#include "sm/ops/status.h"
#include "sm/sa/registrations/groups.h"

namespace sm {

// Each is one object with one list, empty before the first sweep (but links_json: two lists).

/// nodes[]: node_guid, node_type (CA, Switch, Router), description (the operator's name if there is
/// one, else the NodeDescription), node_description (only if the operator has another name for the
/// node), system_image_guid, vendor_id, device_id, num_ports, ports_up,
/// ports[] (end ports: port, port_guid, lid, lmc, port_state).
std::string nodes_json(const Subnet* subnet);
/// links[]: a and b (node_guid, description, port), port_state (of the end that is less far),
/// link_width_active, link_speed_active, link_width_max and link_speed_max (what both ends
/// support), degraded (whether it is less than that), neighbor_mtu, operational_vls,
/// isolated (kept out of use; why, and until when: status_json()).
/// ports_without_link[] of switches: node_guid, description, port, port_physical_state, and
/// isolated if a host there is.
std::string links_json(const Subnet* subnet);
/// lids[], ascending: lid, lmc, port_guid, node_guid, node_type, description, port; of a vport with
/// a LID of its own also vport (its index).
std::string lids_json(const Subnet* subnet);
/// partitions[]: p_key, name, sl, full_members, limited_members, groups (of partitions.conf).
std::string partitions_json(const Subnet* subnet);
/// The same of one partition, with members[] (port_guid, description, port, membership); nothing if
/// there is none with that key.
std::optional<std::string> partition_json(const Subnet& subnet, mad::PKey key);
/// managers[], this one first: guid, name, priority, state, here, counts.
std::string managers_json(const ManagerStatus& status);
/// conditions[], worst first: as in status_json().
std::string conditions_json(const ManagerStatus& status);

/// A group without its members.
struct GroupSummary {
  sa::Group group;  // `members` is empty
  std::size_t member_count = 0;
};
/// By MGID. Quick: called on the control thread.
std::vector<GroupSummary> summaries(const sa::Groups& groups);

/// groups[]: mgid, mlid, p_key, q_key, mtu (bytes), rate_gbps, packet_life_time, sl, t_class,
/// flow_label, hop_limit, well_known, full_members, member_count.
std::string groups_json(const std::vector<GroupSummary>& groups);
/// The same of one group, with members[]: port_gid, join_state[] (full, non_member,
/// send_only_non_member, send_only_full), proxy_join, description (if the port is in the subnet).
std::string group_json(const sa::Group& group, const Subnet* subnet);

}  // namespace sm
