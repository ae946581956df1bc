// Conditions of nodes and links: silence, keys, answers, GUIDs, losses.

#include <map>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "mad/link_speed.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/check/agent_faults.h"
#include "support/check/condition_truths.h"
#include "support/check/ports.h"
#include "virt/virt_conditions.h"

namespace sim::truth {

// ---- Silence, keys and answers

bool has_foreign_key(const ConditionWorld& world, PortIndex port) {
  const PortModel& of = world.model().ports[port];
  const Expected& expected = world.manager().expected;
  const mad::MKey own = expected.m_key_of ? expected.m_key_of(of.guid) : expected.m_key;
  return of.info.m_key().value != 0 && of.info.m_key() != own && of.info.m_key_protect_bits() > 0;
}
static bool may_be_silent(const ConditionWorld& world, NodeIndex node) {
  return may_not_answer(world.model().nodes[node].health);
}
/// The node behind the port has a reason not to answer.
static bool may_be_silent_behind(const ConditionWorld& world, PortIndex port) {
  const Model& model = world.model();
  const PortIndex far = model.ports[port].peer;
  if (far == kNone || !model.link_up(port)) return false;
  return may_be_silent(world, model.ports[far].node) ||
         has_foreign_key(world, model.management_port(far));
}

std::string false_silence(const ConditionWorld& world, const fabric::Condition& condition) {
  if (world.manager().lossy) return "";
  if (condition.port)
    return of_some_port(world, condition, "what is linked there answers, or nothing is",
                        [&](PortIndex port) { return may_be_silent_behind(world, port); });
  const Model& model = world.model();
  return of_some_node(world, condition, "the node answers, or has no link", [&](NodeIndex node) {
    if (!may_be_silent(world, node)) return false;
    const NodeModel& of = model.nodes[node];
    for (unsigned number = 1; number <= of.port_count(); ++number)
      if (world.is_linked(of.first_port + number)) return true;
    return node == model.ports[world.manager().port].node;
  });
}

/// Ports of reachable nodes behind which a node does not answer at all.
void find_silent_nodes(const ConditionWorld& world, Complaints& complaints) {
  const Model& model = world.model();
  for (const PortIndex port : model.ports.indices()) {
    const PortIndex far = model.ports[port].peer;
    if (far == kNone || !world.reaches(port) || !model.link_up(port)) continue;
    if (!model.owning_node(port).is_switch() && port != world.manager().port) continue;
    const Health& health = model.owning_node(far).health;
    if (!health.powered || (!health.silent && !health.agent_ignores_requests)) continue;
    if (world.has({fabric::kFabricConditions.node_silent, fabric::kFabricConditions.m_key_unknown,
                   sm::kManagerConditions.subnet_silent},
                  port) ||
        world.has({fabric::kFabricConditions.node_silent, fabric::kFabricConditions.m_key_unknown,
                   sm::kManagerConditions.subnet_silent},
                  model.ports[far].node))
      continue;
    complain(complaints, fmt::format("{} is linked to {}, which does not answer", model.name(port),
                                     model.name(far)));
  }
}

std::string false_m_key(const ConditionWorld& world, const fabric::Condition& condition) {
  const Model& model = world.model();
  const auto may_hold = [&](PortIndex port) {
    return has_foreign_key(world, model.management_port(port)) ||
           may_be_silent(world, model.ports[port].node) || may_be_silent_behind(world, port);
  };
  for (const NodeIndex node : world.nodes_named(condition)) {
    const NodeModel& of = model.nodes[node];
    for (unsigned number = 0; number <= of.port_count(); ++number)
      if (may_hold(of.first_port + number)) return "";
  }
  return "no port that it names has a foreign M_Key";
}
void find_foreign_keys(const ConditionWorld& world, Complaints& complaints) {
  for_each_end_port(world.model(), world.reach(), [&](PortIndex port) {
    if (!has_foreign_key(world, port) ||
        world.has({fabric::kFabricConditions.m_key_unknown, sm::kManagerConditions.subnet_silent},
                  world.model().ports[port].node))
      return;
    // Also named as what is behind the port in front of it.
    const PortIndex front = world.model().ports[port].peer;
    if (front != kNone &&
        world.has({fabric::kFabricConditions.m_key_unknown, fabric::kFabricConditions.node_silent},
                  front))
      return;
    complain(complaints, world.model().name(port) + " has a foreign M_Key");
  });
}

std::string false_answers(const ConditionWorld& world, const fabric::Condition& condition) {
  return of_some_node(world, condition, "the answers of its nodes are true", [&](NodeIndex node) {
    return answers_wrongly(world.model().nodes[node].health);
  });
}

static bool is_implausible(const PortModel& port) {
  const mad::PortInfo& info = port.info;
  if (static_cast<unsigned>(info.port_state()) == 0) return true;
  return info.port_state() != mad::PortState::down &&
         (static_cast<unsigned>(info.mtu_cap()) == 0 || info.vl_cap() == 0 ||
          static_cast<unsigned>(info.port_physical_state()) == 0);
}
std::string false_values(const ConditionWorld& world, const fabric::Condition& condition) {
  const Model& model = world.model();
  return of_some_node(world, condition, "the values of its nodes are allowed", [&](NodeIndex node) {
    const NodeModel& of = model.nodes[node];
    if (answers_wrongly(of.health)) return true;
    if (of.is_switch() && (of.sw->lft_firmware != LftFirmware::plain ||
                           of.sw->info.linear_fdb_top() >= of.sw->info.linear_fdb_cap() ||
                           of.sw->info.linear_fdb_cap() > mad::kUnicastLidMax.value + 1u))
      return true;
    if (condition.text.find("LIDs that are not in use") != std::string::npos &&
        has_unused_entries(world, node))
      return true;
    for (unsigned number = 0; number <= of.port_count(); ++number) {
      const PortModel& port = model.ports[of.first_port + number];
      if (is_implausible(port) || (port.extras && port.extras->vport_firmware)) return true;
    }
    return false;
  });
}

// ---- Nodes and links

/// Reachable nodes and end ports by GUID, several to one where they are duplicates.
static std::map<mad::Guid, std::set<PortIndex>> guids(const ConditionWorld& world) {
  const Model& model = world.model();
  std::map<mad::Guid, std::set<PortIndex>> found;
  for (const NodeIndex node : model.nodes.indices())
    if (world.reach()[node])
      found[model.nodes[node].info.node_guid()].insert(model.nodes[node].first_port);
  for_each_end_port(model, world.reach(), [&](PortIndex port) {
    // NodeGUID and PortGUID of one node may be equal.
    const PortIndex same = model.owning_node(port).first_port;
    auto& owners = found[model.ports[port].guid];
    if (!owners.contains(same)) owners.insert(port);
  });
  return found;
}
std::string false_duplicate(const ConditionWorld& world, const fabric::Condition& condition) {
  const auto found = guids(world);
  for (const mad::Guid guid : ConditionWorld::guids_named(condition))
    if (const auto owners = found.find(guid); owners != found.end() && owners->second.size() > 1)
      return "";
  return of_some_node(world, condition, "no GUID that it names is there twice",
                      [&](NodeIndex n) { return answers_wrongly(world.model().nodes[n].health); });
}
void find_duplicates(const ConditionWorld& world, Complaints& complaints) {
  for (const auto& [guid, owners] : guids(world)) {
    if (owners.size() < 2) continue;
    const bool is_reported = std::ranges::all_of(owners, [&](PortIndex port) {
      return world.has(
          {fabric::kFabricConditions.guid_duplicate, virt::kVirtConditions.vport_guid_duplicate},
          world.model().ports[port].node);
    });
    if (!is_reported)
      complain(complaints,
               fmt::format("{} is the GUID of {} and {}", guid, world.model().name(*owners.begin()),
                           world.model().name(*owners.rbegin())));
  }
}

static bool is_up(const PortModel& port) { return port.info.port_state() >= mad::PortState::init; }
static bool ends_differ(const Model& model, PortIndex port) {
  const PortIndex far = model.ports[port].peer;
  return far != kNone && is_up(model.ports[port]) != is_up(model.ports[far]);
}
std::string false_disagreement(const ConditionWorld& world, const fabric::Condition& condition) {
  const Model& model = world.model();
  return of_some_port(
      world, condition, "both ends of the link are in the same state, or there is none",
      [&](PortIndex port) {
        return ends_differ(model, port) || answers_wrongly(model.owning_node(port).health);
      });
}
void find_disagreements(const ConditionWorld& world, Complaints& complaints) {
  const Model& model = world.model();
  for (const PortIndex port : model.ports.indices()) {
    const PortIndex far = model.ports[port].peer;
    if (far == kNone || far < port || !world.reaches(port) || !world.reaches(far) ||
        !ends_differ(model, port) ||
        world.has({fabric::kFabricConditions.link_ends_disagree}, port) ||
        world.has({fabric::kFabricConditions.link_ends_disagree}, far))
      continue;
    complain(complaints,
             fmt::format("{} and {} are in different states", model.name(port), model.name(far)));
  }
}

bool is_loop(const Model& model, PortIndex port) {
  const PortIndex far = model.ports[port].peer;
  return far != kNone && model.ports[far].node == model.ports[port].node && model.link_up(port);
}
std::string false_loopback(const ConditionWorld& world, const fabric::Condition& condition) {
  return of_some_port(world, condition, "the port is not linked to its own node",
                      [&](PortIndex port) { return is_loop(world.model(), port); });
}
void find_loopbacks(const ConditionWorld& world, Complaints& complaints) {
  const Model& model = world.model();
  for (const PortIndex port : model.ports.indices()) {
    if (!world.reaches(port) || !is_loop(model, port) ||
        world.has({fabric::kFabricConditions.link_loopback}, port) ||
        world.has({fabric::kFabricConditions.link_loopback}, model.ports[port].peer))
      continue;
    complain(complaints, model.name(port) + " is linked to its own node");
  }
}

/// Hops from the manager to the furthest reachable node.
static unsigned hops_to_furthest(const ConditionWorld& world) {
  const Model& model = world.model();
  std::map<NodeIndex, unsigned> hops{{model.ports[world.manager().port].node, 0}};
  std::vector<NodeIndex> queue{hops.begin()->first};
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const NodeIndex node = queue[next];
    for (unsigned number = 1; number <= model.nodes[node].port_count(); ++number) {
      const PortIndex out = model.nodes[node].first_port + number;
      if (!model.nodes[node].is_switch() && out != world.manager().port) continue;
      if (!world.is_linked(out)) continue;
      const NodeIndex far = model.ports[model.ports[out].peer].node;
      if (hops.emplace(far, hops[node] + 1).second) queue.push_back(far);
    }
  }
  return hops[queue.back()];
}
std::string false_distance(const ConditionWorld& world, const fabric::Condition& condition) {
  return hops_to_furthest(world) > mad::DirectedRoute::kHopsMax ? ""
                                                                : false_answers(world, condition);
}
void find_distance(const ConditionWorld& world, Complaints& complaints) {
  if (hops_to_furthest(world) > mad::DirectedRoute::kHopsMax &&
      !world.has(fabric::kFabricConditions.node_too_far))
    complain(complaints, "a node is more than 63 hops away");
}

