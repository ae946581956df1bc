#include "support/check/checks.h"

#include <algorithm>
#include <unordered_map>

#include "mad/attributes/virtualization.h"
#include "mad/format.h"
#include "sim/world/all_choices.h"
#include "sim/world/ca_vports.h"
#include "sim/world/world.h"
#include "support/check/ports.h"

namespace sim {

std::vector<mad::Lid> lid_range(const Model& model, PortIndex port) {
  const PortModel& of = model.ports[port];
  std::vector<mad::Lid> lids;
  if (is_unicast(of.info.lid())) {
    for (unsigned lid = of.info.lid().value; lid < of.info.lid().value + (1u << of.info.lmc());
         ++lid)
      lids.push_back({static_cast<std::uint16_t>(lid)});
  }
  if (!has_vports(of)) return lids;
  for (const auto& [index, vport] : of.extras->vports) {
    const mad::VPortInfo info{std::span(vport.info)};
    if (info.lid_required() && is_unicast(info.vport_lid()) &&
        info.vport_state() == mad::PortState::active)
      lids.push_back(info.vport_lid());
  }
  return lids;
}

std::vector<bool> reachable(const Model& model, PortIndex from) {
  std::vector<bool> seen(model.nodes.size());
  const NodeIndex start = model.ports[from].node;
  if (!model.alive(start)) return seen;
  std::vector<NodeIndex> queue{start};
  seen[start] = true;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const NodeModel& node = model.nodes[queue[next]];
    for (unsigned number = 1; number <= node.port_count(); ++number) {
      const PortIndex out = node.first_port + number;
      if (!node.is_switch() && out != from) continue;  // CAs do not forward
      if (!model.link_up(out)) continue;
      const NodeIndex far = model.ports[model.ports[out].peer].node;
      if (seen[far] || !model.alive(far)) continue;
      seen[far] = true;
      queue.push_back(far);
    }
  }
  return seen;
}

Complaints check_links(const Model& model, const std::vector<bool>& reach) {
  Complaints complaints;
  for (const PortIndex port : model.ports.indices()) {
    const PortModel& here = model.ports[port];
    if (here.peer == kNone || here.peer == port || !reach[here.node] ||
        !reach[model.ports[here.peer].node] || here.node == model.ports[here.peer].node)
      continue;
    if (here.info.port_state() != mad::PortState::active)
      complain(complaints,
               fmt::format("{} is {}", model.name(port), mad::name(here.info.port_state())));
  }
  return complaints;
}

Complaints check_lids(const Model& model, const std::vector<bool>& reach) {
  Complaints complaints;
  std::unordered_map<std::uint16_t, PortIndex> owners;
  for_each_end_port(model, reach, [&](PortIndex port) {
    if (!is_unicast(model.ports[port].info.lid()))
      complain(complaints, model.name(port) + " has no LID");
    for (const mad::Lid lid : lid_range(model, port)) {
      const auto [owner, fresh] = owners.emplace(lid.value, port);
      if (!fresh)
        complain(complaints, fmt::format("LID {} belongs to {} and to {}", lid,
                                         model.name(owner->second), model.name(port)));
    }
  });
  return complaints;
}

