// Where the truth of each condition is.

#include <array>

#include "fabric/fabric_conditions.h"
#include "partitions/partition_conditions.h"
#include "routing/core/routing_conditions.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/congestion/congestion_conditions.h"
#include "sm/election/election_conditions.h"
#include "sm/health/health_conditions.h"
#include "sm/keys/class_key_conditions.h"
#include "sm/ops/security.h"
#include "sm/performance/counter_conditions.h"
#include "sm/store/replica/replica_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/check/checked_conditions.h"
#include "support/check/condition_truths.h"
#include "virt/virt_conditions.h"
#include "virt/vnic/vnic_conditions.h"

namespace sim {
namespace {

using namespace truth;

// ---- The table

using False = std::string (*)(const ConditionWorld&, const fabric::Condition&);
using Missing = void (*)(const ConditionWorld&, Complaints&);
constexpr ConditionRule by_world(fabric::ConditionId id, bool of_master, False falsehood,
                                 Missing missing = nullptr) {
  return {id, Truth::world, of_master, falsehood, missing, ""};
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

constexpr auto kRules = std::to_array<ConditionRule>({
    by_world(fabric::kFabricConditions.node_silent, true, false_silence, find_silent_nodes),
    by_world(fabric::kFabricConditions.m_key_unknown, true, false_m_key, find_foreign_keys),
    by_world(fabric::kFabricConditions.response_malformed, false, false_answers),
    by_world(fabric::kFabricConditions.guid_duplicate, true, false_duplicate, find_duplicates),
    by_world(fabric::kFabricConditions.link_ends_disagree, true, false_disagreement,
             find_disagreements),
    by_world(fabric::kFabricConditions.link_loopback, true, false_loopback, find_loopbacks),
    by_world(fabric::kFabricConditions.node_too_far, true, false_distance, find_distance),
    by_world(fabric::kFabricConditions.fabric_too_large, true, false_answers),
    by_world(fabric::kFabricConditions.subtree_too_large, true, false_answers),
    by_world(fabric::kFabricConditions.value_implausible, true, false_values),
    by_world(sm::kSweepConditions.link_lost, true, false_lost_link, find_lost_links),
    by_world(sm::kSweepConditions.node_lost, true, false_lost_node, find_lost_nodes),
    by_world(sm::kSweepConditions.hosts_lost, true, false_lost_hosts),
    by_caller(sm::kSweepConditions.node_replaced, true,
              "a test that replaces a switch compares it"),
    by_world(sm::kSweepConditions.link_degraded, true, false_slow_link),
    by_caller(sm::kSweepConditions.mass_change, true,
              "it ends with its sweep, and none runs when this is compared"),
    by_world(sm::kLidConditions.lft_too_small, true, false_table_size, find_small_tables),
    by_world(sm::kLidConditions.lids_exhausted, true, false_exhaustion, find_exhaustion),
    by_world(partitions::kPartitionConditions.p_key_table_full, true, false_full_table,
             find_full_tables),
    by_caller(partitions::kPartitionConditions.partition_kept, true,
              "what no partition explains is for the test to say"),
    by_world(virt::kVirtConditions.vports_off, true, false_vports_off, find_vports_off),
    by_world(virt::kVirtConditions.vport_guid_duplicate, true, false_vport_duplicate,
             find_vport_duplicates),
    by_world(virt::kVirtConditions.vport_rejected, true, false_vport_rejection),
    by_world(virt::kVirtConditions.vport_probe_failed, true, false_probe),
    by_world(routing::kRoutingConditions.routing_failed, true,
             [](const ConditionWorld& world, const fabric::Condition&) {
               const auto& refusing = world.manager().refusing_engines;
               return std::string(
                   refusing && refusing->empty() ? "the engine routes the fabric as it is" : "");
             }),
    by_world(routing::kRoutingConditions.routing_refused, true, false_refusal, find_refusals),
    by_none(routing::kRoutingConditions.routing_note, kNotes),
    by_world(routing::kRoutingConditions.routing_limit, true, false_limit, find_limits),
    by_world(routing::kRoutingConditions.routing_no_path, true, false_gap),
    by_world(routing::kRoutingConditions.routing_adopted, true, false_adoption),
    by_world(routing::kRoutingConditions.routing_unbalanced, true, false_imbalance),
    by_caller(routing::kRoutingConditions.vl_setting, true, kVlOptions),
    by_world(routing::kRoutingConditions.vl_table_rejected, true, false_failure),
    by_world(routing::kRoutingConditions.multicast_incapable, true, false_multicast_cap),
    by_world(routing::kRoutingConditions.multicast_disconnected, true, false_division),
    by_world(routing::kRoutingConditions.multicast_no_common_root, true, false_turn),
    by_world(routing::kRoutingConditions.multicast_credit_loop, true, false_shared_loop),
    by_world(routing::kRoutingConditions.multicast_shared_tree, true, false_shared_tree),
    by_world(routing::kRoutingConditions.multicast_sl_dropped, true, false_drop),
    by_caller(routing::kRoutingConditions.memberships_many, true,
              "no host of these worlds joins so many groups"),
    by_world(sm::kWriteConditions.write_failed, true, false_failure),
    by_world(sm::kWriteConditions.port_set_rejected, true, false_failure),
    by_world(sm::kWriteConditions.link_setting_pending, true, false_pending, find_pending),
    by_caller(sm::kManagerConditions.store_failed, false, kFiles),
    by_world(sm::kManagerConditions.sm_port_down, false, false_port_down, find_port_down),
    by_caller(sm::kManagerConditions.sm_port_blocked, false, "the simulated port takes every MAD"),
    by_world(sm::kManagerConditions.subnet_silent, false, false_silent_subnet, find_silent_subnet),
    {sm::kManagerConditions.trap_storm, Truth::unknown, false, nullptr, nullptr,
     "the world does not know which traps were sent within the last seconds"},
    by_world(sm::kManagerConditions.port_disabled, true, false_disabled),
    by_world(sm::kElectionConditions.sm_key_mismatch, false, false_other_sm),
    by_world(sm::kElectionConditions.sm_not_allowed, false, false_other_sm),
    by_world(sm::kElectionConditions.other_master, false, false_other_sm),
    by_world(sm::kElectionConditions.master_unexpected, false, false_stall),
    by_world(sm::kMastershipConditions.master_stalled, false, false_stall),
    by_caller(sm::kReplicaConditions.store_unreachable, false, kStore),
    by_caller(sm::kReplicaConditions.store_behind, false, kStore),
    by_caller(sm::kReplicaConditions.store_record_rejected, false, kStore),
    by_caller(sm::kReplicaConditions.configuration_differs, false,
              "all managers have the same configuration"),
    by_caller(sm::kReplicaConditions.standby_without_state, false,
              "the API of these managers has no partitions"),
    by_caller(sm::kReplicaConditions.changes_lost, false, kStore),
    by_caller(sm::kConfigurationConditions.config_rejected, false,
              "the configuration has no error"),
    by_caller(sm::kConfigurationConditions.restart_needed, false,
              "no option was changed that counts at the start only"),
    by_caller(sm::kConfigurationConditions.http_failed, false, "the manager has no HTTP service"),
    by_world(sm::kCounterConditions.port_errors, false, false_errors),
    by_world(sm::kCounterConditions.port_congested, false, false_congestion),
    by_world(sm::kCounterConditions.counter_saturated, false, false_errors),
    by_world(sm::kCounterConditions.counters_unavailable, false, false_unavailability),
    by_caller(sm::kCongestionConditions.congestion_control_refused, true, kNoCongestionControl),
    by_caller(sm::kCongestionConditions.congestion_control_missing, true, kNoCongestionControl),
    by_caller(sm::kAdaptiveConditions.adaptive_routing_refused, true, kNoAdaptiveRouting),
    by_caller(sm::kAdaptiveConditions.adaptive_routing_mismatch, true, kNoAdaptiveRouting),
    by_caller(sm::kAdaptiveConditions.adaptive_routing_partial, true, kNoAdaptiveRouting),
    by_caller(sm::kRouterConditions.router_tables_unusable, true, kNoRouters),
    by_caller(sm::kRouterConditions.router_lost, true, kNoRouters),
    by_caller(sm::kRouterConditions.subnet_unreachable, true, kNoRouters),
    by_caller(sm::kRouterConditions.router_alias_missing, true,
              "no alias GUIDs are set (rtr_aguid_enable)"),
    by_caller(sm::kHealthConditions.link_flapping, true, kHistory),
    by_caller(sm::kHealthConditions.link_noisy, true, kHistory),
    by_caller(sm::kHealthConditions.link_isolated, true, kHistory),
    by_caller(sm::kHealthConditions.isolated_by_operator, true, kHistory),
    by_caller(sm::kHealthConditions.port_unhealthy, true, kHistory),
    by_caller(sm::kHealthConditions.switch_held_back, true, kHistory),
    by_caller(sm::kTopologyConditions.topology_node_missing, true, kTopologyFile),
    by_caller(sm::kTopologyConditions.topology_node_extra, true, kTopologyFile),
    by_caller(sm::kTopologyConditions.topology_node_moved, true, kTopologyFile),
    by_caller(sm::kTopologyConditions.topology_link_missing, true, kTopologyFile),
    by_caller(sm::kTopologyConditions.topology_link_extra, true, kTopologyFile),
    by_caller(sm::kTopologyConditions.topology_miscabled, true, kTopologyFile),
    by_caller(sm::kTopologyConditions.topology_link_slow, true, kTopologyFile),
    by_caller(sm::kNamedGuidConditions.guid_misplaced, false,
              "the configuration names no NodeGUID as a port GUID"),
    by_caller(sm::kNamedGuidConditions.guid_absent, true, "the configuration names no GUIDs"),
    by_caller(sm::kOutputConditions.output_failed, false, kFiles),
    by_caller(sm::kOutputConditions.event_command_failed, false, "no event_command is configured"),
    by_caller(sm::kClassKeyConditions.class_key_unknown, true, kClassKeys),
    by_caller(sm::kSecurityConditions.default_keys, false,
              "sm_key and sa_key are those that the configuration has"),
    by_caller(vnic::kVnicConditions.vnic_agent_silent, false, kOfVnic),
    by_caller(vnic::kVnicConditions.vnic_agent_refused, false, kOfVnic),
    by_caller(vnic::kVnicConditions.vnic_member_missing, false, kOfVnic),
    by_caller(vnic::kVnicConditions.vnic_mac_duplicate, false, kOfVnic),
    by_caller(vnic::kVnicConditions.vnic_mac_flood, false, kOfVnic),
    by_caller(vnic::kVnicConditions.vnic_group_failed, false, kOfVnic),
});

}  // namespace

std::span<const ConditionRule> condition_rules() { return kRules; }

}  // namespace sim
