// Conditions of LIDs, partitions and vports.

#include <map>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "partitions/partition_conditions.h"
#include "sim/world/ca_vports.h"
#include "sim/world/world.h"
#include "sm/health/health_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/check/agent_faults.h"
#include "support/check/condition_truths.h"
#include "support/check/ports.h"
#include "virt/virt_conditions.h"

namespace sim::truth {

// ---- LIDs and partitions

static unsigned highest_lid(const ConditionWorld& world) {
  unsigned highest = 0;
  for_each_end_port(world.model(), world.reach(), [&](PortIndex port) {
    for (const mad::Lid lid : lid_range(world.model(), port))
      highest = std::max(highest, unsigned{lid.value});
  });
  return highest;
}
static std::vector<PortIndex> without_lid(const ConditionWorld& world) {
  std::vector<PortIndex> ports;
  for_each_end_port(world.model(), world.reach(), [&](PortIndex port) {
    if (!is_unicast(world.model().ports[port].info.lid())) ports.push_back(port);
  });
  return ports;
}
std::string false_table_size(const ConditionWorld& world, const fabric::Condition& condition) {
  const unsigned highest = highest_lid(world);
  const bool some_without = !without_lid(world).empty();
  return of_some_node(world, condition, "all LIDs fit into its table", [&](NodeIndex node) {
    const NodeModel& of = world.model().nodes[node];
    return of.is_switch() &&
           (of.sw->info.linear_fdb_cap() <= highest ||
            (some_without && of.sw->info.linear_fdb_cap() <= mad::kUnicastLidMax.value));
  });
}
void find_small_tables(const ConditionWorld& world, Complaints& complaints) {
  const unsigned highest = highest_lid(world);
  for (const NodeIndex node : world.model().nodes.indices()) {
    const NodeModel& of = world.model().nodes[node];
    if (!world.reach()[node] || !of.is_switch() || of.sw->info.linear_fdb_cap() > highest ||
        world.has({sm::kLidConditions.lft_too_small}, node))
      continue;
    complain(complaints, fmt::format("{} has a table of {} LIDs, and there is LID {}",
                                     of.description, of.sw->info.linear_fdb_cap(), highest));
  }
}
std::string false_exhaustion(const ConditionWorld& world, const fabric::Condition& condition) {
  if (condition.text.find("vport") != std::string::npos) return "";
  return without_lid(world).empty() ? "all ports have LIDs" : "";
}
void find_exhaustion(const ConditionWorld& world, Complaints& complaints) {
  for (const PortIndex port : without_lid(world)) {
    if (world.has(sm::kLidConditions.lids_exhausted) ||
        world.has({fabric::kFabricConditions.guid_duplicate, fabric::kFabricConditions.node_silent,
                   fabric::kFabricConditions.m_key_unknown, sm::kWriteConditions.port_set_rejected,
                   sm::kWriteConditions.write_failed, fabric::kFabricConditions.response_malformed,
                   sm::kHealthConditions.link_isolated, sm::kHealthConditions.isolated_by_operator,
                   sm::kHealthConditions.port_unhealthy, sm::kHealthConditions.switch_held_back},
                  world.model().ports[port].node))
      continue;
    complain(complaints, world.model().name(port) + " has no LID");
  }
}

static unsigned p_key_capacity(const Model& model, PortIndex port) {
  const NodeModel& node = model.owning_node(port);
  return node.is_switch() && model.ports[port].number != 0
             ? node.sw->info.partition_enforcement_cap()
             : node.info.partition_cap();
}
static bool is_p_key_table_full(const Model& model, PortIndex port) {
  unsigned keys = 0;
  for (unsigned block = 0; block < model.p_key_blocks(port); ++block) {
    const mad::PKeyTable table = model.p_keys(port, block);
    for (unsigned index = 0; index < mad::PKeyTable::kEntries; ++index)
      keys += table.p_key(index).value != 0 ? 1u : 0u;
  }
  return keys >= p_key_capacity(model, port);
}
static bool has_full_vport_table(const Model& model, PortIndex port) {
  if (!has_vports(model.ports[port])) return false;
  return std::ranges::any_of(model.ports[port].extras->vports, [](const auto& entry) {
    return entry.second.p_key_capacity <= entry.second.p_keys.size() * mad::PKeyTable::kEntries;
  });
}
std::string false_full_table(const ConditionWorld& world, const fabric::Condition& condition) {
  const Model& model = world.model();
  return of_some_node(world, condition, "its P_Key tables have room", [&](NodeIndex node) {
    const NodeModel& of = model.nodes[node];
    for (unsigned number = 0; number <= of.port_count(); ++number) {
      const PortIndex port = of.first_port + number;
      const PortIndex far = model.ports[port].peer;
      if (is_p_key_table_full(model, port) || has_full_vport_table(model, port) ||
          (far != kNone && is_p_key_table_full(model, far)))
        return true;
    }
    return false;
  });
}
void find_full_tables(const ConditionWorld& world, Complaints& complaints) {
  const Model& model = world.model();
  for (const auto& [guid, keys] : world.manager().expected.p_keys) {
    const PortIndex port = model.find_port_guid(guid);
    if (port == kNone || !world.reaches(port) || keys.size() <= p_key_capacity(model, port) ||
        world.has({partitions::kPartitionConditions.p_key_table_full}, model.ports[port].node))
      continue;
    complain(complaints, fmt::format("{} has room for {} of {} keys", model.name(port),
                                     p_key_capacity(model, port), keys.size()));
  }
}

// ---- Virtual ports

static bool can_have_vports(const PortModel& port) { return find_vport(port, 0) != nullptr; }
std::string false_vports_off(const ConditionWorld& world, const fabric::Condition&) {
  if (world.manager().expected.vports_enabled.value_or(false)) return "they are switched on";
  const bool some = std::ranges::any_of(world.model().ports.indices(), [&](PortIndex port) {
    return world.reaches(port) && can_have_vports(world.model().ports[port]);
  });
  return some ? "" : "no port can have vports";
}
void find_vports_off(const ConditionWorld& world, Complaints& complaints) {
  if (!world.manager().leaves_vports_alone || world.has(virt::kVirtConditions.vports_off)) return;
  for_each_end_port(world.model(), world.reach(), [&](PortIndex port) {
    if (can_have_vports(world.model().ports[port]))
      complain(complaints, world.model().name(port) + " can have vports");
  });
}
/// Vports of linked ports by GUID, those that can be up.
static std::map<mad::Guid, unsigned> vport_guids(const ConditionWorld& world) {
  std::map<mad::Guid, unsigned> found;
  for_each_end_port(world.model(), world.reach(), [&](PortIndex port) {
    const PortModel& of = world.model().ports[port];
    ++found[of.guid];
    if (!has_vports(of)) return;
    for (const auto& [index, vport] : of.extras->vports)
      if (index != 0 && vport_state(of, index) != mad::PortState::down)
        ++found[vport_info(vport).port_guid()];
  });
  return found;
}
std::string false_vport_duplicate(const ConditionWorld& world, const fabric::Condition& condition) {
  const auto found = vport_guids(world);
  for (const mad::Guid guid : ConditionWorld::guids_named(condition)) {
    const auto count = found.find(guid);
    if (count != found.end() && count->second > 1) return "";
    for (const NodeModel& node : world.model().nodes)
      if (node.info.node_guid() == guid && count != found.end()) return "";
  }
  return "no GUID that it names is there twice";
}
void find_vport_duplicates(const ConditionWorld& world, Complaints& complaints) {
  if (!world.manager().expected.vports_enabled.value_or(false)) return;
  for (const auto& [guid, count] : vport_guids(world)) {
    const std::string text = fmt::format("{}", guid);
    if (count > 1 && !world.has(virt::kVirtConditions.vport_guid_duplicate) &&
        !world.has(fabric::kFabricConditions.guid_duplicate))
      complain(complaints, text + " is the GUID of several vports");
  }
}
std::string false_vport_rejection(const ConditionWorld& world, const fabric::Condition& condition) {
  return of_some_port(world, condition, "its vports are served", [&](PortIndex port) {
    const PortModel& of = world.model().ports[port];
    const VPortFirmware& firmware = vport_firmware(of);
    return !firmware.refusals.empty() || firmware.time > mad::Duration{} ||
           !firmware.modifier_wrong.empty() || !firmware.states_jump.empty() ||
           is_faulty(world.model().owning_node(port).health);
  });
}
std::string false_probe(const ConditionWorld& world, const fabric::Condition&) {
  const bool some = std::ranges::any_of(world.model().ports.indices(), [&](PortIndex port) {
    const PortModel& of = world.model().ports[port];
    return (of.extras && of.extras->vport_firmware) ||
           is_faulty(world.model().owning_node(port).health);
  });
  return some ? "" : "the firmware of all ports is without faults";
}

}  // namespace sim::truth
