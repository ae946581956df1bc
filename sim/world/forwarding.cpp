#include "sim/world/forwarding.h"

#include <algorithm>
#include <unordered_set>

#include "sim/world/ca_vports.h"

namespace sim {
namespace {

bool is_multicast(mad::Lid lid) {
  return lid.value >= mad::kMlidMin.value && lid.value <= mad::kMlidMax.value;
}

/// True if the switch drops the MLID: it is above MulticastFDBTop (IBTA Vol 1, 14.2.5.4).
bool is_above_top(const Model& model, const NodeModel& sw, mad::Lid mlid) {
  const bool has_top =
      (model.ports[sw.first_port].info.capability_mask() & mad::capability::kMulticastFdbTop) != 0;
  return has_top && mlid.value > sw.sw->info.multicast_fdb_top();
}

/// A data packet leaves through `out` only if the port is Active, and is taken in by one that is
/// Armed or Active (IBTA Vol 1, 7.2.7).
Drop crossing(const Model& model, PortIndex out, bool management) {
  const PortModel& port = model.ports[out];
  if (!model.link_up(out)) return Drop::no_link;
  const PortModel& far = model.ports[port.peer];
  if (!model.alive(far.node)) return Drop::dead_node;
  if (management) return Drop::none;
  if (port.info.port_state() != mad::PortState::active) return Drop::not_active;
  const mad::PortState state = far.info.port_state();
  return state == mad::PortState::active || state == mad::PortState::armed ? Drop::none
                                                                           : Drop::not_active;
}

struct Relay {
  Drop drop = Drop::none;
  mad::Vl vl;
};

/// Relays a packet that came in at port `in` of a switch (0: from its own management port) to
/// `out`.
Relay relay(const Model& model, const NodeModel& sw, unsigned in, unsigned out,
            const PacketHeader& packet) {
  if (packet.management) return {Drop::none, mad::Vl{15}};
  const PortIndex in_port = sw.first_port + in, out_port = sw.first_port + out;
  if (in != 0 && model.ports[in_port].info.partition_enforcement_inbound() &&
      !model.holds_partition(in_port, packet.p_key))
    return {Drop::p_key_in, {}};
  if (out != 0 && model.ports[out_port].info.partition_enforcement_outbound() &&
      !model.holds_partition(out_port, packet.p_key)) {
    return {Drop::p_key_out, {}};
  }
  if (out == 0) return {};
  const mad::Vl vl = model.vl(sw, in, out, packet.sl);
  const unsigned vls = std::max(1u, mad::data_vls(model.ports[out_port].info.operational_vls()));
  return {vl.value < vls ? Drop::none : Drop::vl, vl};
}

Relay send_from_end(const Model& model, PortIndex from, const PacketHeader& packet) {
  if (packet.management) return {Drop::none, mad::Vl{15}};
  const unsigned vls = std::max(1u, mad::data_vls(model.ports[from].info.operational_vls()));
  const mad::Vl vl = end_port_vl(model, from, packet.sl);
  return {vl.value < vls ? Drop::none : Drop::vl, vl};
}

struct Owner {
  bool owns = false;
  std::optional<std::uint16_t> vport;
};

/// Returns whether the end port takes unicast packets to this LID, for itself or for one of its
/// virtual ports.
Owner owner(const Model& model, PortIndex port, mad::Lid lid) {
  const PortModel& of = model.ports[port];
  if (lid == mad::kPermissiveLid || holds(of.info, lid)) return {true, std::nullopt};
  if (has_vports(of)) {
    for (const auto& [index, vport] : of.extras->vports) {
      const mad::VPortInfo info = vport_info(vport);
      // A vport that is Down has no LID, like a port that is Down, whatever was set before.
      if (info.lid_required() && info.vport_lid() == lid &&
          info.vport_state() != mad::PortState::down)
        return {true, index};
    }
  }
  return {};
}

bool holds_alias(const std::vector<mad::Guid>& aliases, mad::Guid guid) {
  return aliases.size() > 1 && std::find(aliases.begin() + 1, aliases.end(), guid) != aliases.end();
}

/// The owner of a GID: the port itself (no index), a virtual port, or no owner.
struct GidOwner {
  bool known = false;
  std::optional<std::uint16_t> vport;
};
GidOwner owner_of_gid(const PortModel& port, const mad::Gid& gid) {
  if (gid.guid == port.guid || gid.guid == kSaWellKnownGuid ||
      (port.extras && holds_alias(port.extras->alias_guids, gid.guid)))
    return {true, std::nullopt};
  if (!has_vports(port)) return {};
  for (const auto& [index, vport] : port.extras->vports) {
    if (vport_info(vport).port_guid() == gid.guid || holds_alias(vport.alias_guids, gid.guid))
      return {true, index};
  }
  return {};
}

/// Virtual ports, like ports, take packets in the states Armed and Active. The physical function
/// has the state of vport 0.
bool takes_data(const PortModel& port, std::uint16_t vport) {
  if (vport == 0 && (!has_vports(port) || !find_vport(port, 0))) return true;
  const mad::PortState state = vport_state(port, vport);
  return state == mad::PortState::armed || state == mad::PortState::active;
}

/// True if the keys of the virtual port, or of the port itself, allow the packet.
bool end_takes(const Model& model, PortIndex port, std::uint16_t vport, mad::PKey key) {
  if (vport == 0 && !has_vports(model.ports[port])) return model.takes_p_key(port, key);
  return vport_takes_p_key(model, port, vport, key);
}

/// A vport sends while it is Active, with keys of its table. The physical function's keys are not
/// checked: packets of tests and tools name keys that the port's table does not have.
Drop leave(const Model& model, PortIndex port, const PacketHeader& packet) {
  if (packet.management) return Drop::none;
  const PortModel& of = model.ports[port];
  if (packet.from_vport != 0 && !find_vport(of, packet.from_vport)) return Drop::no_vport;
  if (!takes_data(of, packet.from_vport)) return Drop::not_active;
  return packet.from_vport == 0 || vport_holds_p_key(model, port, packet.from_vport, packet.p_key)
             ? Drop::none
             : Drop::p_key_start;
}

void arrive(const Model& model, Walk& walk, PortIndex port, const PacketHeader& packet) {
  walk.end = port;
  const Owner end = owner(model, port, packet.dlid);
  if (!end.owns) {
    walk.drop = Drop::wrong_end;
    return;
  }
  walk.vport = end.vport;
  const PortModel& of = model.ports[port];
  if (packet.dgid) {  // it must be a GID of an owner of the LID
    const GidOwner gid_owner = owner_of_gid(of, *packet.dgid);
    const auto find_lid = gid_owner.vport ? lid_owner(*of.extras, *gid_owner.vport) : std::nullopt;
    walk.is_routed =
        !gid_owner.known && model.owning_node(port).info.node_type() == mad::NodeType::router;
    if (!walk.is_routed &&
        (!gid_owner.known || (packet.dlid != mad::kPermissiveLid && find_lid != end.vport))) {
      walk.drop = Drop::no_vport;
      return;
    }
    walk.vport = gid_owner.vport;
  }
  if (packet.management) return;
  const std::uint16_t vport = walk.vport.value_or(0);
  walk.drop = !takes_data(of, vport)                         ? Drop::not_active
              : !end_takes(model, port, vport, packet.p_key) ? Drop::p_key_end
                                                             : Drop::none;
}

}  // namespace

std::string_view name(Drop drop) {
  switch (drop) {
    case Drop::none:
      return "delivered";
    case Drop::no_link:
      return "the output port has no link";
    case Drop::not_active:
      return "the link is not Active";
    case Drop::no_route:
      return "no route to the LID";
    case Drop::wrong_end:
      return "delivered to a port that does not own the LID";
    case Drop::p_key_in:
      return "P_Key not in the table of the input port";
    case Drop::p_key_out:
      return "P_Key not in the table of the output port";
    case Drop::p_key_end:
      return "P_Key not in the table of the destination";
    case Drop::p_key_start:
      return "P_Key not in the table of the sending vport";
    case Drop::vl:
      return "the SL has no VL there";
    case Drop::too_long:
      return "forwarding loop";
    case Drop::dead_node:
      return "the next node does not run";
    case Drop::lost:
      return "lost by the link";
    case Drop::no_vport:
      return "no virtual port has the GID";
    case Drop::no_member:
      return "no port of the group can be used";
    case Drop::hop_limit:
      return "the hop limit is used up";
    case Drop::no_subnet:
      return "the router has no way to the subnet";
    case Drop::no_such_gid:
      return "no end port of the subnet has the GID";
  }
  return "";
}

mad::Vl end_port_vl(const Model& model, PortIndex port, mad::Sl sl) {
  const PortModel& of = model.ports[port];
  if (!of.extras || !of.extras->sl_to_vl_written) {
    const unsigned vls = std::max(1u, mad::data_vls(of.info.operational_vls()));
    return {static_cast<std::uint8_t>(sl.value % vls)};
  }
  const std::uint8_t pair = of.extras->sl_to_vl[sl.value / 2u];
  return {static_cast<std::uint8_t>(sl.value % 2 == 0 ? pair >> 4 : pair & 0xFu)};
}

// ------------------------------------------------------------------------------------------
// single steps

namespace {

/// A switch uses a port by its own state, regardless of the other end's state.
bool is_usable(const Model& model, const NodeModel& node, unsigned number) {
  if (number == 0) return true;
  if (number > node.port_count()) return false;
  const PortIndex port = node.first_port + number;
  return model.link_up(port) && model.ports[port].info.port_state() == mad::PortState::active;
}

bool is_adaptive(const mad::AdaptiveRoutingInfo& info, const PacketHeader& packet) {
  return info.enable() &&
         (!info.by_sl_en() || (info.enable_by_sl_mask() >> packet.sl.value & 1u) != 0) &&
         (info.by_transport_disable() & static_cast<unsigned>(packet.transport)) == 0;
}

/// Returns the exits of an entry of the ARLFT. With fast recovery, a member of the group replaces a
/// static port that cannot be used, or behind which the neighbour has lost its paths.
Exits exits_by(const Model& model, const NodeModel& node, const ArEntries::Entry& entry,
               const PacketHeader& packet) {
  const ArSwitch& ar = *node.sw->adaptive;
  Exits exits;
  if (!packet.management && entry.state != mad::ArLidState::static_ &&
      is_adaptive(ar.info, packet)) {
    exits = find_members(model, node, entry.group);
    exits.drop = exits.empty() ? Drop::no_member : Drop::none;
    return exits;
  }
  const std::uint8_t port = entry.static_port.value;
  const bool recovers = !packet.management && ar.info.fr_en() &&
                        (!is_usable(model, node, port) || ar.masks.contains({entry.group, port}));
  if (recovers) exits = find_members(model, node, entry.group);
  if (!exits.empty()) return exits;
  if (port > node.port_count()) {
    exits.drop = Drop::no_route;
  } else {
    exits.add(port);
  }
  return exits;
}

}  // namespace

Exits find_members(const Model& model, const NodeModel& node, std::uint16_t group) {
  const ArSwitch& ar = *node.sw->adaptive;
  Exits members;
  for (unsigned sub = 0; members.empty() && sub < ar.sub_groups(); ++sub)
    ar.for_each_member(group, sub, [&](std::uint8_t port) {
      if (is_usable(model, node, port)) members.add(port);
    });
  return members;
}

Exits find_exits(const Model& model, const NodeModel& node, const PacketHeader& packet) {
  const SwitchState& sw = *node.sw;
  const unsigned lid = packet.dlid.value;
  Exits exits;
  exits.drop = Drop::no_route;
  if (lid > sw.info.linear_fdb_top() || lid >= sw.lft.size()) return exits;
  if (sw.adaptive) {
    if (const auto entry = sw.adaptive->entry_in_use(lid))
      return exits_by(model, node, *entry, packet);
  }
  if (sw.lft[lid] > node.port_count()) return exits;
  exits.drop = Drop::none;
  exits.add(sw.lft[lid]);
  return exits;
}

std::optional<Passage> begin_at(const Model& model, PortIndex from, const PacketHeader& packet) {
  Passage passage{.ended = true, .end = {.drop = Drop::dead_node, .end = from, .vport = {}}};
  Walk& end = passage.end;
  if (!model.alive(model.ports[from].node)) return passage;
  end.drop = leave(model, from, packet);
  if (end.drop != Drop::none) return passage;
  if (owner(model, from, packet.dlid).owns) {  // loopback: never leaves the port
    arrive(model, end, from, packet);
    return passage;
  }
  if (model.owning_node(from).is_switch()) return std::nullopt;
  const Relay step = send_from_end(model, from, packet);
  end.drop = step.drop == Drop::none ? crossing(model, from, packet.management) : step.drop;
  passage.ended = end.drop != Drop::none;
  if (!passage.ended) passage.hop = {from, model.ports[from].peer, step.vl};
  return passage;
}

Passage pass_switch(const Model& model, PortIndex here, unsigned number,
                    const PacketHeader& packet) {
  const NodeModel& node = model.owning_node(here);
  const PortIndex out = node.first_port + number;
  const Relay step = relay(model, node, model.ports[here].number, number, packet);
  Passage passage{
      .ended = true,
      .end = {.drop = step.drop, .end = step.drop == Drop::p_key_in ? here : out, .vport = {}}};
  if (step.drop != Drop::none) return passage;
  if (number == 0) {
    arrive(model, passage.end, out, packet);
    return passage;
  }
  passage.end.drop = crossing(model, out, packet.management);
  passage.ended = passage.end.drop != Drop::none;
  if (!passage.ended) passage.hop = {out, model.ports[out].peer, step.vl};
  return passage;
}

Walk end_at(const Model& model, PortIndex here, const PacketHeader& packet) {
  Walk walk;
  arrive(model, walk, here, packet);
  return walk;
}

// ------------------------------------------------------------------------------------------
// walks

Walk walk_unicast(const Model& model, PortIndex from, const PacketHeader& packet,
                  std::vector<Hop>* hops, const Choose& choose) {
  PortIndex here = from;  // later the port by which the packet entered a switch
  unsigned count = 0;
  const auto pass = [&](const Passage& passage) {
    if (passage.ended) return false;
    here = passage.hop.in;
    ++count;
    if (hops) hops->push_back(passage.hop);
    return true;
  };
  if (const auto begin = begin_at(model, from, packet); begin && !pass(*begin)) return begin->end;
  while (count < kHopsMax) {
    const NodeModel& node = model.owning_node(here);
    if (!node.is_switch()) return end_at(model, here, packet);
    const Exits exits = find_exits(model, node, packet);
    if (exits.empty()) return {.drop = exits.drop, .end = here, .vport = {}};
    const unsigned number = exits.ports().size() > 1 && choose
                                ? choose(model.ports[here].node, exits.ports())
                                : exits.ports().front();
    if (const Passage passage = pass_switch(model, here, number, packet); !pass(passage))
      return passage.end;
  }
  return {.drop = Drop::too_long, .end = here, .vport = {}};
}

Copies walk_multicast(const Model& model, PortIndex from, const PacketHeader& packet) {
  Copies copies;
  if (!is_multicast(packet.dlid) || !model.alive(model.ports[from].node)) return copies;
  std::unordered_set<PortIndex> crossed;  // output ports: a link in one direction
  std::vector<PortIndex> queue;           // ports by which copies entered a switch
  if (leave(model, from, packet) != Drop::none) return copies;
  const auto deliver_to_vports = [&](PortIndex port, std::uint16_t but) {
    if (!has_vports(model.ports[port])) return false;
    const std::size_t before = copies.vports.size();
    for (const std::uint16_t index : active_vports(model.ports[port]))
      if (index != 0 && index != but && vport_takes_p_key(model, port, index, packet.p_key))
        copies.vports.emplace_back(port, index);
    return copies.vports.size() > before;
  };
  deliver_to_vports(from, packet.from_vport);

  const auto pass = [&](PortIndex out, mad::Vl vl) {
    if (crossing(model, out, packet.management) != Drop::none) return;
    if (!crossed.insert(out).second) {
      copies.forwarding_loop = true;
      return;
    }
    const PortIndex in = model.ports[out].peer;
    copies.hops.push_back({out, in, vl});
    if (model.owning_node(in).is_switch()) {
      queue.push_back(in);
    } else {
      const bool to_vports = deliver_to_vports(in, 0);
      if (to_vports || packet.management ||
          (takes_data(model.ports[in], 0) && end_takes(model, in, 0, packet.p_key)))
        copies.delivered.push_back(in);
    }
  };

  if (model.owning_node(from).is_switch()) {
    queue.push_back(from);
  } else if (const Relay step = send_from_end(model, from, packet); step.drop == Drop::none) {
    pass(from, step.vl);
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const PortIndex here = queue[next];
    const NodeModel& node = model.owning_node(here);
    const unsigned in = model.ports[here].number, mlid = packet.dlid.value - mad::kMlidMin.value;
    if (is_above_top(model, node, packet.dlid)) continue;
    for (unsigned position = 0; position < node.sw->mft.size(); ++position) {
      const auto& masks = node.sw->mft[position];
      if (mlid >= masks.size()) continue;
      for (unsigned bit = 0; bit < 16; ++bit) {
        const unsigned out = position * 16 + bit;
        if ((masks[mlid] >> bit & 1u) == 0 || out > node.port_count() || out == in)
          continue;  // never out of the input port
        const Relay step = relay(model, node, in, out, packet);
        if (step.drop != Drop::none) continue;
        if (out == 0) {
          if (packet.management || model.takes_p_key(node.first_port, packet.p_key))
            copies.delivered.push_back(node.first_port);
        } else {
          pass(node.first_port + out, step.vl);
        }
      }
    }
  }
  return copies;
}

}  // namespace sim
