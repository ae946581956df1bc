#include "sm/sweep/devices/link_settings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "config/qos_settings.h"
#include "fabric/forwarding_tables.h"
#include "routing/qos/operational_vls.h"
#include "sm/store/m_key_policy.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

/// These are the fields of PortInfo that a manager may write and Heddle may change (IBTA Vol 1,
/// 14.2.5.6, column RW), by part.
constexpr std::array kEndPortSettable{
    mad::PortInfo::field<"M_Key">(),
    mad::PortInfo::field<"GidPrefix">(),
    mad::PortInfo::field<"LID">(),
    mad::PortInfo::field<"MasterSMLID">(),
    mad::PortInfo::field<"M_KeyLeasePeriod">(),
    mad::PortInfo::field<"M_KeyProtectBits">(),
    mad::PortInfo::field<"LMC">(),
    mad::PortInfo::field<"MasterSMSL">(),
    mad::PortInfo::field<"SubnetTimeOut">(),
};
constexpr std::array kEnforcementSettable{
    mad::PortInfo::field<"PartitionEnforcementInbound">(),
    mad::PortInfo::field<"PartitionEnforcementOutbound">(),
};
constexpr std::array kLinkSettable{
    mad::PortInfo::field<"LinkWidthEnabled">(),
    mad::PortInfo::field<"LinkDownDefaultState">(),
    mad::PortInfo::field<"LinkSpeedEnabled">(),
    mad::PortInfo::field<"NeighborMTU">(),
    mad::PortInfo::field<"VLHighLimit">(),
    mad::PortInfo::field<"VLStallCount">(),
    mad::PortInfo::field<"HOQLife">(),
    mad::PortInfo::field<"OperationalVLs">(),
    mad::PortInfo::field<"LocalPhyErrors">(),
    mad::PortInfo::field<"OverrunErrors">(),
    mad::PortInfo::field<"LinkSpeedExtEnabled">(),
};
constexpr std::array kStateSettable{mad::PortInfo::field<"PortState">()};
constexpr std::array kSwitchInfoSettable{mad::SwitchInfo::field<"LinearFDBTop">(),
                                         mad::SwitchInfo::field<"LifeTimeValue">()};

/// Makes a mask of the bits of these fields. A comparison under a mask is a few instructions, and a
/// fabric has a hundred thousand ports.
template <std::size_t n>
consteval std::array<std::uint8_t, mad::kAttributeBytes> make_mask(
    const std::array<mad::Field, n>& fields) {
  std::array<std::uint8_t, mad::kAttributeBytes> mask{};
  for (const mad::Field& field : fields) mad::write(mask, field, ~std::uint64_t{0});
  return mask;
}
/// The index is PortInfoPart.
constexpr std::array kPartMasks{make_mask(kEndPortSettable), make_mask(kEnforcementSettable),
                                make_mask(kLinkSettable), make_mask(kStateSettable)};
constexpr PortInfoMask kPortInfoMask = [] {
  PortInfoMask mask{};
  for (std::size_t i = 0; i < mask.size(); ++i)
    mask[i] = static_cast<std::uint8_t>(kPartMasks[0][i] | kPartMasks[1][i] | kPartMasks[2][i]);
  return mask;
}();
constexpr auto kSwitchInfoMask = make_mask(kSwitchInfoSettable);

bool differs(std::span<const std::uint8_t, mad::kAttributeBytes> a,
             std::span<const std::uint8_t, mad::kAttributeBytes> b,
             const std::array<std::uint8_t, mad::kAttributeBytes>& mask) {
  unsigned difference = 0;
  for (std::size_t i = 0; i < mask.size(); ++i)
    difference |= static_cast<unsigned>((a[i] ^ b[i]) & mask[i]);
  return difference != 0;
}

/// An option that is wider than its field saturates: all these fields grow towards "longer" or
/// "more tolerant".
constexpr std::uint8_t at_most(std::uint8_t value, std::uint8_t max) {
  return std::min(value, max);
}

/// Limits a code from the wire to the range that means a size.
mad::Mtu find_mtu(mad::Mtu code) { return std::clamp(code, mad::Mtu::mtu_256, mad::Mtu::mtu_4096); }

const Port* known_peer(const Fabric& fabric, const Port& port) {
  if (port.peer == kNoIndex || !fabric.ports[port.peer].known) return nullptr;
  return &fabric.ports[port.peer];
}

/// Returns which of the supported values to enable. `force` 0: leave as it is; `all`: everything
/// supported; else these bits, as far as supported. A choice that leaves nothing would cut the port
/// off for good: then it stays as it is, too. "All" is written out, so that what is read back
/// compares equal.
std::uint8_t enabled(std::uint8_t force, std::uint8_t all, std::uint8_t supported,
                     std::uint8_t now) {
  if (force == 0) return now;
  const std::uint8_t wanted =
      force == all ? supported : static_cast<std::uint8_t>(force & supported);
  return wanted == 0 ? now : wanted;
}

