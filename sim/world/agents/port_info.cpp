// PortInfo and its effects on the port's states and settings (IBTA Vol 1, 14.2.5.6 and 7.2.7).

#include "mad/attributes/port_info_extended.h"
#include "mad/attributes/switch_info.h"
#include "sim/world/agents/agents.h"
#include "sim/world/ca_vports.h"

namespace sim {
namespace {

using mad::PortInfo;
using mad::PortPhysicalState;
using mad::PortState;
namespace status = mad::status;

constexpr std::uint32_t kExtendedSpeeds =
    1u << 31;  // of the modifier: the sender understands extended speeds

/// A Set copies these fields (others have rules of their own): of any port, of end ports only, and
/// with extended speeds.
constexpr std::array kLinkFields{PortInfo::field<"NeighborMTU">(),
                                 PortInfo::field<"VLHighLimit">(),
                                 PortInfo::field<"VLStallCount">(),
                                 PortInfo::field<"HOQLife">(),
                                 PortInfo::field<"OperationalVLs">(),
                                 PortInfo::field<"PartitionEnforcementInbound">(),
                                 PortInfo::field<"PartitionEnforcementOutbound">(),
                                 PortInfo::field<"FilterRawInbound">(),
                                 PortInfo::field<"FilterRawOutbound">(),
                                 PortInfo::field<"LocalPhyErrors">(),
                                 PortInfo::field<"OverrunErrors">()};
constexpr std::array kEndPortFields{PortInfo::field<"M_Key">(),
                                    PortInfo::field<"GidPrefix">(),
                                    PortInfo::field<"LID">(),
                                    PortInfo::field<"MasterSMLID">(),
                                    PortInfo::field<"M_KeyLeasePeriod">(),
                                    PortInfo::field<"M_KeyProtectBits">(),
                                    PortInfo::field<"LMC">(),
                                    PortInfo::field<"MasterSMSL">(),
                                    PortInfo::field<"InitTypeReply">(),
                                    PortInfo::field<"MulticastPKeyTrapSuppressionEnabled">(),
                                    PortInfo::field<"SubnetTimeOut">()};

template <std::size_t n>
void take(PortInfo& into, const PortInfo& from, const std::array<mad::Field, n>& fields) {
  for (const mad::Field& field : fields)
    mad::write(into.bytes(), field, mad::read(from.bytes(), field));
}

bool legal_state(const Model& model, const PortModel& port, PortState next) {
  const PortState now = port.info.port_state();
  switch (next) {
    case PortState::no_change:
    case PortState::down:
      return true;
    case PortState::armed:
      return now == PortState::init;
    case PortState::active:
      if (port.number == 0 && now == PortState::armed) return true;  // enhanced switch port 0
      return now == PortState::armed && port.peer != kNone &&
             model.ports[port.peer].info.port_state() >= PortState::armed;
    default:
      return false;
  }
}

bool legal_physical(const PortModel& port, PortPhysicalState next) {
  if (next == PortPhysicalState::no_change) return true;
  if (port.number == 0) return false;
  return next == PortPhysicalState::sleep || next == PortPhysicalState::polling ||
         next == PortPhysicalState::disabled;
}

/// True if a bit mask of enabled values is a subset of the supported ones; 0 means no change.
bool legal_choice(unsigned wanted, unsigned supported, unsigned all) {
  return wanted == 0 || wanted == all || ((wanted & ~supported) == 0);
}

bool legal(const Arrival& arrival, PortIndex index, const PortInfo& requested, bool extended) {
  const Model& model = arrival.world.model;
  const PortModel& port = model.ports[index];
  const PortInfo& now = port.info;
  if (!legal_state(model, port, requested.port_state()) ||
      !legal_physical(port, requested.port_physical_state()))
    return false;
  const bool management = port.number == 0 && model.owning_node(index).is_switch();
  const bool enhanced = management && model.owning_node(index).sw->info.enhanced_port_0();
  if (management && !enhanced && requested.port_state() != PortState::no_change &&
      requested.port_state() != PortState::active)
    return false;
  if (model.is_end_port(index) && !is_unicast(requested.lid())) return false;
  if (requested.operational_vls() > now.vl_cap()) return false;
  if (management) return true;  // port 0 has no link
  if (requested.neighbor_mtu() > now.mtu_cap() || requested.neighbor_mtu() == mad::Mtu{})
    return false;
  if (!legal_choice(requested.link_width_enabled(), now.link_width_supported(),
                    mad::link_width::kAllSupported))
    return false;
  if (!legal_choice(requested.link_speed_enabled(), now.link_speed_supported(),
                    mad::link_speed::kAllSupported))
    return false;
  const unsigned speeds = requested.link_speed_ext_enabled();
  return !extended || speeds == mad::link_speed_ext::kDisableAll ||
         legal_choice(speeds, now.link_speed_ext_supported(), mad::link_speed_ext::kAllSupported);
}

void enable(PortInfo& now, const PortInfo& requested, bool extended) {
  const auto chosen = [](unsigned wanted, unsigned supported, unsigned all, unsigned before) {
    return static_cast<std::uint8_t>(wanted == 0 ? before : wanted == all ? supported : wanted);
  };
  now.set_link_width_enabled(chosen(requested.link_width_enabled(), now.link_width_supported(),
                                    mad::link_width::kAllSupported, now.link_width_enabled()));
  now.set_link_speed_enabled(chosen(requested.link_speed_enabled(), now.link_speed_supported(),
                                    mad::link_speed::kAllSupported, now.link_speed_enabled()));
  if (requested.link_down_default_state() != mad::LinkDownDefaultState::no_change)
    now.set_link_down_default_state(requested.link_down_default_state());
  if (!extended) return;
  const unsigned speeds = requested.link_speed_ext_enabled();
  now.set_link_speed_ext_enabled(speeds == mad::link_speed_ext::kDisableAll
                                     ? std::uint8_t{0}
                                     : chosen(speeds, now.link_speed_ext_supported(),
                                              mad::link_speed_ext::kAllSupported,
                                              now.link_speed_ext_enabled()));
  now.set_link_speed_ext_enabled2(
      chosen(requested.link_speed_ext_enabled2(), now.link_speed_ext_supported2(),
             mad::link_speed_ext2::kAllSupported, now.link_speed_ext_enabled2()));
}

void change_states(World& world, PortIndex index, const PortInfo& requested) {
  PortModel& port = world.model.ports[index];
  const PortPhysicalState physical = requested.port_physical_state();
  if (physical == PortPhysicalState::disabled || physical == PortPhysicalState::sleep) {
    port.info.set_port_physical_state(physical);
    world.rewire(index);
    world.link_down(index);
    return;
  }
  if (requested.port_state() == PortState::armed || requested.port_state() == PortState::active) {
    port.info.set_port_state(requested.port_state());
    if (world.trace)
      world.log("{} is set to {}", world.model.name(index), mad::name(requested.port_state()));
  }
  if (physical == PortPhysicalState::polling &&
      port.info.port_physical_state() != PortPhysicalState::link_up) {
    port.info.set_port_physical_state(physical);
    world.rewire(index);
    world.try_to_train(index);
  } else if (requested.port_state() == PortState::down || physical == PortPhysicalState::polling) {
    // The link goes down only after the answer has left, which may need this link.
    world.events().after(world.timing.agent_max + std::chrono::microseconds(100), [&world, index] {
      if (world.model.link_up(index)) world.bounce(index);
    });
  }
}

/// Returns the answer to a Get: keys only for requests with the M_Key. Every request sees extended
/// speeds, as with devices: libibnetdisc never sets the bit for them.
PortInfo shown(const Arrival& arrival, PortIndex index, mad::MKey key, bool extended) {
  const Model& model = arrival.world.model;
  PortInfo info = model.ports[index].info;
  info.set_local_port_num({model.ports[arrival.entry].number});
  const PortInfo& guard = model.ports[arrival.management_port()].info;
  if (has_vports(model.ports[index]) && vport_firmware(model.ports[index]).is_sm_in_vport_0)
    info.set_capability_mask(info.capability_mask() & ~mad::capability::kIsSm);
  if (guard.m_key() != key && guard.m_key_protect_bits() != 0) info.set_m_key({});
  if (!extended && info.link_speed_active() == mad::link_speed::kExtended)
    info.set_link_speed_active(mad::link_speed::kQdr);
  return info;
}

}  // namespace

Verdict serve_port_info(const Arrival& arrival, mad::SmpView smp) {
  World& world = arrival.world;
  const unsigned wanted = smp.attribute_modifier() & 0xFFu;
  const bool extended = (smp.attribute_modifier() & kExtendedSpeeds) != 0;
  const PortIndex index = arrival.at().is_switch() || wanted != 0
                              ? world.model.port(arrival.node, wanted)
                              : arrival.entry;
  if (index == kNone) return status::kInvalidValue;
  std::uint16_t verdict = status::kOk;
  if (smp.method() == mad::Method::set) {
    const PortInfo requested(smp.data());
    if (!legal(arrival, index, requested, extended)) {
      verdict = status::kInvalidValue;
    } else {
      PortInfo& now = world.model.ports[index].info;
      if (wanted != 0 || !arrival.at().is_switch()) enable(now, requested, extended);
      if (const mad::Mtu kept = now.neighbor_mtu(); true) {
        take(now, requested, kLinkFields);
        if (requested.neighbor_mtu() == mad::Mtu{} || requested.neighbor_mtu() > now.mtu_cap())
          now.set_neighbor_mtu(kept);
      }
      if (requested.operational_vls() == 0) now.set_operational_vls(1);
      if (world.model.is_end_port(index)) {
        take(now, requested, kEndPortFields);
        // Writing 0 to a violation counter resets it; any other value changes nothing.
        if (requested.m_key_violations() == 0) now.set_m_key_violations(0);
        if (requested.p_key_violations() == 0) now.set_p_key_violations(0);
        if (requested.q_key_violations() == 0) now.set_q_key_violations(0);
        if (requested.client_reregister() && world.on_client_reregister)
          world.on_client_reregister(index);
      }
      change_states(world, index, requested);
      world.update_vports(index);
    }
  }
  smp.set_data(shown(arrival, index, smp.m_key(), extended).bytes());
  return verdict;
}

Verdict serve_port_info_extended(const Arrival& arrival, mad::SmpView smp) {
  World& world = arrival.world;
  const PortIndex index = arrival.at().is_switch()
                              ? world.model.port(arrival.node, smp.attribute_modifier() & 0xFFu)
                              : arrival.entry;
  if (index == kNone) return status::kInvalidValue;
  const PortInfo& port = world.model.ports[index].info;
  auto& kept = world.model.extras(index).raw[{static_cast<std::uint16_t>(smp.attribute_id()), 0}];
  mad::PortInfoExtended info{std::span(kept).first<mad::kAttributeBytes>()};
  if (smp.method() == mad::Method::set) {
    const mad::PortInfoExtended requested(smp.data());
    info.set_fdr_fec_mode_enabled(requested.fdr_fec_mode_enabled());
    info.set_edr_fec_mode_enabled(requested.edr_fec_mode_enabled());
    info.set_hdr_fec_mode_enabled(requested.hdr_fec_mode_enabled());
    info.set_ndr_fec_mode_enabled(requested.ndr_fec_mode_enabled());
  }
  constexpr std::uint16_t kAllModes = 0x000F;
  info.set_capability_mask(mad::PortInfoExtended::kFecModes);
  const unsigned speeds = port.link_speed_ext_supported();
  info.set_fdr_fec_mode_supported((speeds & mad::link_speed_ext::kFdr) != 0 ? kAllModes
                                                                            : std::uint16_t{0});
  info.set_edr_fec_mode_supported((speeds & mad::link_speed_ext::kEdr) != 0 ? kAllModes
                                                                            : std::uint16_t{0});
  info.set_hdr_fec_mode_supported((speeds & mad::link_speed_ext::kHdr) != 0 ? kAllModes
                                                                            : std::uint16_t{0});
  info.set_ndr_fec_mode_supported((speeds & mad::link_speed_ext::kNdr) != 0 ? kAllModes
                                                                            : std::uint16_t{0});
  info.set_fec_mode_active(port.link_speed_ext_active() >= mad::link_speed_ext::kEdr
                               ? mad::FecMode::rs
                               : mad::FecMode::none);
  std::ranges::copy(info.bytes(), kept.begin());
  smp.set_data(info.bytes());
  return status::kOk;
}

Verdict serve_switch_port_states(const Arrival& arrival, mad::SmpView smp) {
  if (smp.method() != mad::Method::get) return status::kMethodAttributeUnsupported;
  const unsigned first = (smp.attribute_modifier() & 1u) * mad::SwitchPortStateTable::kEntries;
  mad::SwitchPortStateTable table;
  for (unsigned index = 0; index < mad::SwitchPortStateTable::kEntries; ++index) {
    const PortIndex port = arrival.world.model.port(arrival.node, first + index);
    if (port != kNone)
      table.set_port_state(index, arrival.world.model.ports[port].info.port_state());
  }
  smp.set_data(table.bytes());
  return status::kOk;
}

}  // namespace sim
