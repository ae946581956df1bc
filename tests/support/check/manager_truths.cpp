// Conditions of what is written, of the manager itself, and of counters.

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/check/agent_faults.h"
#include "support/check/condition_truths.h"
#include "support/check/ports.h"

namespace sim::truth {

// ---- What is written

std::string false_failure(const ConditionWorld& world, const fabric::Condition& condition) {
  if (world.manager().lossy) return "";
  // The manager does not send a setting again before the link training that makes it effective.
  if (condition.id == sm::kWriteConditions.port_set_rejected &&
      world.has(sm::kWriteConditions.link_setting_pending))
    return "";
  return of_some_node(world, condition, "its agent takes what is written",
                      [&](NodeIndex node) { return is_faulty(world.model().nodes[node].health); });
}
/// NeighborMTU and OperationalVLs that both ends of a link and the options allow.
static bool has_wanted_settings(const ConditionWorld& world, PortIndex port) {
  const Model& model = world.model();
  const mad::PortInfo &here = model.ports[port].info,
                      &there = model.ports[model.ports[port].peer].info;
  const auto mtu = [](const mad::PortInfo& info) {
    return std::clamp(info.mtu_cap(), mad::Mtu::mtu_256, mad::Mtu::mtu_4096);
  };
  const auto vls = [](const mad::PortInfo& info) {
    return std::clamp<std::uint8_t>(info.vl_cap(), 1, 5);
  };
  return here.neighbor_mtu() == std::min(mtu(here), mtu(there)) &&
         here.operational_vls() ==
             std::min({vls(here), vls(there), world.manager().expected.operational_vls_max});
}
std::string false_pending(const ConditionWorld& world, const fabric::Condition& condition) {
  const std::vector<PortIndex> ends = world.ports_named(condition);
  if (ends.empty()) return "";  // the number of more
  return of_some_port(
      world, condition, "the link runs as the settings ask for",
      [&](PortIndex port) { return world.is_linked(port) && !has_wanted_settings(world, port); });
}
void find_pending(const ConditionWorld& world, Complaints& complaints) {
  const Model& model = world.model();
  for (const PortIndex port : model.ports.indices()) {
    if (!world.reaches(port) || !world.is_linked(port) || is_loop(model, port) ||
        has_wanted_settings(world, port) || world.has(sm::kWriteConditions.link_setting_pending) ||
        world.has({sm::kWriteConditions.port_set_rejected, sm::kWriteConditions.write_failed},
                  port))
      continue;
    complain(complaints, model.name(port) + " runs with another MTU or other VLs than configured");
  }
}

// ---- The manager

static bool has_own_link(const ConditionWorld& world) {
  const PortIndex own = world.manager().port;
  return world.model().owning_node(own).is_switch() || world.model().link_up(own);
}
static bool reaches_others(const ConditionWorld& world) {
  return std::ranges::count(world.reach(), true) > 1;
}
std::string false_port_down(const ConditionWorld& world, const fabric::Condition&) {
  return has_own_link(world) ? "its port has a link" : "";
}
void find_port_down(const ConditionWorld& world, Complaints& complaints) {
  if (!has_own_link(world) && !world.has(sm::kManagerConditions.sm_port_down))
    complain(complaints, world.model().name(world.manager().port) + " has no link");
}
std::string false_silent_subnet(const ConditionWorld& world, const fabric::Condition&) {
  const PortIndex far = world.model().ports[world.manager().port].peer;
  if (!has_own_link(world)) return "its port has no link";
  if (far == kNone || !reaches_others(world)) return "";
  return is_faulty(world.model().owning_node(far).health) ||
                 has_foreign_key(world, world.model().management_port(far)) || world.manager().lossy
             ? ""
             : "what is behind its port answers";
}
void find_silent_subnet(const ConditionWorld& world, Complaints& complaints) {
  if (has_own_link(world) && !reaches_others(world) &&
      !world.has(sm::kManagerConditions.subnet_silent) &&
      !world.has(fabric::kFabricConditions.node_silent))
    complain(complaints, "nothing behind the manager's port answers");
}
static bool sees_other_sm(const ConditionWorld& world) {
  bool some = false;
  for_each_end_port(world.model(), world.reach(), [&](PortIndex port) {
    some =
        some || (port != world.manager().port &&
                 (world.model().ports[port].info.capability_mask() & mad::capability::kIsSm) != 0);
  });
  return some;
}
std::string false_other_sm(const ConditionWorld& world, const fabric::Condition&) {
  return sees_other_sm(world) ? "" : "no other port has IsSM";
}
std::string false_stall(const ConditionWorld& world, const fabric::Condition&) {
  if (world.manager().leads) return "this manager is MASTER itself";
  return sees_other_sm(world) ? "" : "no other port has IsSM";
}

/// Ports that are disabled need no condition: an operator may have done that, too.
std::string false_disabled(const ConditionWorld& world, const fabric::Condition& condition) {
  return of_some_port(
      world, condition, "the port is not disabled, or not there", [&](PortIndex port) {
        return world.reaches(port) && world.model().ports[port].info.port_physical_state() ==
                                          mad::PortPhysicalState::disabled;
      });
}

// ---- Counters

static const Counters* counters(const ConditionWorld& world, PortIndex port) {
  const auto& extras = world.model().ports[port].extras;
  return extras ? &extras->counters : nullptr;
}
std::string false_errors(const ConditionWorld& world, const fabric::Condition& condition) {
  return of_some_port(world, condition, "its counters show no errors", [&](PortIndex port) {
    const Counters* const its = counters(world, port);
    return its != nullptr && its->symbol_errors + its->link_error_recoveries + its->link_downed +
                                     its->rcv_errors + its->rcv_remote_physical_errors +
                                     its->rcv_switch_relay_errors + its->xmit_discards +
                                     its->xmit_constraint_errors + its->rcv_constraint_errors +
                                     its->local_link_integrity_errors +
                                     its->excessive_buffer_overruns + its->vl15_dropped >
                                 0;
  });
}
std::string false_congestion(const ConditionWorld& world, const fabric::Condition& condition) {
  return of_some_port(world, condition, "it never waited to send", [&](PortIndex port) {
    const Counters* const its = counters(world, port);
    return its != nullptr && its->xmit_wait > 0;
  });
}
std::string false_unavailability(const ConditionWorld& world, const fabric::Condition& condition) {
  return of_some_node(world, condition, "its agents answer",
                      [&](NodeIndex node) { return is_faulty(world.model().nodes[node].health); });
}

}  // namespace sim::truth