std::uint8_t extended_enabled(std::uint8_t force, std::uint8_t supported, std::uint8_t now) {
  using namespace mad::link_speed_ext;
  if (force == kDisableAll)
    return now == kNone ? now : kDisableAll;  // disabled reads back as 0 or as 30
  return enabled(force, kAllSupported, supported, now);
}

/// Sets the fields of a port that is an end of communication: CA and router ports, and a switch's
/// port 0, which answers for the whole switch.
void set_end_port_fields(mad::PortInfo& info, mad::Guid port, const config::Options& options,
                         const PortIntent& intent) {
  // A port without a new LID keeps the old one, since devices refuse LID 0.
  if (intent.lid.base.value != 0) {
    info.set_lid(intent.lid.base);
    info.set_lmc(intent.lid.lmc);
  }
  // Traps and SA queries of the port go to this LID, on this SL.
  if (intent.sm_lid.value != 0) info.set_master_sm_lid(intent.sm_lid);
  info.set_master_sm_sl(intent.sm_sl);
  // The subnet prefix is the upper half of the port's GIDs.
  info.set_gid_prefix(options.subnet_prefix);
  // The M_Key decides who may manage the port (Vol 1, 14.2.4). On a switch port 0 guards all ports.
  info.set_m_key(intent.m_key ? *intent.m_key : MKeyPolicy(options).key(port));
  info.set_m_key_lease_period(options.m_key_lease_period);
  info.set_m_key_protect_bits(static_cast<std::uint8_t>(options.m_key_protection_level & 3u));
  // SubnetTimeOut is how long a trap may take to the manager: the minimum time between repeats.
  info.set_subnet_time_out(at_most(options.subnet_timeout, 31));
  // A new manager does not know multicast groups, services and subscriptions until its clients
  // report them again.
  const bool can = (info.capability_mask() & mad::capability::kClientReregistration) != 0;
  info.set_client_reregister(intent.client_reregister && can && !options.no_clients_rereg);
}

/// Sets how many bytes of its high priority VLs a port sends before it sends a packet of the others
/// (Vol 1, 7.6.9). Without qos the port keeps its own limit.
void set_high_limit(mad::PortInfo& info, const Fabric& fabric, PortIndex port,
                    const config::Options& options) {
  if (options.qos)
    info.set_vl_high_limit(
        config::qos_settings(options, routing::qos_scope(fabric, port)).high_limit);
}

/// Returns the largest MTU that both ends of the link support.
mad::Mtu wanted_mtu(const Fabric& fabric, const Port& port) {
  const Port* peer = known_peer(fabric, port);
  return peer != nullptr ? std::min(find_mtu(port.info.mtu_cap()), find_mtu(peer->info.mtu_cap()))
                         : find_mtu(port.info.neighbor_mtu());
}

/// Sets the fields of a port with a cable, on any node.
void set_link_fields(mad::PortInfo& info, const Fabric& fabric, PortIndex index,
                     const config::Options& options) {
  const Port& port = fabric.ports[index];
  if (!routing::link_runs(fabric, index)) {
    info.set_neighbor_mtu(wanted_mtu(fabric, port));
    info.set_operational_vls(routing::desired_operational_vls(fabric, index, options));
  }
  set_high_limit(info, fabric, index, options);
  // With polling, a link that goes down comes up again by itself when the cable returns.
  info.set_link_down_default_state(mad::LinkDownDefaultState::polling);
  // A port with a higher rate of errors sends trap 129 or 130.
  info.set_local_phy_errors(at_most(options.local_phy_errors_threshold, 15));
  info.set_overrun_errors(at_most(options.overrun_errors_threshold, 15));
  // These settings take effect when the link trains again; they do not disturb a running link.
  info.set_link_width_enabled(enabled(options.force_link_width, mad::link_width::kAllSupported,
                                      info.link_width_supported(), info.link_width_enabled()));
  info.set_link_speed_enabled(enabled(options.force_link_speed, mad::link_speed::kAllSupported,
                                      info.link_speed_supported(), info.link_speed_enabled()));
  if (has_extended_speeds(fabric, index))
    info.set_link_speed_ext_enabled(extended_enabled(options.force_link_speed_ext,
                                                     info.link_speed_ext_supported(),
                                                     info.link_speed_ext_enabled()));
}