/// Follows the tables of switches; a switch that is known to lead to the LID is not followed again.
Complaints check_paths(const Model& model, const std::vector<bool>& reach,
                       bool switch_lids_may_be_withheld) {
  Complaints complaints;
  constexpr std::uint32_t kNoLid = 0xFFFFFFFFu;
  fabric::IndexVector<NodeIndex, std::uint32_t> good(
      model.nodes.size(), kNoLid);  // by switch: the latest LID that is known to arrive
  std::vector<NodeIndex> path;
  for_each_end_port(model, reach, [&](PortIndex owner) {
    for (const mad::Lid lid : lid_range(model, owner)) {
      for (const NodeIndex start : model.nodes.indices()) {
        if (!reach[start] || !model.nodes[start].is_switch()) continue;
        path.clear();
        NodeIndex here = start;
        for (;;) {
          if (good[here] == lid.value) break;
          const NodeModel& node = model.nodes[here];
          const auto lost = [&](std::string_view why) {
            complain(complaints,
                     fmt::format("from {} to LID {} ({}): {} at {}", model.nodes[start].description,
                                 lid, model.name(owner), why, node.description));
          };
          path.push_back(here);
          if (path.size() > model.nodes.size()) return lost("forwarding loop");
          if (lid.value > node.sw->info.linear_fdb_top()) return lost("above LinearFDBTop");
          const Exits exits = find_exits(model, node, {.dlid = lid, .management = true});
          const unsigned number = exits.empty() ? mad::kNoPort.value : exits.ports().front();
          if (number == 0) {
            if (node.first_port != owner) return lost("delivered to another switch");
            break;
          }
          if (number == mad::kNoPort.value && switch_lids_may_be_withheld &&
              model.owning_node(owner).is_switch())
            break;
          if (number > node.port_count()) return lost("no port");
          const PortIndex out = node.first_port + number;
          if (!model.link_up(out) || !model.alive(model.ports[model.ports[out].peer].node))
            return lost(fmt::format("port {} has no link", number));
          const PortIndex in = model.ports[out].peer;
          if (!model.owning_node(in).is_switch()) {
            if (in != owner) return lost("delivered to " + model.name(in));
            break;
          }
          here = model.ports[in].node;
        }
        for (const NodeIndex passed : path) good[passed] = lid.value;
      }
    }
  });
  return complaints;
}

Complaints check_choices(const Model& model, const std::vector<bool>& reach,
                         bool switch_lids_may_be_withheld, std::uint16_t sls, Transport transport) {
  Complaints complaints;
  const auto check = [&](mad::Lid lid, PortIndex owner, std::uint8_t sl) {
    AllChoices choices(model, {.dlid = lid, .sl = {sl}, .transport = transport});
    for_each_end_port(model, reach, [&](PortIndex from) {
      const Reach found = choices.walk(from);
      const bool is_withheld = found.drop == Drop::no_route && switch_lids_may_be_withheld &&
                               model.owning_node(owner).is_switch();
      const bool is_for_key = found.drop == Drop::p_key_in || found.drop == Drop::p_key_out ||
                              found.drop == Drop::p_key_end || found.drop == Drop::p_key_start;
      if (is_withheld || is_for_key || (found.delivered() && found.end == owner)) return;
      std::string path = model.name(from);
      for (const Hop& hop : found.path) path += ", " + model.name(hop.in);
      complain(
          complaints,
          fmt::format("a packet with SL {} may go from {} to LID {} ({}) by {}, and is: {}, {}", sl,
                      model.name(from), lid, model.name(owner), path, name(found.drop),
                      model.name(found.end)));
    });
  };
  for_each_end_port(model, reach, [&](PortIndex owner) {
    for (const mad::Lid lid : lid_range(model, owner))
      for (std::uint8_t sl = 0; sl < 16; ++sl)
        if ((sls >> sl & 1u) != 0) check(lid, owner, sl);
  });
  return complaints;
}

Complaints check_multicast(const Model& model, std::span<const ExpectedGroup> groups) {
  Complaints complaints;
  for (const ExpectedGroup& group : groups) {
    for (const PortIndex sender : group.members) {
      const Copies copies = walk_multicast(
          model, sender,
          {.dlid = mad::Lid{group.mlid.value}, .sl = group.sl, .p_key = group.p_key});
      if (copies.forwarding_loop)
        complain(complaints, fmt::format("MLID {}: forwarding loop of a packet from {}", group.mlid,
                                         model.name(sender)));
      std::map<PortIndex, unsigned> got;
      for (const PortIndex port : copies.delivered) ++got[port];
      for (const PortIndex member : group.members) {
        const unsigned count = got.contains(member) ? got[member] : 0;
        if (member != sender && count != 1) {
          complain(complaints,
                   fmt::format("MLID {}: {} gets {} copies of a packet of {}", group.mlid,
                               model.name(member), count, model.name(sender)));
        }
      }
      for (const auto& [port, count] : got) {
        if (!group.members.contains(port))
          complain(complaints, fmt::format("MLID {}: {} is no member and gets a packet of {}",
                                           group.mlid, model.name(port), model.name(sender)));
        if (port == sender)
          complain(complaints, fmt::format("MLID {}: {} gets its own packet back", group.mlid,
                                           model.name(sender)));
      }
    }
  }
  return complaints;
}

