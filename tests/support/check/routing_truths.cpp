// Conditions of routing and of multicast.

#include <charconv>
#include <map>
#include <numeric>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sim/world/forwarding.h"
#include "support/check/condition_truths.h"
#include "support/check/ports.h"

namespace sim::truth {

/// More MLIDs than a simulated subnet has.
constexpr std::uint16_t kMulticastCapEnough = 1024;

// ---- Unicast

static std::string engine_named(const fabric::Condition& condition) {
  return condition.text.substr(0, condition.text.find(':'));
}
std::string false_refusal(const ConditionWorld& world, const fabric::Condition& condition) {
  const auto& refusing = world.manager().refusing_engines;
  if (!refusing || refusing->contains(engine_named(condition))) return "";
  return "the engine routes the fabric as it is";
}
void find_refusals(const ConditionWorld& world, Complaints& complaints) {
  if (!world.manager().refusing_engines) return;
  for (const std::string& engine : *world.manager().refusing_engines)
    if (!world.has(routing::kRoutingConditions.routing_refused) &&
        !world.has(routing::kRoutingConditions.routing_failed))
      complain(complaints, engine + " refuses the fabric");
}

bool has_unused_entries(const ConditionWorld& world, NodeIndex node) {
  const Model& model = world.model();
  if (!model.nodes[node].is_switch()) return false;
  std::set<unsigned> used;
  for_each_end_port(model, world.reach(), [&](PortIndex port) {
    for (const mad::Lid lid : lid_range(model, port)) used.insert(lid.value);
  });
  const std::vector<std::uint8_t>& lft = model.nodes[node].sw->lft;
  for (unsigned lid = 1; lid < lft.size(); ++lid)
    if (lft[lid] != mad::kNoPort.value && !used.contains(lid)) return true;
  return false;
}
/// Switches have entries of LIDs that no port has, such as those that are kept for absent hosts:
/// the engine has routed these, too, and what it says may be of them alone.
static bool routes_absent_lids(const ConditionWorld& world) {
  return std::ranges::any_of(world.model().nodes.indices(), [&](NodeIndex node) {
    return world.reach()[node] && has_unused_entries(world, node);
  });
}
static bool has_credit_loop(const ConditionWorld& world) {
  return !check_credit_loops(world.model(), world.reach(), Traffic::between_hosts,
                             world.manager().sl)
              .empty();
}
std::string false_gap(const ConditionWorld& world, const fabric::Condition&) {
  return check_paths(world.model(), world.reach()).empty() && !routes_absent_lids(world)
             ? "all switches have all paths"
             : "";
}
std::string false_limit(const ConditionWorld& world, const fabric::Condition&) {
  if (!world.manager().sl || routes_absent_lids(world) || has_credit_loop(world)) return "";
  return "no credit loop is possible";
}
void find_limits(const ConditionWorld& world, Complaints& complaints) {
  if (world.manager().sl && !world.has(routing::kRoutingConditions.routing_limit) &&
      has_credit_loop(world))
    complain(complaints, "a credit loop is possible");
}

std::string false_adoption(const ConditionWorld& world, const fabric::Condition&) {
  const auto& balance = world.manager().balance;
  return balance && balance->entries_differ == 0 && !routes_absent_lids(world)
             ? "the tables are those of a routing from nothing"
             : "";
}
std::string false_imbalance(const ConditionWorld& world, const fabric::Condition&) {
  const auto& balance = world.manager().balance;
  return balance && balance->is_even && !routes_absent_lids(world)
             ? "links have the load that a routing from nothing gives them"
             : "";
}

// ---- Multicast

std::string false_multicast_cap(const ConditionWorld& world, const fabric::Condition& condition) {
  return of_some_node(world, condition, "its multicast table is large enough", [&](NodeIndex node) {
    const NodeModel& of = world.model().nodes[node];
    return of.is_switch() && of.sw->info.multicast_fdb_cap() < kMulticastCapEnough;
  });
}
std::string false_division(const ConditionWorld& world, const fabric::Condition&) {
  const bool some_small = std::ranges::any_of(world.model().nodes, [](const NodeModel& node) {
    return node.is_switch() && node.sw->info.multicast_fdb_cap() < kMulticastCapEnough;
  });
  return some_small ? "" : "all reachable switches are connected, and have large tables";
}

/// Ports by which the switch forwards packets to this MLID.
template <class Each>
static void for_each_mft_port(const Model& model, NodeIndex node, std::size_t mlid, Each each) {
  constexpr unsigned kPositionPorts = 16;
  const auto& mft = model.nodes[node].sw->mft;
  for (std::size_t position = 0; position < mft.size(); ++position) {
    const unsigned mask = mlid < mft[position].size() ? mft[position][mlid] : 0u;
    for (unsigned bit = 0; bit < kPositionPorts; ++bit)
      if ((mask >> bit & 1u) != 0) each(static_cast<unsigned>(position) * kPositionPorts + bit);
  }
}
/// Reads 0x1 from "multicast group 0xc001".
static std::optional<std::size_t> mlid_named(const fabric::Condition& condition) {
  constexpr std::string_view kGroup = "multicast group 0x";
  const std::size_t at = condition.text.find(kGroup);
  if (at == std::string::npos) return std::nullopt;
  const std::string_view digits = std::string_view(condition.text).substr(at + kGroup.size());
  unsigned mlid = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), mlid, 16);
  if (error != std::errc() || mlid < mad::kMlidMin.value) return std::nullopt;
  return mlid - mad::kMlidMin.value;
}
/// Whether a packet goes down and up depends on what the engine takes for up. No packet does so in
/// a tree of two switches.
std::string false_turn(const ConditionWorld& world, const fabric::Condition& condition) {
  const auto mlid = mlid_named(condition);
  if (!mlid) return "it names no group";
  std::size_t switches = 0;
  for (const NodeIndex node : world.model().nodes.indices()) {
    if (!world.reach()[node] || !world.model().nodes[node].is_switch()) continue;
    bool forwards = false;
    for_each_mft_port(world.model(), node, *mlid, [&](unsigned) { forwards = true; });
    if (forwards) ++switches;
  }
  return switches < 3 ? "its tree has fewer than three switches" : "";
}