/// Sets how long a blocked packet may stay at the head of a queue, and how many drops make the port
/// give up its VL for a while. The times are shorter towards end ports, where they affect only that
/// port. CA ports keep theirs.
void set_queue_fields(mad::PortInfo& info, const Fabric& fabric, PortIndex index,
                      const config::Options& options) {
  const Port& port = fabric.ports[index];
  const Node& node = fabric.nodes[port.node];
  bool leaf = node.type == mad::NodeType::router;
  if (node.is_switch()) {
    if (port.peer == kNoIndex) return;
    leaf = !fabric.owning_node(port.peer).is_switch();
  } else if (!leaf) {
    return;
  }
  info.set_hoq_life(
      at_most(leaf ? options.leaf_head_of_queue_lifetime : options.head_of_queue_lifetime, 31));
  info.set_vl_stall_count(at_most(leaf ? options.leaf_vl_stall_count : options.vl_stall_count, 7));
}

/// Returns the port whose CapabilityMask applies to this one.
const Port& speaker(const Fabric& fabric, PortIndex port) {
  const Node& node = fabric.owning_node(port);
  return fabric.ports[node.is_switch() ? node.first_port : port];
}

}  // namespace

bool node_has_extended_speeds(const Fabric& fabric, PortIndex port) {
  const Port& p = speaker(fabric, port);
  return p.known && (p.info.capability_mask() & mad::capability::kExtendedSpeeds) != 0;
}

bool has_extended_speeds(const Fabric& fabric, PortIndex port) {
  const PortIndex peer = fabric.ports[port].peer;
  return node_has_extended_speeds(fabric, port) &&
         (peer == kNoIndex || node_has_extended_speeds(fabric, peer));
}

std::uint32_t port_info_modifier(const Fabric& fabric, PortIndex port) {
  const mad::PortNum number =
      fabric.owning_node(port).is_switch() ? fabric.ports[port].number : mad::PortNum{0};
  return mad::PortInfo::modifier(number, node_has_extended_speeds(fabric, port));
}

std::uint32_t port_info_set_modifier(const Fabric& fabric, PortIndex port) {
  return mad::PortInfo::modifier(fabric.ports[port].number, node_has_extended_speeds(fabric, port));
}

mad::PortInfo desired_port_info(const Fabric& fabric, PortIndex index,
                                const config::Options& options, const PortIntent& intent) {
  const Port& port = fabric.ports[index];
  const Node& node = fabric.nodes[port.node];
  mad::PortInfo info = port.info;
  // In a Set, 0 means no change: the port may have left the state that was read.
  info.set_port_state(mad::PortState::no_change);
  info.set_port_physical_state(mad::PortPhysicalState::no_change);
  info.set_client_reregister(false);

  const bool switch_port_0 = node.is_switch() && port.number.value == 0;
  if (switch_port_0 || !node.is_switch()) set_end_port_fields(info, port.guid, options, intent);
  if (switch_port_0) {
    // A base port 0 has no link of its own. An enhanced one is a CA behind an invisible link whose
    // other end supports all that it has.
    if (fabric.switches[node.switch_index].info.enhanced_port_0()) {
      info.set_neighbor_mtu(find_mtu(port.info.mtu_cap()));
      info.set_operational_vls(routing::desired_operational_vls(fabric, index, options));
      set_high_limit(info, fabric, index, options);
    }
    return info;
  }
  if (port.peer != kNoIndex) {
    set_link_fields(info, fabric, index, options);
    set_queue_fields(info, fabric, index, options);
  }
  if (node.is_switch()) {  // A switch drops packets whose P_Key is not in the port's table
    info.set_partition_enforcement_inbound(intent.enforce_inbound);
    info.set_partition_enforcement_outbound(intent.enforce_outbound);
  }
  return info;
}

bool needs_set(const mad::PortInfo& observed, const mad::PortInfo& desired) {
  return desired.client_reregister() || differs(observed.bytes(), desired.bytes(), kPortInfoMask);
}

bool needs_set(const mad::PortInfo& observed, const mad::PortInfo& desired,
               const PortInfoMask& ignored) {
  return desired.client_reregister() ||
         differs(observed.bytes(), desired.bytes(), without(kPortInfoMask, ignored));
}

PortInfoMask unsupported_fields(const mad::PortInfo& asked, const mad::PortInfo& answered) {
  PortInfoMask out{};
  if (!differs(asked.bytes(), answered.bytes(), kPortInfoMask)) return out;
  for (const mad::Field& field : mad::PortInfo::kFields)
    if (mad::read(kPortInfoMask, field) != 0 &&
        mad::read(asked.bytes(), field) != mad::read(answered.bytes(), field))
      mad::write(out, field, ~std::uint64_t{0});
  return out;
}

const PortInfoMask& list_fields(PortInfoPart part) {
  return kPartMasks[static_cast<std::size_t>(part)];
}

PortInfoMask both(const PortInfoMask& a, const PortInfoMask& b) {
  PortInfoMask out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a[i] & b[i];
  return out;
}

