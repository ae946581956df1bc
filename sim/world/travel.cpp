// Delivery of MADs: by directed route or by LID, over links with faults, to agents and programs.

#include <algorithm>

#include "mad/attributes/congestion_control.h"
#include "mad/format.h"
#include "mad/transport.h"
#include "sim/world/agents/agents.h"
#include "sim/world/ca_vports.h"
#include "sim/world/named_counters.h"
#include "sim/world/world.h"

namespace sim {
namespace {

mad::SmpView as_smp(mad::MadBytes& bytes) {
  return mad::SmpView(std::span<std::uint8_t, mad::kMadSizeBytes>(bytes));
}
mad::ConstSmpView as_smp(const mad::MadBytes& bytes) {
  return mad::ConstSmpView(std::span<const std::uint8_t, mad::kMadSizeBytes>(bytes));
}
/// Returns the key, and the data up to the last byte that is not 0. It shows what a manager of
/// congestion control has written.
std::string congestion_text(mad::ConstMadView mad) {
  const auto data = mad::gmp_data(mad);
  const auto last = std::find_if(data.rbegin(), data.rend(), [](auto byte) { return byte != 0; });
  std::string text = fmt::format(
      ", CC_Key {:#x}, data ",
      mad::get_field<std::uint64_t, mad::CongestionControlHeaderFields, "CC_Key">(mad.bytes()));
  for (const std::uint8_t byte : data.first(static_cast<std::size_t>(data.rend() - last)))
    fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

bool is_keyed_class(mad::MgmtClass mgmt_class) {
  return mgmt_class == mad::MgmtClass::vendor_0a || mgmt_class == mad::MgmtClass::node_to_node;
}
std::string describe(mad::ConstMadView mad) {
  if (mad.mgmt_class() == mad::MgmtClass::congestion_control)
    return fmt::format("class {:#04x} {} {:#06x} {:#x}, transaction {:#x}{}",
                       static_cast<unsigned>(mad.mgmt_class()), mad::name(mad.method()),
                       static_cast<unsigned>(mad.attribute_id()), mad.attribute_modifier(),
                       mad.transaction_id(), congestion_text(mad));
  const std::string_view attribute = mad::name(mad.attribute_id());
  return fmt::format("class {:#04x} {} {} {:#x}, transaction {:#x}",
                     static_cast<unsigned>(mad.mgmt_class()), mad::name(mad.method()),
                     attribute.empty()
                         ? fmt::format("{:#06x}", static_cast<unsigned>(mad.attribute_id()))
                         : std::string(attribute),
                     mad.attribute_modifier(), mad.transaction_id());
}

}  // namespace

std::unique_ptr<Attachment> World::attach(PortIndex end_port, std::uint16_t vport) {
  const AttachmentIndex id = attachments_.next_index();
  std::unique_ptr<Attachment> attachment(new Attachment(*this, id, end_port, vport));
  attachments_.push_back(attachment.get());
  programs_[end_port].push_back(id);
  return attachment;
}

World::Slot World::take_slot() {
  if (free_.empty()) {
    slots_.emplace_back();
    return static_cast<Slot>(slots_.size() - 1);
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

/// Frees the MAD's slot.
void World::forget(Slot slot) {
  const Packet& packet = slots_[slot];
  if (packet.sender != kNone && attachments_[packet.sender])
    --attachments_[packet.sender]->in_flight_;
  free_.push_back(slot);
}

void World::tally(mad::ConstMadView mad) {
  if (!mad.is_smp() || mad.is_response()) return;
  if (mad.method() == mad::Method::get) ++smps.gets;
  if (mad.method() != mad::Method::set) return;
  ++smps.sets[mad.attribute_id()];
  smps.last_set = events_.now();
}

void World::send(Attachment& from, std::span<const std::uint8_t> bytes, const mad::MadAddress& to) {
  const Slot slot = take_slot();
  Packet& packet = slots_[slot];
  packet = Packet{};
  packet.size = bytes.size();
  std::ranges::copy(bytes, packet.bytes.begin());
  packet.from = from.port();
  packet.sender = from.id_;
  packet.from_vport = from.vport();
  packet.slid = vport_lid(model.ports[from.port()], from.vport());
  packet.dlid = to.lid;
  packet.sl = to.sl;
  if (!as_smp(packet.bytes).is_smp()) {
    packet.sqpn = 1;
    packet.dqpn = to.qpn != 0 ? to.qpn : 1;
    packet.qkey = to.qkey;
    packet.grh = to.grh;
    if (packet.grh) {
      packet.dgid = packet.grh->peer;
      packet.grh->peer = vport_gid(model.ports[from.port()], from.vport());
    }
    const unsigned block = to.pkey_index / mad::PKeyTable::kEntries;
    packet.p_key = block < vport_p_key_blocks(model, from.port(), from.vport())
                       ? vport_p_keys(model, from.port(), from.vport(), block)
                             .p_key(to.pkey_index % mad::PKeyTable::kEntries)
                       : mad::PKey{};
  }
  ++from.in_flight_;
  from.in_flight_max_ = std::max(from.in_flight_max_, from.in_flight_);
  ++statistics.mads_sent;
  tally(as_smp(packet.bytes));
  if (trace)
    log("{} sends {} to LID {}", model.name(packet.from), describe(as_smp(packet.bytes)),
        packet.dlid);
  launch(slot, {});
}

void World::send_routed(PortIndex from, Packet packet) {
  const Slot slot = take_slot();
  packet.from = from;
  packet.at = kNone;
  packet.sender = kNone;
  packet.from_vport = packet.to_vport = 0;
  packet.is_routed = false;
  slots_[slot] = packet;
  launch(slot, {});
}

/// Finds the route now, and schedules the arrival at its end.
void World::launch(Slot slot, mad::Duration delay) {
  const Route route = find_route(slots_[slot]);
  if (route.lost || route.end == kNone) {
    ++(route.lost ? statistics.mads_lost : statistics.mads_dropped);
    if (trace)
      log("{} from {}: {}", route.lost ? "lost" : "dropped", model.name(slots_[slot].from),
          describe(as_smp(slots_[slot].bytes)));
    forget(slot);
    return;
  }
  slots_[slot].at = route.end;
  slots_[slot].to_vport = route.vport;
  slots_[slot].is_routed = route.is_routed;
  if (route.corrupted) corrupt(slots_[slot]);
  if (route.cut_short) slots_[slot].size = random_.below(mad::kMadSizeBytes);
  if (route.duplicated) {
    const Slot copy = take_slot();
    slots_[copy] = slots_[slot];
    const AttachmentIndex sender = slots_[copy].sender;
    if (sender != kNone && attachments_[sender]) ++attachments_[sender]->in_flight_;
    events_.after(delay + route.latency + route.latency / 2, [this, copy] { deliver(copy); });
  }
  events_.after(delay + route.latency, [this, slot] { deliver(slot); });
}

// ------------------------------------------------------------------------------------------
// routes

bool World::pass_link(PortIndex out, Route& route) {
  const Wire& wire = model.wires[out];
  if (!wire.up || !model.alive(wire.far_node)) return false;
  const LinkQuality& quality = qualities[wire.quality];
  route.latency += quality.latency_min;
  if (quality.latency_max > quality.latency_min) {
    route.latency += mad::Duration(static_cast<mad::Duration::rep>(random_.below(
        static_cast<std::uint64_t>((quality.latency_max - quality.latency_min).count()) + 1)));
  }
  if (quality.faulty()) {
    route.lost |= random_.chance(quality.lost);
    route.duplicated |= random_.chance(quality.duplicated);
    route.corrupted |= random_.chance(quality.corrupted);
    route.cut_short |= random_.chance(quality.cut_short);
    if (random_.chance(quality.late))
      route.latency += mad::Duration(static_cast<mad::Duration::rep>(
          random_.below(static_cast<std::uint64_t>(quality.late_max.count()) + 1)));
  }
  route.end = wire.far;
  route.node = wire.far_node;
  return true;
}

World::Route World::find_route(Packet& packet) {
  Route route;
  route.end = packet.from;
  route.node = model.ports[packet.from].node;
  const mad::SmpView smp = as_smp(packet.bytes);
  if (!model.alive(model.ports[packet.from].node)) {
    route.end = kNone;
  } else if (smp.mgmt_class() != mad::MgmtClass::sm_directed) {
    walk_routed(route, packet, packet.dlid);
  } else if (smp.is_returning()) {
    if (smp.dr_dlid() != mad::kPermissiveLid) walk_routed(route, packet, packet.dlid);
    walk_back(route, smp);
    if (smp.dr_slid() != mad::kPermissiveLid) walk_routed(route, packet, smp.dr_slid());
  } else {
    if (smp.dr_slid() != mad::kPermissiveLid) walk_routed(route, packet, packet.dlid);
    walk_directed(route, smp);
    if (smp.dr_dlid() != mad::kPermissiveLid) walk_routed(route, packet, smp.dr_dlid());
  }
  return route;
}

/// Follows an outbound SMP from the current end of `route`, and writes the return path into it, as
/// switches do.
void World::walk_directed(Route& route, mad::SmpView smp) {
  if (route.end == kNone || smp.hop_count() > mad::DirectedRoute::kHopsMax)
    return void(route.end = kNone);
  const PortIndex start = route.end;
  for (unsigned hop = 1; hop <= smp.hop_count(); ++hop) {
    const Junction node = model.junctions[route.node];
    const unsigned number = smp.initial_path()[hop];
    const bool own_port = hop == 1 && node.first_port + number == start;  // CAs do not forward
    if (number == 0 || number > node.port_count || (!node.is_switch && !own_port) ||
        !pass_link(node.first_port + number, route)) {
      return void(route.end = kNone);
    }
    smp.return_path()[hop] =
        static_cast<std::uint8_t>(route.end - model.junctions[route.node].first_port);
  }
  smp.set_hop_pointer(static_cast<std::uint8_t>(smp.hop_count() + 1));
}

void World::walk_back(Route& route, mad::SmpView smp) {
  if (route.end == kNone || smp.hop_count() > mad::DirectedRoute::kHopsMax)
    return void(route.end = kNone);
  for (unsigned hop = smp.hop_count(); hop > 0; --hop) {
    const Junction node = model.junctions[route.node];
    const unsigned number = smp.return_path()[hop];
    if (number == 0 || number > node.port_count || !pass_link(node.first_port + number, route))
      return void(route.end = kNone);
  }
  smp.set_hop_pointer(0);
}

/// Follows a packet from `from`, and leaves its hops in hops_.
Walk World::walk(PortIndex from, const PacketHeader& packet) {
  hops_.clear();
  const auto by_chance = [this](NodeIndex, std::span<const std::uint8_t> ports) {
    return ports[random_.below(ports.size())];
  };
  const Walk walk = walk_unicast(model, from, packet, &hops_, choose ? choose : Choose(by_chance));
  if (!walk.delivered()) note_dropped(walk, packet);
  return walk;
}

/// Reports to the neighbours that a switch has no port left for the packet's group (pFRN).
void World::note_dropped(const Walk& walk, const PacketHeader& packet) {
  const NodeModel& node = model.owning_node(walk.end);
  if (packet.management || !node.is_switch() || !node.sw->adaptive) return;
  if (const auto entry = node.sw->adaptive->entry_in_use(packet.dlid.value))
    notify_if_lost(model.ports[walk.end].node, entry->group);
}

/// Follows the forwarding tables from `route.end`.
void World::walk_routed(Route& route, const Packet& packet, mad::Lid to) {
  if (route.end == kNone) return;
  const bool management = as_smp(packet.bytes).is_smp();
  if (!management && packet.p_key == mad::PKey{}) return void(route.end = kNone);
  const PortIndex start = model.management_port(route.end);
  const Walk walk = this->walk(start, {.dlid = to,
                                       .sl = packet.sl,
                                       .p_key = packet.p_key,
                                       .management = management,
                                       .dgid = packet.dgid,
                                       .from_vport = packet.from_vport,
                                       .transport = Transport::ud});
  const mad::Lid here = packet.slid;
  switch (walk.drop) {
    case Drop::none:
      break;
    case Drop::p_key_end:
      report_bad_p_key(walk, here, to, packet.p_key, packet.sl);
      [[fallthrough]];
    default:
      if (walk.drop == Drop::p_key_in || walk.drop == Drop::p_key_out) {
        report_bad_key(walk.end, mad::TrapNumber::switch_bad_p_key, here, to, packet.p_key.value,
                       packet.sl);
      }
      return void(route.end = kNone);
  }
  for (const Hop& hop : hops_) {
    if (!pass_link(hop.out, route)) return void(route.end = kNone);
    if (!management) data_arrives(hop.in);
  }
  route.vport = walk.vport.value_or(0);
  route.is_routed = walk.is_routed;
  // A switch's agent sees the port by which the packet came; port 0 if the switch sent it.
  if (hops_.empty()) {
    route.end = walk.end;
    route.node = model.ports[walk.end].node;
  }
}

// ------------------------------------------------------------------------------------------
// the far end

void World::deliver(Slot slot) {
  if (!handle(slot)) drop(slot);
}

void World::drop(Slot slot) {
  if (trace)
    log("no program at {} takes {}", model.name(slots_[slot].at),
        describe(as_smp(slots_[slot].bytes)));
  ++statistics.mads_dropped;
  forget(slot);
}

/// True if an agent has turned or will turn the MAD into its answer, or a program has received it.
bool World::handle(Slot slot) {
  Packet& packet = slots_[slot];
  if (!model.alive(model.ports[packet.at].node)) return false;
  if (packet.is_routed) {
    if (!on_routed || !on_routed(packet)) return false;
    forget(slot);
    return true;
  }
  const mad::SmpView mad = as_smp(packet.bytes);
  const mad::Method method = mad.method();
  if (mad.base_version() != mad::kBaseVersion ||
      packet.size != mad::kMadSizeBytes) {  // ends at an agent, programs see it as it is
    if (!mad.is_response()) return false;
  }
  if (mad.is_smp() && method == mad::Method::trap_repress) {
    const Arrival arrival{*this, model.ports[packet.at].node, packet.at};
    if (m_key_allows(arrival, mad, packet.slid)) repress(arrival.management_port(), mad);
    forget(slot);
    return true;
  }
  const bool request = method == mad::Method::get || method == mad::Method::set;
  const bool for_agent =
      request &&
      (mad.is_smp() || mad.mgmt_class() == mad::MgmtClass::performance ||
       mad.mgmt_class() == mad::MgmtClass::congestion_control || is_keyed_class(mad.mgmt_class()));
  const bool for_manager = mad.is_smp() && mad.attribute_id() == mad::AttributeId::sm_info &&
                           has_subnet_manager(model.management_port(packet.at));
  if (!for_agent || for_manager) {
    if (!hand_to_programs(packet)) return false;
    forget(slot);
    return true;
  }
  return model.owning_node(packet.at).health.service_time > mad::Duration{} ? enter_queue(slot)
                                                                            : answer(slot);
}

/// An agent that serves one request after the other changes state only when it has served it.
bool World::enter_queue(Slot slot) {
  const NodeIndex index = model.ports[slots_[slot].at].node;
  NodeModel& node = model.nodes[index];
  if (node.agent_requests > node.health.queue) {
    ++node.agent_drops;
    return false;
  }
  ++node.agent_requests;
  node.agent_busy_until = std::max(node.agent_busy_until, events_.now()) + node.health.service_time;
  events_.after(node.agent_busy_until - events_.now(), [this, slot, index] {
    --model.nodes[index].agent_requests;
    if (!model.alive(index) || !answer(slot)) drop(slot);
  });
  return true;
}

/// True if the agent has turned the request into its answer, which is then in flight.
bool World::answer(Slot slot) {
  Packet& packet = slots_[slot];
  const mad::SmpView mad = as_smp(packet.bytes);
  const NodeModel& node = model.owning_node(packet.at);
  if (!serve(packet)) return false;
  if (trace) log("{} answers {}", model.name(packet.at), describe(mad));
  ++statistics.mads_answered;
  const PortIndex here = packet.at;
  packet.from =
      mad.mgmt_class() == mad::MgmtClass::sm_directed ? here : model.management_port(here);
  std::swap(packet.slid, packet.dlid);
  std::swap(packet.sqpn, packet.dqpn);
  packet.from_vport = packet.to_vport;
  if (packet.grh && packet.dgid) {
    std::swap(packet.grh->peer, *packet.dgid);
    packet.grh->hop_limit = 0xFF;  // as Linux answers
  }
  if (packet.slid == mad::kPermissiveLid)
    packet.slid = model.ports[model.management_port(here)].info.lid();
  const Arrival arrival{*this, model.ports[here].node, here};
  launch(slot, agent_time(node, mad.attribute_id()) +
                   (mad.is_smp() ? vport_firmware_time(arrival, mad) : mad::Duration{}));
  return true;
}

/// Lets the node's agent write its answer over the request. False if it does not answer.
bool World::serve(Packet& packet) {
  const Arrival arrival{*this, model.ports[packet.at].node, packet.at};
  NodeModel& node = arrival.at();
  Health& health = node.health;
  mad::SmpView mad = as_smp(packet.bytes);
  ++(mad.method() == mad::Method::set ? node.sets : node.gets);
  if (health.agent_ignores_requests && mad.attribute_id() != mad::AttributeId::node_info)
    return false;
  if ((health.ignored_attribute == 0 ||
       static_cast<std::uint16_t>(mad.attribute_id()) == health.ignored_attribute) &&
      random_.chance(health.ignored_probability))
    return false;
  if (health.edit_request && mad.is_smp()) health.edit_request(mad);
  const std::optional<std::uint16_t> rejected =
      health.reject && mad.is_smp() ? health.reject(mad) : std::nullopt;
  const mad::PortNum entry{model.ports[arrival.management_port()].number};
  const std::optional<Reaction> reaction = health.react && mad.is_smp() ? health.react(mad, entry)
                                           : health.react_general && !mad.is_smp()
                                               ? health.react_general(mad, entry)
                                               : std::nullopt;
  Verdict verdict;
  if (reaction) {
    verdict = reaction->status;
  } else if (rejected || random_.chance(health.bad_status)) {
    verdict = rejected.value_or(health.status);
  } else if (mad.is_smp()) {
    verdict = serve_smp(arrival, mad, packet.slid);
  } else if (packet.qkey != 0 && packet.qkey != mad::kQp1QKey) {
    report_bad_key(model.management_port(packet.at), mad::TrapNumber::bad_q_key, packet.slid,
                   packet.dlid, packet.qkey, packet.sl);
  } else {
    verdict = mad.mgmt_class() == mad::MgmtClass::performance ? serve_performance(arrival, mad)
              : is_keyed_class(mad.mgmt_class()) ? serve_keyed_class(arrival, mad, packet.slid)
                                                 : serve_congestion_control(arrival, mad);
  }
  if (!verdict) return false;
  if (mad.is_smp()) {
    if (!mad::make_response(mad, *verdict)) return false;
  } else {
    mad.set_method(mad::Method::get_resp);
    mad.set_status(*verdict);
  }
  if (random_.chance(health.lies)) {
    for (std::uint8_t& byte : mad.data()) byte = static_cast<std::uint8_t>(random_.next());
  }
  if (health.edit_response && mad.is_smp()) health.edit_response(mad);
  return true;
}

bool World::query_own_agents(PortIndex end_port, mad::MadBytes& mad) {
  const mad::SmpView smp = as_smp(mad);
  if (smp.method() == mad::Method::trap_repress) {
    const Arrival arrival{*this, model.ports[end_port].node, end_port};
    if (m_key_allows(arrival, smp, mad::kPermissiveLid)) repress(end_port, smp);
    return true;
  }
  Packet packet;
  packet.bytes = mad;
  packet.from = packet.at = end_port;
  packet.slid = packet.dlid = model.ports[end_port].info.lid();
  if (!serve(packet)) return false;
  mad = packet.bytes;
  return true;
}

/// Delivers the packet to programs at the end port: the program with the request's transaction id,
/// if known; else subnet managers, if it is for them; else all.
bool World::hand_to_programs(const Packet& packet) {
  const PortIndex end = model.management_port(packet.at);
  const auto found = programs_.find(end);
  if (found == programs_.end()) return false;
  std::vector<AttachmentIndex> ids = found->second;  // a receiver may attach or detach others
  std::erase_if(ids, [&](AttachmentIndex id) {
    return !attachments_[id] || attachments_[id]->vport() != packet.to_vport;
  });
  if (ids.empty()) return false;
  const mad::ConstSmpView mad = as_smp(packet.bytes);
  const auto deliver_if = [&](auto wanted) {
    bool taken = false;
    for (const AttachmentIndex id : ids) {
      if (!attachments_[id] || !wanted(*attachments_[id])) continue;
      attachments_[id]->receive(packet);
      taken = true;
    }
    return taken;
  };
  if (trace) log("{} receives {}", model.name(end), describe(mad));
  if (ids.size() == 1 && (!mad.is_smp() || mad.is_response() || attachments_[ids.front()]->is_sm()))
    return deliver_if([](const Attachment&) { return true; });
  if (mad.is_response() &&
      deliver_if([&](const Attachment& program) { return program.awaits(mad.transaction_id()); }))
    return true;
  const bool for_manager =
      (mad.is_smp() && !mad.is_response()) ||
      (mad.mgmt_class() == mad::MgmtClass::sa && mad.method() != mad::Method::report);
  if (for_manager && deliver_if([](const Attachment& program) { return program.is_sm(); }))
    return true;
  return (!mad.is_smp() || mad.is_response()) && deliver_if([](const Attachment&) { return true; });
}

mad::Duration World::agent_time(const NodeModel& node, mad::AttributeId attribute) {
  const auto between = [this](mad::Duration low, mad::Duration high) {
    return high <= low ? low
                       : low + mad::Duration(static_cast<mad::Duration::rep>(random_.below(
                                   static_cast<std::uint64_t>((high - low).count()) + 1)));
  };
  mad::Duration time = between(timing.agent_min, timing.agent_max);
  const bool is_slow = node.health.slow_attribute == 0 ||
                       node.health.slow_attribute == static_cast<std::uint16_t>(attribute);
  if (is_slow && node.health.slow_max > mad::Duration{})
    time += between(node.health.slow_min, node.health.slow_max);
  return time;
}

/// Corrupts a MAD in a way that checksums miss: another attribute, modifier, transaction or method,
/// random data, or a shorter length. PortInfo keeps its data, and no Set turns into a Set of
/// PortInfo: a port in use would get settings that must not change then.
void World::corrupt(Packet& packet) {
  constexpr std::size_t kHeader = 24, kData = 64;
  mad::SmpView mad = as_smp(packet.bytes);
  const bool is_port_info = mad.attribute_id() == mad::AttributeId::port_info;
  switch (random_.below(7)) {
    case 0:
      return mad.set_attribute_id(is_port_info || mad.method() == mad::Method::set
                                      ? mad::AttributeId::node_info
                                      : mad::AttributeId::port_info);
    case 1:
      return mad.set_attribute_modifier(mad.attribute_modifier() ^ 1);
    case 2:
      return mad.set_transaction_id(random_.next());
    case 3:
      return mad.set_method(random_.chance(0.5) ? mad::Method::get : mad::Method::report_resp);
    case 4:
      return void(packet.size = random_.below(mad::kMadSizeBytes));
    case 5:
      return void(packet.bytes[kHeader + random_.below((is_port_info ? kData : mad::kMadSizeBytes) -
                                                       kHeader)] ^=
                  static_cast<std::uint8_t>(1 + random_.below(255)));
    default:
      mad.set_status(static_cast<std::uint16_t>(4 * random_.below(8)));
  }
}

/// Makes an Armed port Active when the first data packet arrives (IBTA Vol 1, 7.2.7), without a
/// trap and without PortStateChange.
void World::data_arrives(PortIndex in) {
  PortModel& port = model.ports[in];
  if (port.info.port_state() != mad::PortState::armed) return;
  port.info.set_port_state(mad::PortState::active);
  if (trace) log("{} receives data and becomes Active", model.name(in));
  update_vports(in);
}

Walk World::send_data(PortIndex from, const PacketHeader& packet, std::size_t size_bytes) {
  const Walk walk = this->walk(from, packet);
  const auto count = [&](PortIndex port, bool out) {
    Counters& counters = model.extras(port).counters;
    ++(out ? counters.xmit_packets : counters.rcv_packets);
    ++(out ? counters.unicast_xmit_packets : counters.unicast_rcv_packets);
    (out ? counters.xmit_data : counters.rcv_data) += size_bytes / 4;
    add_to_details(model, port,
                   out ? mad::PerformanceAttribute::port_xmit_data_sl
                       : mad::PerformanceAttribute::port_rcv_data_sl,
                   packet.sl.value, size_bytes / 4);
  };
  for (const Hop& hop : hops_) {
    count(hop.out, true);
    count(hop.in, false);
    data_arrives(hop.in);
    if (const double lost = qualities[model.wires[hop.out].quality].lost;
        lost > 0 && random_.chance(lost))
      return {.drop = Drop::lost, .end = hop.in, .vport = {}};
  }
  const mad::Lid here = model.ports[from].info.lid();
  switch (walk.drop) {
    case Drop::p_key_end:
      report_bad_p_key(walk, here, packet.dlid, packet.p_key, packet.sl);
      break;
    case Drop::p_key_in:
    case Drop::p_key_out:
      ++(walk.drop == Drop::p_key_in ? model.extras(walk.end).counters.rcv_constraint_errors
                                     : model.extras(walk.end).counters.xmit_constraint_errors);
      report_bad_key(walk.end, mad::TrapNumber::switch_bad_p_key, here, packet.dlid,
                     packet.p_key.value, packet.sl);
      break;
    case Drop::no_route:
    case Drop::no_member:
      ++model.extras(walk.end).counters.rcv_switch_relay_errors;
      break;
    case Drop::no_link:
    case Drop::not_active:
      ++model.extras(walk.end).counters.xmit_discards;
      add_to_details(model, walk.end, mad::PerformanceAttribute::port_xmit_discard_details, 0,
                     1);  // PortInactiveDiscards
      break;
    default:
      break;
  }
  return walk;
}

}  // namespace sim