std::string false_shared_loop(const ConditionWorld& world, const fabric::Condition&) {
  if (!world.manager().sl || routes_absent_lids(world)) return "";
  const Complaints loops = check_credit_loops(world.model(), world.reach(), Traffic::between_hosts,
                                              world.manager().sl, Multicast::on_any_vl);
  return loops.empty() ? "no credit loop is possible, whatever service level groups have" : "";
}

/// The links of all groups are one tree, or several without a link between them.
std::string false_shared_tree(const ConditionWorld& world, const fabric::Condition&) {
  const Model& model = world.model();
  std::size_t mlids = 0;
  for (const NodeModel& node : model.nodes) {
    if (!node.is_switch()) continue;
    for (const auto& masks : node.sw->mft) mlids = std::max(mlids, masks.size());
  }
  const auto& with_trees = world.manager().mlids;
  const auto has_tree = [&](std::size_t mlid) {
    const auto value = static_cast<std::uint16_t>(mad::kMlidMin.value + mlid);
    return !with_trees || with_trees->contains(mad::Mlid{value});
  };
  std::set<std::pair<PortIndex, PortIndex>> links;
  for (const NodeIndex node : model.nodes.indices()) {
    if (!world.reach()[node] || !model.nodes[node].is_switch()) continue;
    for (std::size_t mlid = 0; mlid < mlids; ++mlid) {
      if (!has_tree(mlid)) continue;
      for_each_mft_port(model, node, mlid, [&](unsigned number) {
        const PortIndex out = model.port(node, number);
        if (out == kNone || number == 0 || !world.is_linked(out) ||
            !model.owning_node(model.ports[out].peer).is_switch())
          return;
        links.insert(std::minmax(out, model.ports[out].peer));
      });
    }
  }
  std::map<NodeIndex, NodeIndex> parents;
  const auto root = [&](NodeIndex node) {
    while (parents.contains(node)) node = parents.at(node);
    return node;
  };
  for (const auto& [here, there] : links) {
    const NodeIndex a = root(model.ports[here].node), b = root(model.ports[there].node);
    if (a == b) return "the links of all groups are no tree";
    parents[a] = b;
  }
  return "";
}

/// The service level of the group is not in the world: some table drops some service level.
std::string false_drop(const ConditionWorld& world, const fabric::Condition&) {
  const auto drops = [](const SlToVl& table) {
    return std::ranges::any_of(
        table, [](std::uint8_t byte) { return (byte & 0xF) == 0xF || byte >> 4 == 0xF; });
  };
  const Model& model = world.model();
  for (const NodeIndex node : model.nodes.indices()) {
    if (!world.reach()[node]) continue;
    if (model.nodes[node].is_switch() && std::ranges::any_of(model.nodes[node].sw->sl_to_vl, drops))
      return "";
    for (unsigned number = 0; number <= model.nodes[node].port_count(); ++number)
      if (const auto& extras = model.ports[model.nodes[node].first_port + number].extras;
          extras && drops(extras->sl_to_vl))
        return "";
  }
  return "no table maps a service level to VL 15";
}

}  // namespace sim::truth
