// Virtual ports: states, LIDs, P_Keys, multicast.

#include <algorithm>
#include <map>

#include <fmt/ranges.h>

#include "mad/format.h"
#include "sim/world/ca_vports.h"
#include "sim/world/forwarding.h"
#include "sim/world/world.h"
#include "support/check/checks.h"
#include "support/check/ports.h"

namespace sim {
namespace {

using mad::PortState;

/// Vports that are there and of nodes that the manager reaches.
template <class Each>
void for_each_vport(const Model& model, const std::vector<bool>& reach, Each each) {
  for_each_end_port(model, reach, [&](PortIndex port) {
    if (!has_vports(model.ports[port])) return;
    for (const auto& [index, vport] : model.ports[port].extras->vports)
      each(VPortPlace{port, index}, vport);
  });
}

std::string subject(const Model& model, VPortPlace place) {
  return fmt::format("{} vport {}", model.name(place.port), place.index);
}

mad::Guid find_guid(const Model& model, VPortPlace place) {
  return vport_gid(model.ports[place.port], place.index).guid;
}

void check_enabled(const Model& model, const std::vector<bool>& reach, bool wanted,
                   Complaints& complaints) {
  for_each_end_port(model, reach, [&](PortIndex port) {
    const mad::VirtualizationInfo info = virtualization_info(model.ports[port]);
    if (info.vport_cap() == 0) return;
    if (info.virtualization_enable() != wanted)
      complain(complaints, fmt::format("{} has VirtualizationEnable {:d}, not {:d}",
                                       model.name(port), info.virtualization_enable(), wanted));
    if (info.vport_state_change() && wanted)
      complain(complaints, fmt::format("{} has VPortStateChange", model.name(port)));
  });
}

void check_states(const Model& model, const std::vector<bool>& reach, const Expected& expected,
                  Complaints& complaints) {
  std::map<mad::Guid, VPortPlace> active;
  for_each_vport(model, reach, [&](VPortPlace place, const VPort&) {
    const PortState state = vport_state(model.ports[place.port], place.index);
    const mad::Guid guid = find_guid(model, place);
    if (state == PortState::active) {
      const auto [other, fresh] = active.emplace(guid, place);
      if (!fresh)
        complain(complaints,
                 fmt::format("{} and {} are Active with GUID {}", subject(model, other->second),
                             subject(model, place), guid));
    }
  });
  for_each_vport(model, reach, [&](VPortPlace place, const VPort&) {
    const PortState state = vport_state(model.ports[place.port], place.index);
    const mad::Guid guid = find_guid(model, place);
    // If two vports have one GUID, only one of them may be served.
    if (state != PortState::active && state != PortState::down && !active.contains(guid) &&
        !expected.vports_left_alone.contains(guid))
      complain(complaints, fmt::format("{} is {}", subject(model, place), mad::name(state)));
  });
}

void check_own_lids(const Model& model, const std::vector<bool>& reach, Complaints& complaints) {
  for_each_vport(model, reach, [&](VPortPlace place, const VPort& vport) {
    const mad::VPortInfo info = vport_info(vport);
    if (place.index == 0 || !info.lid_required() || info.vport_state() != PortState::active) return;
    const mad::Lid lid = info.vport_lid(), base = model.ports[place.port].info.lid();
    if (!is_unicast(lid)) {
      complain(complaints, subject(model, place) + " has no LID");
      return;
    }
    for (const NodeModel& node : model.nodes) {
      if (!node.is_switch() || !reach[NodeIndex(&node - &model.nodes.front())]) continue;
      const auto out = [&](mad::Lid to) {
        const Exits exits = find_exits(model, node, {.dlid = to, .management = true});
        return exits.empty() ? mad::kNoPort.value : exits.ports().front();
      };
      if (out(lid) != out(base))
        complain(complaints, fmt::format("{} forwards LID {} of {} to port {}, and LID {} of the "
                                         "port to port {}",
                                         node.description, lid, subject(model, place), out(lid),
                                         base, out(base)));
    }
  });
}

void check_keys(const Model& model, const std::vector<bool>& reach, const Expected& expected,
                Complaints& complaints) {
  for_each_vport(model, reach, [&](VPortPlace place, const VPort&) {
    const auto keys = expected.p_keys.find(find_guid(model, place));
    if (keys == expected.p_keys.end() ||
        vport_state(model.ports[place.port], place.index) != PortState::active)
      return;
    std::set<std::uint16_t> has;
    for (unsigned block = 0; block < vport_p_key_blocks(model, place.port, place.index); ++block) {
      const mad::PKeyTable table = vport_p_keys(model, place.port, place.index, block);
      for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry)
        if (table.p_key(entry) != mad::PKey{}) has.insert(table.p_key(entry).value);
    }
    if (has != keys->second)
      complain(complaints, fmt::format("{} has P_Keys {:#06x}, not {:#06x}", subject(model, place),
                                       fmt::join(has, " "), fmt::join(keys->second, " ")));
  });
}

}  // namespace

Complaints check_vports(const Model& model, const std::vector<bool>& reach,
                        const Expected& expected) {
  Complaints complaints;
  check_enabled(model, reach, expected.vports_enabled.value_or(true), complaints);
  check_states(model, reach, expected, complaints);
  check_own_lids(model, reach, complaints);
  check_keys(model, reach, expected, complaints);
  return complaints;
}

Complaints check_vport_multicast(const Model& model, std::span<const ExpectedVPortGroup> groups) {
  Complaints complaints;
  for (const ExpectedVPortGroup& group : groups) {
    std::set<PortIndex> ports;
    for (const VPortPlace& member : group.members) ports.insert(member.port);
    for (const VPortPlace& sender : group.members) {
      const Copies copies = walk_multicast(model, sender.port,
                                           {.dlid = mad::Lid{group.mlid.value},
                                            .sl = group.sl,
                                            .p_key = group.p_key,
                                            .from_vport = sender.index});
      const auto wrong = [&](VPortPlace at, std::string_view what) {
        complain(complaints, fmt::format("MLID {}: {} {} of {}", group.mlid, subject(model, at),
                                         what, subject(model, sender)));
      };
      if (copies.forwarding_loop) wrong(sender, "starts a forwarding loop with a packet");
      for (const VPortPlace& member : group.members) {
        if (member == sender) continue;
        const auto at_port = std::ranges::count(copies.delivered, member.port);
        const bool to_vport =
            std::ranges::find(copies.vports, std::pair(member.port, member.index)) !=
            copies.vports.end();
        // Functions of one host get their packets from each other inside of it.
        const bool arrives = member.port == sender.port || at_port == 1;
        if (!arrives || (member.index != 0 && !to_vport)) wrong(member, "gets no packet");
        if (at_port > 1) wrong(member, "gets several copies of a packet");
      }
      for (const PortIndex port : copies.delivered)
        if (!ports.contains(port)) wrong({port, 0}, "has no member and gets a packet");
    }
  }
  return complaints;
}

}  // namespace sim
