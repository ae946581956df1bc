#pragma once
// Conditions that the operator should know, with identifiers, and the registry of all kinds.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/namespace.h"
#include "mad/ids.h"

namespace fabric {

/// Each identifier has one row in condition_kinds(), in this order.
enum class ConditionId : std::uint8_t {
  // Findings of discovery
  node_silent,
  m_key_unknown,
  response_malformed,
  guid_duplicate,
  link_ends_disagree,
  link_loopback,
  node_too_far,
  fabric_too_large,
  subtree_too_large,
  value_implausible,
  link_lost,
  node_lost,
  hosts_lost,
  node_moved,
  node_replaced,
  link_degraded,
  tables_lost,
  mass_change,
  audit_difference,
  // LIDs and partitions
  lft_too_small,
  lids_exhausted,
  p_key_table_full,
  // Virtual ports
  vports_off,
  vport_guid_duplicate,
  vport_rejected,
  vport_probe_failed,
  // Routing
  routing_failed,
  routing_refused,
  routing_note,
  routing_limit,
  routing_no_path,
  routing_adopted,
  routing_unbalanced,
  // Virtual lanes
  vl_setting,
  vl_table_rejected,
  // Multicast
  multicast_incapable,
  multicast_disconnected,
  multicast_no_common_root,
  multicast_credit_loop,
  multicast_shared_tree,
  multicast_sl_dropped,
  memberships_many,
  // Writes to devices
  write_failed,
  port_set_rejected,
  link_setting_pending,
  store_failed,
  // The manager itself
  sm_port_down,
  sm_port_blocked,
  subnet_silent,
  trap_storm,
  trap_refused,
  port_disabled,
  sm_info_refused,
  m_key_violation,
  p_key_violation,
  q_key_violation,
  link_integrity,
  sm_key_mismatch,
  sm_not_allowed,
  other_master,
  master_unexpected,
  // Subnet administration
  sa_key_mismatch,
  sa_busy,
  sa_requests_refused,
  sa_reports_dropped,
  // Election
  handover_failed,
  mastership_lost,
  master_stalled,
  // The replicated state
  store_unreachable,
  store_behind,
  store_record_rejected,
  configuration_differs,
  // The configuration of this manager
  config_rejected,
  restart_needed,
  // The HTTP service
  http_failed,
  // Port counters
  port_errors,
  port_congested,
  counter_saturated,
  counters_unavailable,
  // Congestion control
  congestion_control_refused,
  congestion_control_missing,
  // Adaptive routing
  adaptive_routing_refused,
  adaptive_routing_mismatch,
  adaptive_routing_partial,
  // Routers to other subnets
  router_tables_unusable,
  router_lost,
  subnet_unreachable,
  router_alias_missing,
  // Health of links
  link_flapping,
  link_noisy,
  link_isolated,
  isolated_by_operator,
  port_unhealthy,
  switch_held_back,
  // The expected topology
  topology_node_missing,
  topology_node_extra,
  topology_node_moved,
  topology_link_missing,
  topology_link_extra,
  topology_miscabled,
  topology_link_slow,
  // Files of the operator
  guid_misplaced,
  guid_absent,
  output_failed,
  event_command_failed,
  // Keys
  class_key_unknown,
  class_key_violation,
  default_keys,
  // Virtual Ethernet switches (heddle-vnic)
  vnic_agent_silent,
  vnic_agent_refused,
  vnic_member_missing,
  vnic_mac_duplicate,
  vnic_mac_flood,
  vnic_group_failed,
};
inline constexpr std::size_t kConditionIds =
    static_cast<std::size_t>(ConditionId::vnic_group_failed) + 1;

enum class Severity : std::uint8_t {
  info,      // a consequence of the configuration that is worth knowing
  warning,   // something does not get what was asked for
  error,     // a fault that Heddle works around; to be repaired
  critical,  // the fabric, or a part of it, cannot be used
};
std::string_view name(Severity severity);

/// Says when a condition ends. A state is active as long as its cause, and the part that raises it
/// clears it. An occurrence is in the past as soon as it is known: it is shown with its time, and
/// is never active.
enum class Nature : std::uint8_t { state, occurrence };
std::string_view name(Nature nature);

/// Explains an identifier; `heddlectl explain` prints the texts for the operator.
struct ConditionKind {
  ConditionId id;
  std::string_view name;  // "SM-NODE-SILENT": in logs, status and API; never changed once released
  Severity severity;
  std::string_view meaning;     // one sentence
  std::string_view cause;       // what usually leads to it
  std::string_view effect;      // what Heddle does while it is active, or what stays undone
  std::string_view remedy;      // what the operator is to do
  bool by_consequence = false;  // each condition has a severity of its own, by what it cuts off
  Nature nature = Nature::state;

  bool is_occurrence() const { return nature == Nature::occurrence; }
};

/// Returns the registry: all kinds, in the order of ConditionId.
std::span<const ConditionKind, kConditionIds> condition_kinds();
const ConditionKind& find_kind(ConditionId id);
/// Finds a kind by its name, ignoring case; null if there is none.
const ConditionKind* find_condition_kind(std::string_view name);

/// Identifies a condition while its text changes.
struct ConditionSubject {
  ConditionId id{};
  mad::Guid guid = {};
  std::optional<mad::PortNum> port = {};

  bool operator==(const ConditionSubject&) const = default;
};

/// One condition of one subject. Two conditions are the same if they are equal.
struct Condition {
  ConditionId id{};
  std::string text;     // one sentence that names the subject: description, GUID, port
  mad::Guid guid = {};  // of the node or end port that it is about; 0 if it is about none
  std::optional<mad::PortNum> port = {};
  std::optional<Severity> severity = {};           // by consequence; nothing: that of its kind
  std::optional<ConditionSubject> caused_by = {};  // a condition whose text counts this one

  bool operator==(const Condition&) const = default;
};
Severity find_severity(const Condition& condition);
inline ConditionSubject find_subject(const Condition& condition) {
  return {condition.id, condition.guid, condition.port};
}
/// Returns "warning", for example, or "by consequence" if each condition has a severity of its own.
std::string_view severity_text(const ConditionKind& kind);

/// Collects conditions of one kind: the first `shown`, then a condition that counts the rest.
class ConditionList {
 public:
  explicit ConditionList(ConditionId id, std::size_t shown = 10) : id_(id), shown_(shown) {}
  void add(std::string text) {
    if (++count_ <= shown_) conditions_.push_back({.id = id_, .text = std::move(text)});
  }
  std::vector<Condition> take();

 private:
  ConditionId id_;
  std::size_t shown_, count_ = 0;
  std::vector<Condition> conditions_;
};

}  // namespace fabric
