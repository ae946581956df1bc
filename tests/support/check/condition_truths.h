#pragma once
// When single conditions are true, for the table of condition_rules.cpp: false_* say why one is
// false, or "" if the world does not contradict it; find_* add a complaint for each wrong state
// that has no condition.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "support/check/checked_conditions.h"

namespace sim::truth {

/// "" if the condition may hold for one of the nodes that it names, or for any reachable one if it
/// names none.
template <class MayHold>
std::string of_some_node(const ConditionWorld& world, const fabric::Condition& condition,
                         std::string_view otherwise, MayHold may_hold) {
  std::vector<NodeIndex> nodes = world.nodes_named(condition);
  if (nodes.empty())
    for (const NodeIndex node : world.model().nodes.indices())
      if (world.reach()[node]) nodes.push_back(node);
  return std::ranges::any_of(nodes, may_hold) ? std::string() : std::string(otherwise);
}
template <class MayHold>
std::string of_some_port(const ConditionWorld& world, const fabric::Condition& condition,
                         std::string_view otherwise, MayHold may_hold) {
  return std::ranges::any_of(world.ports_named(condition), may_hold) ? std::string()
                                                                     : std::string(otherwise);
}

/// The port's M_Key is set, and is not the one that the manager sets.
bool has_foreign_key(const ConditionWorld& world, PortIndex port);
/// The port is linked to its own node.
bool is_loop(const Model& model, PortIndex port);

std::string false_silence(const ConditionWorld& world, const fabric::Condition& condition);
void find_silent_nodes(const ConditionWorld& world, Complaints& complaints);
std::string false_m_key(const ConditionWorld& world, const fabric::Condition& condition);
void find_foreign_keys(const ConditionWorld& world, Complaints& complaints);
std::string false_answers(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_values(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_duplicate(const ConditionWorld& world, const fabric::Condition& condition);
void find_duplicates(const ConditionWorld& world, Complaints& complaints);
std::string false_disagreement(const ConditionWorld& world, const fabric::Condition& condition);
void find_disagreements(const ConditionWorld& world, Complaints& complaints);
std::string false_loopback(const ConditionWorld& world, const fabric::Condition& condition);
void find_loopbacks(const ConditionWorld& world, Complaints& complaints);
std::string false_distance(const ConditionWorld& world, const fabric::Condition& condition);
void find_distance(const ConditionWorld& world, Complaints& complaints);
std::string false_lost_link(const ConditionWorld& world, const fabric::Condition& condition);
void find_lost_links(const ConditionWorld& world, Complaints& complaints);
std::string false_lost_node(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_slow_link(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_lost_hosts(const ConditionWorld& world, const fabric::Condition& condition);
void find_lost_nodes(const ConditionWorld& world, Complaints& complaints);
std::string false_table_size(const ConditionWorld& world, const fabric::Condition& condition);
void find_small_tables(const ConditionWorld& world, Complaints& complaints);
std::string false_exhaustion(const ConditionWorld& world, const fabric::Condition& condition);
void find_exhaustion(const ConditionWorld& world, Complaints& complaints);
std::string false_full_table(const ConditionWorld& world, const fabric::Condition& condition);
void find_full_tables(const ConditionWorld& world, Complaints& complaints);
std::string false_vports_off(const ConditionWorld& world, const fabric::Condition& condition);
void find_vports_off(const ConditionWorld& world, Complaints& complaints);
std::string false_vport_duplicate(const ConditionWorld& world, const fabric::Condition& condition);
void find_vport_duplicates(const ConditionWorld& world, Complaints& complaints);
std::string false_vport_rejection(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_probe(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_refusal(const ConditionWorld& world, const fabric::Condition& condition);
void find_refusals(const ConditionWorld& world, Complaints& complaints);
/// The switch has entries of LIDs that no port has.
bool has_unused_entries(const ConditionWorld& world, NodeIndex node);
std::string false_gap(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_limit(const ConditionWorld& world, const fabric::Condition& condition);
void find_limits(const ConditionWorld& world, Complaints& complaints);
std::string false_adoption(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_imbalance(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_turn(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_shared_loop(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_shared_tree(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_drop(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_multicast_cap(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_division(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_failure(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_pending(const ConditionWorld& world, const fabric::Condition& condition);
void find_pending(const ConditionWorld& world, Complaints& complaints);
std::string false_disabled(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_port_down(const ConditionWorld& world, const fabric::Condition& condition);
void find_port_down(const ConditionWorld& world, Complaints& complaints);
std::string false_silent_subnet(const ConditionWorld& world, const fabric::Condition& condition);
void find_silent_subnet(const ConditionWorld& world, Complaints& complaints);
std::string false_other_sm(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_stall(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_errors(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_congestion(const ConditionWorld& world, const fabric::Condition& condition);
std::string false_unavailability(const ConditionWorld& world, const fabric::Condition& condition);

}  // namespace sim::truth