Complaints check_master(const Model& model, const std::vector<bool>& reach, PortIndex master) {
  Complaints complaints;
  std::map<std::uint16_t, PortIndex> masters;  // LID, and a port that names it
  for_each_end_port(model, reach, [&](PortIndex port) {
    const mad::Lid lid = model.ports[port].info.master_sm_lid();
    if (!is_unicast(lid)) {
      complain(complaints, fmt::format("{} has MasterSMLID {}: no master", model.name(port), lid));
      return;
    }
    masters.emplace(lid.value, port);
    if (master != kNone && !holds(model.ports[master].info, lid))
      complain(complaints,
               fmt::format("{} has MasterSMLID {}, and the master {} has LID {}", model.name(port),
                           lid, model.name(master), model.ports[master].info.lid()));
  });
  if (masters.size() > 1) {
    complain(complaints,
             fmt::format("{} has MasterSMLID {}, {} has MasterSMLID {}",
                         model.name(masters.begin()->second), masters.begin()->first,
                         model.name(masters.rbegin()->second), masters.rbegin()->first));
  }
  for (const auto& [lid, reporter] : masters) {
    PortIndex owner = kNone;
    for_each_end_port(model, reach, [&](PortIndex port) {
      if (holds(model.ports[port].info, {lid})) owner = port;
    });
    if (owner == kNone)
      complain(complaints,
               fmt::format("{} has MasterSMLID {}, which no port has", model.name(reporter), lid));
    else if ((model.ports[owner].info.capability_mask() & mad::capability::kIsSm) == 0)
      complain(complaints, fmt::format("{} has MasterSMLID {}: {} runs no subnet manager",
                                       model.name(reporter), lid, model.name(owner)));
  }
  return complaints;
}

Complaints check_subnet(const Model& model, PortIndex from, const Expected& expected) {
  const std::vector<bool> reach = reachable(model, from);
  Complaints all;
  const auto add = [&](std::string_view check, const Complaints& some) {
    for (const std::string& each : some) all.push_back(fmt::format("{}: {}", check, each));
  };
  add("link", check_links(model, reach));
  add("LID", check_lids(model, reach));
  add("LMC", check_lmcs(model, reach, expected));
  add("M_Key", check_m_keys(model, reach, expected));
  add("GidPrefix", check_gid_prefixes(model, reach, expected));
  add("MTU", check_mtus(model, reach, expected));
  add("OperationalVLs", check_operational_vls(model, reach, expected));
  add("SL2VL", check_sl_to_vl(model, reach, expected));
  add("P_Key", check_p_keys(model, expected.p_keys));
  add("enforcement", check_enforcement(model, reach, expected));
  add("path", check_paths(model, reach, expected.switch_lids_may_be_withheld));
  if (std::ranges::any_of(model.nodes, [](const NodeModel& node) {
        return node.is_switch() && node.sw->adaptive && node.sw->adaptive->was_enabled;
      }))
    add("choice", check_choices(model, reach, expected.switch_lids_may_be_withheld));
  add("master", check_master(model, reach, expected.master));
  add("multicast", check_multicast(model, expected.groups));
  if (expected.vports_enabled) add("vport", check_vports(model, reach, expected));
  return all;
}

std::string first_complaint(const Complaints& complaints) {
  return complaints.empty() ? std::string() : complaints.front();
}

}  // namespace sim