std::string false_lost_link(const ConditionWorld& world, const fabric::Condition& condition) {
  const std::vector<PortIndex> ends = world.ports_named(condition);
  if (ends.empty()) return condition.guid == mad::Guid{} ? "" : "it names no port";
  for (const PortIndex port : ends) {
    if (world.is_linked(port)) return world.model().name(port) + " is linked";
    if (!world.reaches(port)) return world.model().name(port) + " is not there";
  }
  return "";
}
void find_lost_links(const ConditionWorld& world, Complaints& complaints) {
  if (!world.manager().knew) return;
  for (const auto& [port, far] : world.manager().knew->links) {
    if (!world.reaches(port) || !world.reaches(far) || world.is_linked(port) ||
        world.is_linked(far) ||
        world.has({sm::kSweepConditions.link_lost, sm::kManagerConditions.port_disabled}, port))
      continue;
    complain(complaints,
             fmt::format("{} was linked to {}", world.model().name(port), world.model().name(far)));
  }
}

std::string false_lost_node(const ConditionWorld& world, const fabric::Condition& condition) {
  if (condition.guid == mad::Guid{}) return "";  // the number of more
  for (const NodeIndex node : world.model().nodes.indices()) {
    if (world.model().nodes[node].info.node_guid() != condition.guid || !world.reach()[node])
      continue;
    if (may_be_silent(world, node)) continue;
    return "the node is there";
  }
  return "";
}
/// Some end of the link that it names runs below what both ends support, or beside faster links.
std::string false_slow_link(const ConditionWorld& world, const fabric::Condition& condition) {
  const std::vector<PortIndex> ends = world.ports_named(condition);
  if (ends.empty()) return condition.guid == mad::Guid{} ? "" : "it names no port";
  for (const PortIndex port : ends) {
    if (!world.is_linked(port)) return world.model().name(port) + " is not linked";
    const mad::PortInfo &here = world.model().ports[port].info,
                        &there = world.model().ports[world.model().ports[port].peer].info;
    const mad::LinkRate rate = mad::active_rate(here), best = mad::best_common_rate(here, there);
    const bool is_slow = rate.lanes < best.lanes || rate.speed < best.speed;
    if (!is_slow && condition.text.find("all other links") == std::string::npos)
      return world.model().name(port) + " runs as both ends support";
  }
  return "";
}
/// It is about the switch in front of the hosts, which is not lost.
std::string false_lost_hosts(const ConditionWorld& world, const fabric::Condition& condition) {
  bool is_there = false;
  for (const NodeIndex node : world.model().nodes.indices())
    is_there |= world.model().nodes[node].info.node_guid() == condition.guid && world.reach()[node];
  if (!is_there) return "the switch is not there";
  const auto lost = std::ranges::count_if(world.active(), [&](const fabric::Condition& other) {
    return other.caused_by == fabric::find_subject(condition);
  });
  return lost < 2 ? "fewer than two hosts behind it are lost" : "";
}
void find_lost_nodes(const ConditionWorld& world, Complaints& complaints) {
  if (!world.manager().knew) return;
  for (const NodeIndex node : world.manager().knew->nodes) {
    if (world.reach()[node] ||
        world.has({sm::kSweepConditions.node_lost, fabric::kFabricConditions.node_silent}, node))
      continue;
    complain(complaints, world.model().nodes[node].description + " was there");
  }
}

}  // namespace sim::truth