PortInfoMask without(PortInfoMask mask, const PortInfoMask& excluded) {
  for (std::size_t i = 0; i < mask.size(); ++i)
    mask[i] = static_cast<std::uint8_t>(mask[i] & ~excluded[i]);
  return mask;
}

mad::PortInfo merged(const mad::PortInfo& into, const mad::PortInfo& from,
                     const PortInfoMask& mask) {
  mad::PortInfo out = into;
  for (std::size_t i = 0; i < mask.size(); ++i)
    out.bytes()[i] =
        static_cast<std::uint8_t>((into.bytes()[i] & ~mask[i]) | (from.bytes()[i] & mask[i]));
  return out;
}

mad::SmpData only(const mad::PortInfo& info, const PortInfoMask& mask) {
  mad::SmpData out{};
  for (std::size_t i = 0; i < mask.size(); ++i)
    out[i] = static_cast<std::uint8_t>(info.bytes()[i] & mask[i]);
  return out;
}

std::string differences(const mad::PortInfo& is, const mad::PortInfo& wanted,
                        const PortInfoMask& mask) {
  std::string text;
  for (const mad::Field& field : mad::PortInfo::kFields) {
    const std::uint64_t now = mad::read(is.bytes(), field), then = mad::read(wanted.bytes(), field);
    if (mad::read(mask, field) == 0 || now == then) continue;
    if (!text.empty()) text += ", ";
    text += field.name == "M_Key" ? std::string(field.name)  // a secret
                                  : fmt::format("{} {} (wanted {})", field.name, now, then);
  }
  return text;
}

bool is_setting_pending(const Fabric& fabric, PortIndex index, const config::Options& options) {
  const Port& port = fabric.ports[index];
  if (!port.known || !fabric.is_link_up(index) || !routing::link_runs(fabric, index)) return false;
  return port.info.neighbor_mtu() != wanted_mtu(fabric, port) ||
         port.info.operational_vls() != routing::desired_operational_vls(fabric, index, options);
}

std::vector<Condition> pending_link_settings(const Fabric& fabric, const config::Options& options) {
  ConditionList pending(kWriteConditions.link_setting_pending);
  for (const PortIndex index : fabric.ports.indices()) {
    const Port& port = fabric.ports[index];
    if (port.peer == kNoIndex || port.peer < index) continue;
    const bool here = is_setting_pending(fabric, index, options);
    if (!here && !is_setting_pending(fabric, port.peer, options)) continue;
    const Port& end = here ? port : fabric.ports[port.peer];
    pending.add(fmt::format(
        "{} <-> {} runs with NeighborMTU {} and OperationalVLs {}, wanted are {} and {}: takes "
        "effect at the next link training",
        fabric.port_name(index), fabric.port_name(port.peer),
        static_cast<unsigned>(end.info.neighbor_mtu()), end.info.operational_vls(),
        static_cast<unsigned>(wanted_mtu(fabric, end)),
        routing::desired_operational_vls(fabric, index, options)));
  }
  return pending.take();
}

bool needs_link_restart(const mad::PortInfo& observed, const mad::PortInfo& desired) {
  return observed.port_state() == mad::PortState::armed &&
         (observed.neighbor_mtu() != desired.neighbor_mtu() ||
          observed.operational_vls() != desired.operational_vls());
}

mad::SwitchInfo desired_switch_info(const mad::SwitchInfo& observed, mad::Lid lid_top,
                                    const config::Options& options) {
  mad::SwitchInfo info = observed;
  // LinearFDBTop is the highest LID that the switch forwards by its table (Vol 1, 14.2.5.4). A
  // table with `cap` entries ends at LID cap - 1. The last block is always written completely, so
  // that a top that must grow moves to its end: the next LIDs then cost no write.
  const std::uint16_t cap = observed.linear_fdb_cap();
  const auto last = static_cast<std::uint16_t>(std::max<unsigned>(cap, 1) - 1);
  const std::uint16_t least = std::min(lid_top.value, last);
  const std::uint16_t most =
      std::min({static_cast<std::uint16_t>(lid_top.value | (kLftBlockLids - 1)), last,
                mad::kUnicastLidMax.value});
  const std::uint16_t top = observed.linear_fdb_top();
  // A switch without a table keeps what it shows: it would refuse every value.
  if (cap > 0 && (top < least || top > most))
    info.set_linear_fdb_top(top != 0 && top < least ? most : least);
  // The switch may hold a packet for this time before it drops it; above 19 for ever.
  info.set_life_time_value(at_most(options.packet_life_time, 31));
  // A 1 would clear a change that was not read yet; 0 leaves the bit as it is. The bit is cleared
  // before ports are read, and only then.
  info.set_port_state_change(false);
  return info;
}

bool needs_set(const mad::SwitchInfo& observed, const mad::SwitchInfo& desired) {
  return differs(observed.bytes(), desired.bytes(), kSwitchInfoMask);
}

}  // namespace sm
