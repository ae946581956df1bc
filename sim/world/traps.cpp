// Notices that agents repeat to their subnet manager until they are repressed (IBTA Vol 1, 13.4.9).

#include <algorithm>

#include "sim/world/ca_vports.h"
#include "sim/world/world.h"

namespace sim {
namespace {

constexpr std::size_t kTrapsWaitingMax =
    64;  // of one port; more are dropped, as the queues of real agents are short

mad::ProducerType producer(const NodeModel& node) {
  switch (node.info.node_type()) {
    case mad::NodeType::switch_:
      return mad::ProducerType::switch_;
    case mad::NodeType::router:
      return mad::ProducerType::router;
    case mad::NodeType::ca:
      break;
  }
  return mad::ProducerType::ca;
}

template <class Details>
Details make_notice(const NodeModel& node, mad::NoticeType type, mad::TrapNumber number,
                    mad::Lid lid) {
  Details notice;
  notice.set_is_generic(true);
  notice.set_type(type);
  notice.set_producer_type(producer(node));
  notice.set_trap_number(number);
  if constexpr (requires { notice.set_lid(lid); }) notice.set_lid(lid);
  return notice;
}

std::uint16_t saturated(std::uint16_t count) {
  return count == 0xFFFF ? count : static_cast<std::uint16_t>(count + 1);
}

}  // namespace

void World::raise(PortIndex port, const mad::Notice& notice) {
  const PortIndex from = model.management_port(port);
  const Health& health = model.owning_node(from).health;
  ++statistics.traps_raised;
  if (health.withhold_traps ||
      (model.ports[from].info.capability_mask() & mad::capability::kTrap) == 0)
    return;
  auto& waiting = traps_[from];
  const auto same = std::ranges::find(waiting, notice, &PendingTrap::notice);
  if (same != waiting.end()) {
    same->again = true;
    return;
  }
  if (waiting.size() == kTrapsWaitingMax) return;
  const std::uint64_t transaction_id = next_trap_++;
  waiting.push_back({transaction_id, notice});
  events_.after(timing.agent_max, [this, from, id = static_cast<std::uint32_t>(transaction_id)] {
    send_trap(from, id);
  });
}

/// Sends the trap if it is still pending, and schedules the repetition.
void World::send_trap(PortIndex from, std::uint64_t transaction_id) {
  const auto waiting = traps_.find(from);
  if (waiting == traps_.end()) return;
  const auto trap =
      std::ranges::find(waiting->second, transaction_id, &PendingTrap::transaction_id);
  if (trap == waiting->second.end()) return;
  const mad::PortInfo& info = model.ports[from].info;
  const bool known = is_unicast(info.lid()) && is_unicast(info.master_sm_lid());
  if (known) {
    trap->again = false;
    mad::Notice notice = trap->notice;
    notice.set_issuer_lid(info.lid());
    if (auto link_state =
            notice.as<mad::LinkStateNotice>()) {  // the LID may have changed since the event
      link_state->set_lid(info.lid());
      notice = mad::Notice::of(*link_state);
    }
    const Slot slot = take_slot();
    Packet& packet = slots_[slot];
    packet = Packet{};
    mad::make_lid_smp(packet.bytes, mad::Method::trap, mad::AttributeId::notice, 0, {},
                      transaction_id)
        .set_data(notice.bytes());
    packet.from = from;
    packet.slid = info.lid();
    packet.dlid = info.master_sm_lid();
    packet.sl = info.master_sm_sl();
    ++statistics.traps_sent;
    if (trace)
      log("{} sends trap {}", model.name(from), static_cast<unsigned>(notice.trap_number()));
    launch(slot, {});
  }
  events_.after(timing.trap_repeat, [this, from, id = static_cast<std::uint32_t>(transaction_id)] {
    send_trap(from, id);
  });
}

void World::send_class_trap(PortIndex from, const mad::MadBytes& trap, mad::Lid to) {
  ++statistics.traps_raised;
  const Health& health = model.owning_node(from).health;
  const mad::PortInfo& info = model.ports[from].info;
  if (health.withhold_traps || !is_unicast(info.lid())) return;
  const Slot slot = take_slot();
  Packet& packet = slots_[slot];
  packet = Packet{};
  packet.bytes = trap;
  mad::MadView(std::span<std::uint8_t, mad::kMadSizeBytes>(packet.bytes))
      .set_transaction_id(next_trap_++);
  packet.from = from;
  packet.slid = info.lid();
  packet.dlid = to;
  packet.sl = info.master_sm_sl();
  packet.sqpn = packet.dqpn = 1;
  packet.qkey = mad::kQp1QKey;
  packet.p_key = mad::kDefaultPKeyFull;
  ++statistics.traps_sent;
  launch(slot, timing.agent_max);
}

void World::repress(PortIndex management_port, mad::ConstSmpView smp) {
  const auto waiting = traps_.find(management_port);
  if (waiting == traps_.end()) return;
  const auto trap =
      std::ranges::find(waiting->second, smp.transaction_id(), &PendingTrap::transaction_id);
  if (trap == waiting->second.end()) return;
  const PendingTrap done = *trap;
  waiting->second.erase(trap);
  ++statistics.traps_repressed;
  if (done.again) raise(management_port, done.notice);
}

// ------------------------------------------------------------------------------------------
// notices

void World::rename(NodeIndex index, std::string description) {
  NodeModel& node = model.nodes[index];
  node.description = std::move(description);
  for (unsigned number = node.is_switch() ? 0 : 1;
       number <= (node.is_switch() ? 0 : node.port_count()); ++number) {
    const PortIndex port = node.first_port + number;
    auto notice = make_notice<mad::LocalChangeNotice>(node, mad::NoticeType::informational,
                                                      mad::TrapNumber::local_change,
                                                      model.ports[port].info.lid());
    notice.set_other_local_changes(true);
    notice.set_change_flags(mad::LocalChangeNotice::kNodeDescription);
    notice.set_capability_mask(model.ports[port].info.capability_mask());
    raise(port, mad::Notice::of(notice));
  }
}

void World::set_capability(PortIndex port, std::uint32_t capability_mask) {
  if (model.ports[port].info.capability_mask() == capability_mask) return;
  model.ports[port].info.set_capability_mask(capability_mask);
  auto notice = make_notice<mad::LocalChangeNotice>(
      model.owning_node(port), mad::NoticeType::informational, mad::TrapNumber::local_change,
      model.ports[port].info.lid());
  notice.set_capability_mask(capability_mask);
  if ((capability_mask & mad::capability::kCapabilityMaskNotice) != 0)
    raise(port, mad::Notice::of(notice));
}

void World::set_system_image_guid(NodeIndex index, mad::Guid guid) {
  NodeModel& node = model.nodes[index];
  node.info.set_system_image_guid(guid);
  const PortIndex port = node.is_switch() ? node.first_port : node.first_port + 1;
  auto notice = make_notice<mad::SystemImageGuidNotice>(node, mad::NoticeType::informational,
                                                        mad::TrapNumber::system_image_guid_change,
                                                        model.ports[port].info.lid());
  notice.set_system_image_guid(guid);
  raise(port, mad::Notice::of(notice));
}

void World::report_link_error(PortIndex port, mad::TrapNumber trap) {
  Counters& counters = model.extras(port).counters;
  if (trap == mad::TrapNumber::local_link_integrity) ++counters.local_link_integrity_errors;
  if (trap == mad::TrapNumber::excessive_buffer_overrun) ++counters.excessive_buffer_overruns;
  auto notice =
      make_notice<mad::LinkErrorNotice>(model.owning_node(port), mad::NoticeType::urgent, trap,
                                        model.ports[model.management_port(port)].info.lid());
  notice.set_port({model.ports[port].number});
  raise(port, mad::Notice::of(notice));
}

void World::report_bad_p_key(const Walk& walk, mad::Lid from, mad::Lid to, mad::PKey key,
                             mad::Sl sl) {
  if (walk.vport.value_or(0) != 0)
    return report_vport_bad_p_key({walk.end, *walk.vport}, from, to, key, sl);
  report_bad_key(walk.end, mad::TrapNumber::bad_p_key, from, to, key.value, sl);
}

void World::report_bad_key(PortIndex at, mad::TrapNumber trap, mad::Lid from, mad::Lid to,
                           std::uint32_t key, mad::Sl sl) {
  mad::PortInfo& info = model.ports[at].info;
  const NodeModel& node = model.owning_node(at);
  if (trap == mad::TrapNumber::switch_bad_p_key) {
    auto notice = make_notice<mad::SwitchBadPKeyNotice>(node, mad::NoticeType::security, trap, {});
    notice.set_data_valid(0x0007);
    notice.set_lid1(from);
    notice.set_lid2(to);
    notice.set_p_key({static_cast<std::uint16_t>(key)});
    notice.set_sl(sl);
    notice.set_switch_lid(model.ports[node.first_port].info.lid());
    notice.set_port({model.ports[at].number});
    info.set_p_key_violations(saturated(info.p_key_violations()));
    raise(at, mad::Notice::of(notice));
    return;
  }
  auto notice = make_notice<mad::BadKeyNotice>(node, mad::NoticeType::security, trap, {});
  notice.set_lid1(from);
  notice.set_lid2(to);
  notice.set_key(key);
  notice.set_sl(sl);
  if (trap == mad::TrapNumber::bad_p_key) {
    info.set_p_key_violations(saturated(info.p_key_violations()));
  } else {
    info.set_q_key_violations(saturated(info.q_key_violations()));
  }
  raise(at, mad::Notice::of(notice));
}

/// Counts and reports the violation, and starts the lease.
void World::m_key_violated(PortIndex management_port, mad::ConstSmpView smp, mad::Lid slid) {
  ++statistics.m_key_violations;
  PortModel& port = model.ports[management_port];
  port.info.set_m_key_violations(saturated(port.info.m_key_violations()));
  if (trace)
    log("{} refuses an SMP: wrong M_Key {:#x}", model.name(management_port), smp.m_key().value);
  auto notice =
      make_notice<mad::BadMKeyNotice>(model.owning_node(management_port), mad::NoticeType::security,
                                      mad::TrapNumber::bad_m_key, slid);
  notice.set_method(smp.method());
  notice.set_attribute_id(smp.attribute_id());
  notice.set_attribute_modifier(smp.attribute_modifier());
  notice.set_m_key(smp.m_key());
  if (smp.is_directed()) {
    notice.set_dr_notice(true);
    notice.set_dr_slid(smp.dr_slid());
    notice.set_dr_hop_count(smp.hop_count());
    notice.set_dr_path_truncated(smp.hop_count() > mad::BadMKeyNotice::kReturnPathBytes);
    const std::size_t hops =
        std::min<std::size_t>(smp.hop_count(), mad::BadMKeyNotice::kReturnPathBytes);
    std::copy_n(smp.return_path().begin() + 1, hops, notice.bytes().begin() + 34);
  }
  raise(management_port, mad::Notice::of(notice));

  const std::uint16_t lease_s = port.info.m_key_lease_period();
  if (port.lease != 0 || lease_s == 0) return;
  port.lease = ++last_lease_;
  events_.after(std::chrono::seconds(lease_s), [this, management_port, lease = port.lease] {
    PortModel& owner = model.ports[management_port];
    if (owner.lease != lease) return;
    owner.lease = 0;
    owner.info.set_m_key_protect_bits(0);
    if (trace) log("{}: the M_Key's lease expired", model.name(management_port));
  });
}

}  // namespace sim
