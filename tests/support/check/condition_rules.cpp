// Where the truth of each condition is.

#include <array>

#include "support/check/checked_conditions.h"
#include "support/check/condition_truths.h"

namespace sim {
namespace {

using namespace truth;
using enum fabric::ConditionId;

// ---- The table

using False = std::string (*)(const ConditionWorld&, const fabric::Condition&);
using Missing = void (*)(const ConditionWorld&, Complaints&);
constexpr ConditionRule by_world(fabric::ConditionId id, bool of_master, False falsehood,
                                 Missing missing = nullptr) {
  return {id, Truth::world, of_master, falsehood, missing, ""};
}
constexpr ConditionRule of_past(fabric::ConditionId id) {
  return {id, Truth::occurrence, false, nullptr, nullptr, "an occurrence is never active"};
}
constexpr ConditionRule by_caller(fabric::ConditionId id, bool of_master, std::string_view reason) {
  return {id, Truth::caller, of_master, nullptr, nullptr, reason};
}
constexpr ConditionRule by_none(fabric::ConditionId id, std::string_view reason) {
  return {id, Truth::unknown, true, nullptr, nullptr, reason};
}

constexpr std::string_view kNotes =
    "the engine says how it has understood options and names, which tables do not show";
constexpr std::string_view kVlOptions =
    "no qos_*_sl2vl and no qos_*_vlarb_* is configured, which it compares with the engine";
constexpr std::string_view kClassKeys = "no vs_key_enable and no n2n_key_enable is configured";
constexpr std::string_view kHistory = "nothing has been isolated, and no limit of hm_* is set";
constexpr std::string_view kStore = "the managers share no state store";
constexpr std::string_view kOfVnic = "heddle raises no condition of heddle-vnic";
constexpr std::string_view kFiles = "the directories of the manager can be written";
constexpr std::string_view kNoCongestionControl = "congestion_control is FALSE";
constexpr std::string_view kNoAdaptiveRouting = "no routing engine ar_... is configured";
constexpr std::string_view kNoRouters = "routers are not read (read_router_tables)";
constexpr std::string_view kTopologyFile = "no topo_config_file is configured";

constexpr std::array<ConditionRule, fabric::kConditionIds> kRules{{
    by_world(node_silent, true, false_silence, find_silent_nodes),
    by_world(m_key_unknown, true, false_m_key, find_foreign_keys),
    by_world(response_malformed, false, false_answers),
    by_world(guid_duplicate, true, false_duplicate, find_duplicates),
    by_world(link_ends_disagree, true, false_disagreement, find_disagreements),
    by_world(link_loopback, true, false_loopback, find_loopbacks),
    by_world(node_too_far, true, false_distance, find_distance),
    by_world(fabric_too_large, true, false_answers),
    by_world(subtree_too_large, true, false_answers),
    by_world(value_implausible, true, false_values),
    by_world(link_lost, true, false_lost_link, find_lost_links),
    by_world(node_lost, true, false_lost_node, find_lost_nodes),
    by_world(hosts_lost, true, false_lost_hosts),
    of_past(node_moved),
    by_caller(node_replaced, true, "a test that replaces a switch compares it"),
    by_world(link_degraded, true, false_slow_link),
    of_past(tables_lost),
    by_caller(mass_change, true, "it ends with its sweep, and none runs when this is compared"),
    of_past(audit_difference),
    by_world(lft_too_small, true, false_table_size, find_small_tables),
    by_world(lids_exhausted, true, false_exhaustion, find_exhaustion),
    by_world(p_key_table_full, true, false_full_table, find_full_tables),
    by_world(vports_off, true, false_vports_off, find_vports_off),
    by_world(vport_guid_duplicate, true, false_vport_duplicate, find_vport_duplicates),
    by_world(vport_rejected, true, false_vport_rejection),
    by_world(vport_probe_failed, true, false_probe),
    by_world(routing_failed, true,
             [](const ConditionWorld& world, const fabric::Condition&) {
               const auto& refusing = world.manager().refusing_engines;
               return std::string(
                   refusing && refusing->empty() ? "the engine routes the fabric as it is" : "");
             }),
    by_world(routing_refused, true, false_refusal, find_refusals),
    by_none(routing_note, kNotes),
    by_world(routing_limit, true, false_limit, find_limits),
    by_world(routing_no_path, true, false_gap),
    by_world(routing_adopted, true, false_adoption),
    by_world(routing_unbalanced, true, false_imbalance),
    by_caller(vl_setting, true, kVlOptions),
    by_world(vl_table_rejected, true, false_failure),
    by_world(multicast_incapable, true, false_multicast_cap),
    by_world(multicast_disconnected, true, false_division),
    by_world(multicast_no_common_root, true, false_turn),
    by_world(multicast_credit_loop, true, false_shared_loop),
    by_world(multicast_shared_tree, true, false_shared_tree),
    by_world(multicast_sl_dropped, true, false_drop),
    by_caller(memberships_many, true, "no host of these worlds joins so many groups"),
    by_world(write_failed, true, false_failure),
    by_world(port_set_rejected, true, false_failure),
    by_world(link_setting_pending, true, false_pending, find_pending),
    by_caller(store_failed, false, kFiles),
    by_world(sm_port_down, false, false_port_down, find_port_down),
    by_caller(sm_port_blocked, false, "the simulated port takes every MAD"),
    by_world(subnet_silent, false, false_silent_subnet, find_silent_subnet),
    {trap_storm, Truth::unknown, false, nullptr, nullptr,
     "the world does not know which traps were sent within the last seconds"},
    of_past(trap_refused),
    by_world(port_disabled, true, false_disabled),
    of_past(sm_info_refused),
    of_past(m_key_violation),
    of_past(p_key_violation),
    of_past(q_key_violation),
    of_past(link_integrity),
    by_world(sm_key_mismatch, false, false_other_sm),
    by_world(sm_not_allowed, false, false_other_sm),
    by_world(other_master, false, false_other_sm),
    by_world(master_unexpected, false, false_stall),
    of_past(sa_key_mismatch),
    of_past(sa_busy),
    of_past(sa_requests_refused),
    of_past(sa_reports_dropped),
    of_past(handover_failed),
    of_past(mastership_lost),
    by_world(master_stalled, false, false_stall),
    by_caller(store_unreachable, false, kStore),
    by_caller(store_behind, false, kStore),
    by_caller(store_record_rejected, false, kStore),
    by_caller(configuration_differs, false, "all managers have the same configuration"),
    by_caller(config_rejected, false, "the configuration has no error"),
    by_caller(restart_needed, false, "no option was changed that counts at the start only"),
    by_caller(http_failed, false, "the manager has no HTTP service"),
    by_world(port_errors, false, false_errors),
    by_world(port_congested, false, false_congestion),
    by_world(counter_saturated, false, false_errors),
    by_world(counters_unavailable, false, false_unavailability),
    by_caller(congestion_control_refused, true, kNoCongestionControl),
    by_caller(congestion_control_missing, true, kNoCongestionControl),
    by_caller(adaptive_routing_refused, true, kNoAdaptiveRouting),
    by_caller(adaptive_routing_mismatch, true, kNoAdaptiveRouting),
    by_caller(adaptive_routing_partial, true, kNoAdaptiveRouting),
    by_caller(router_tables_unusable, true, kNoRouters),
    by_caller(router_lost, true, kNoRouters),
    by_caller(subnet_unreachable, true, kNoRouters),
    by_caller(router_alias_missing, true, "no alias GUIDs are set (rtr_aguid_enable)"),
    by_caller(link_flapping, true, kHistory),
    by_caller(link_noisy, true, kHistory),
    by_caller(link_isolated, true, kHistory),
    by_caller(isolated_by_operator, true, kHistory),
    by_caller(port_unhealthy, true, kHistory),
    by_caller(switch_held_back, true, kHistory),
    by_caller(topology_node_missing, true, kTopologyFile),
    by_caller(topology_node_extra, true, kTopologyFile),
    by_caller(topology_node_moved, true, kTopologyFile),
    by_caller(topology_link_missing, true, kTopologyFile),
    by_caller(topology_link_extra, true, kTopologyFile),
    by_caller(topology_miscabled, true, kTopologyFile),
    by_caller(topology_link_slow, true, kTopologyFile),
    by_caller(guid_misplaced, false, "the configuration names no NodeGUID as a port GUID"),
    by_caller(guid_absent, true, "the configuration names no GUIDs"),
    by_caller(output_failed, false, kFiles),
    by_caller(event_command_failed, false, "no event_command is configured"),
    by_caller(class_key_unknown, true, kClassKeys),
    of_past(class_key_violation),
    by_caller(default_keys, false, "sm_key and sa_key are those that the configuration has"),
    by_caller(vnic_agent_silent, false, kOfVnic),
    by_caller(vnic_agent_refused, false, kOfVnic),
    by_caller(vnic_member_missing, false, kOfVnic),
    by_caller(vnic_mac_duplicate, false, kOfVnic),
    by_caller(vnic_mac_flood, false, kOfVnic),
    by_caller(vnic_group_failed, false, kOfVnic),
}};

constexpr bool is_in_order() {
  for (std::size_t at = 0; at < kRules.size(); ++at)
    if (kRules[at].id != static_cast<fabric::ConditionId>(at)) return false;
  return true;
}
static_assert(is_in_order(), "a row for each ConditionId, in its order");

}  // namespace

std::span<const ConditionRule, fabric::kConditionIds> condition_rules() { return kRules; }

}  // namespace sim
