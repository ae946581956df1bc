#include "sim/world/world.h"

#include <algorithm>
#include <bit>

#include "mad/attributes/virtualization.h"
#include "mad/format.h"
#include "sim/world/ca_vports.h"
#include "sim/world/vendor_features.h"

namespace sim {
namespace {

using mad::PortPhysicalState;
using mad::PortState;

constexpr std::uint16_t kLinearFdbCap = 0xC000;
constexpr std::uint16_t kMulticastFdbCap = 0x4000;
constexpr std::uint16_t kPKeys = 128, kSwitchPKeys = 32;
constexpr std::uint8_t kGuids = 32;

mad::NodeType wire_type(NodeType type) {
  switch (type) {
    case NodeType::switch_:
      return mad::NodeType::switch_;
    case NodeType::router:
      return mad::NodeType::router;
    case NodeType::ca:
      break;
  }
  return mad::NodeType::ca;
}

std::uint32_t capabilities(const NodeModel& node, bool end_port) {
  namespace has = mad::capability;
  if (!end_port) return has::kCapabilityMask2 | has::kExtendedSpeeds;
  std::uint32_t mask = has::kTrap | has::kAutomaticMigration | has::kSlMapping |
                       has::kSystemImageGuid | has::kExtendedSpeeds | has::kCapabilityMask2 |
                       has::kVendorClass | has::kCapabilityMaskNotice | has::kClientReregistration |
                       has::kOtherLocalChangesNotice;
  if (!node.is_switch())
    mask |= has::kCommunicationManagement | has::kSnmp | has::kDeviceManagement;
  return mask;
}

std::uint8_t highest(unsigned bits) {
  return static_cast<std::uint8_t>(bits == 0 ? 0 : std::bit_floor(bits));
}

/// Widths in ascending order of link lanes; the order of the bits differs.
constexpr std::array kWidths{mad::link_width::k12x, mad::link_width::k8x, mad::link_width::k4x,
                             mad::link_width::k2x, mad::link_width::k1x};

void support(mad::PortInfo& info, LinkWidth width, LinkSpeed speed) {
  const auto widest = std::ranges::find(kWidths, static_cast<std::uint8_t>(width));
  std::uint8_t widths = mad::link_width::k1x;
  for (auto each = widest; each != kWidths.end(); ++each) {
    if (*each != mad::link_width::k2x || width == LinkWidth::x2 || speed >= LinkSpeed::hdr)
      widths |= *each;
  }
  std::uint8_t basic = mad::link_speed::kSdr, extended = 0, extended2 = 0;
  if (speed >= LinkSpeed::ddr) basic |= mad::link_speed::kDdr;
  if (speed >= LinkSpeed::qdr) basic |= mad::link_speed::kQdr;
  if (speed >= LinkSpeed::fdr) extended |= mad::link_speed_ext::kFdr;
  if (speed >= LinkSpeed::edr) extended |= mad::link_speed_ext::kEdr;
  if (speed >= LinkSpeed::hdr) extended |= mad::link_speed_ext::kHdr;
  if (speed >= LinkSpeed::ndr) extended |= mad::link_speed_ext::kNdr;
  if (speed >= LinkSpeed::xdr) extended2 |= mad::link_speed_ext2::kXdr;
  info.set_link_width_supported(widths);
  info.set_link_width_enabled(widths);
  info.set_link_speed_supported(basic);
  info.set_link_speed_enabled(basic);
  info.set_link_speed_ext_supported(extended);
  info.set_link_speed_ext_enabled(extended);
  info.set_link_speed_ext_supported2(extended2);
  info.set_link_speed_ext_enabled2(extended2);
  std::uint16_t mask2 = static_cast<std::uint16_t>(
      info.capability_mask2() &
      ~(mad::capability2::kLinkWidth2x | mad::capability2::kLinkSpeedHdr |
        mad::capability2::kLinkSpeedNdr | mad::capability2::kExtendedSpeeds2 |
        mad::capability2::kLinkSpeedXdr));
  if ((widths & mad::link_width::k2x) != 0) mask2 |= mad::capability2::kLinkWidth2x;
  if (speed >= LinkSpeed::hdr) mask2 |= mad::capability2::kLinkSpeedHdr;
  if (speed >= LinkSpeed::ndr) mask2 |= mad::capability2::kLinkSpeedNdr;
  if (speed >= LinkSpeed::xdr)
    mask2 |= mad::capability2::kExtendedSpeeds2 | mad::capability2::kLinkSpeedXdr;
  info.set_capability_mask2(mask2);
}

}  // namespace

World::World(EventQueue& events, const Topology& topology, std::uint64_t seed)
    : events_(events), random_(seed) {
  std::size_t ports = 0;
  for (const Node& node : topology.nodes) ports += node.port_count + 1u;
  model.nodes.reserve(topology.nodes.size());
  model.ports.reserve(ports);
  for (const Node& node : topology.nodes) add(node);
  for (const Link& link : topology.links) {
    const PortIndex a = model.port(link.a), b = model.port(link.b);
    model.ports[a].peer = b;
    model.ports[b].peer = a;
    for (const PortIndex end : {a, b}) {
      support(model.ports[end].info, link.width, link.speed);
      model.ports[end].info.set_port_state(PortState::init);
      model.ports[end].info.set_port_physical_state(PortPhysicalState::link_up);
    }
    negotiate(a, b);
    rewire(a);
    rewire(b);
  }
}

World::~World() = default;

NodeIndex World::add(const Node& from) {
  const auto index = model.nodes.next_index();
  NodeModel& node = model.nodes.emplace_back();
  node.description = from.name;
  node.first_port = model.ports.next_index();
  node.info.set_base_version(1);
  node.info.set_class_version(1);
  node.info.set_node_type(wire_type(from.type));
  node.info.set_num_ports(static_cast<std::uint8_t>(from.port_count));
  node.info.set_node_guid(from.guid);
  node.info.set_system_image_guid(from.system_guid.value != 0 ? from.system_guid : from.guid);
  node.info.set_partition_cap(from.type == NodeType::switch_ ? kSwitchPKeys : kPKeys);
  const std::uint16_t usual_device = from.type == NodeType::switch_ ? 0xD2F0 : 0x1021;
  node.info.set_device_id(from.device_id != 0 ? from.device_id : usual_device);
  node.info.set_vendor_id(from.vendor_id);
  model.junctions.push_back({node.first_port, static_cast<std::uint8_t>(from.port_count),
                             from.type == NodeType::switch_});
  model.wires.resize(model.wires.size() + from.port_count + 1u);
  if (from.type == NodeType::switch_) {
    node.sw = std::make_unique<SwitchState>();
    node.sw->info.set_linear_fdb_cap(kLinearFdbCap);
    node.sw->info.set_multicast_fdb_cap(kMulticastFdbCap);
    node.sw->info.set_partition_enforcement_cap(kSwitchPKeys);
    node.sw->info.set_inbound_enforcement_cap(true);
    node.sw->info.set_outbound_enforcement_cap(true);
    node.sw->info.set_filter_raw_inbound_cap(true);
    node.sw->info.set_filter_raw_outbound_cap(true);
    node.sw->info.set_optimized_sl_to_vl_mapping_programming(mad::OptimizedSlToVl::wildcard);
    node.sw->info.set_enhanced_port_0(from.enhanced_port0);
  }
  for (unsigned number = 0; number <= from.port_count; ++number) {
    PortModel& port = model.ports.emplace_back();
    port.node = index;
    port.number = static_cast<std::uint8_t>(number);
    const bool own_guid = from.type != NodeType::switch_ && number > 0;
    port.guid = !own_guid                          ? from.guid
                : number <= from.port_guids.size() ? from.port_guids[number - 1]
                                                   : mad::Guid{from.guid.value + number};
    support(port.info, LinkWidth::x4, LinkSpeed::qdr);
  }
  boot(index);
  return index;
}

/// Resets the port to the state after power-on; its capabilities stay.
void World::reset_port(PortIndex index) {
  PortModel& port = model.ports[index];
  const NodeModel& node = model.owning_node(index);
  const mad::PortInfo old = port.info;
  const bool management = node.is_switch() && port.number == 0, end_port = model.is_end_port(index);
  mad::PortInfo& info = port.info = mad::PortInfo{};
  info.set_capability_mask(capabilities(node, end_port) |
                           (has_subnet_manager(index) ? mad::capability::kIsSm : 0));
  info.set_capability_mask2(
      static_cast<std::uint16_t>(old.capability_mask2() | mad::capability2::kSetNodeDescription));
  info.set_local_port_num({port.number});
  info.set_link_width_supported(old.link_width_supported());
  info.set_link_width_enabled(old.link_width_supported());
  info.set_link_width_active(mad::link_width::k4x);
  info.set_link_speed_supported(old.link_speed_supported());
  info.set_link_speed_enabled(old.link_speed_supported());
  info.set_link_speed_active(highest(old.link_speed_supported()));
  info.set_link_speed_ext_supported(old.link_speed_ext_supported());
  info.set_link_speed_ext_enabled(old.link_speed_ext_supported());
  info.set_link_speed_ext_supported2(old.link_speed_ext_supported2());
  info.set_link_speed_ext_enabled2(old.link_speed_ext_supported2());
  info.set_link_down_default_state(mad::LinkDownDefaultState::polling);
  // Changed values of MTUCap and VLCap stay: they are properties of the hardware.
  info.set_mtu_cap(old.mtu_cap() == mad::Mtu{} ? mad::Mtu::mtu_4096 : old.mtu_cap());
  info.set_neighbor_mtu(info.mtu_cap());  // the value of hardware after power-on; opensm takes
                                          // links down to raise their MTU
  info.set_vl_cap(old.vl_cap() == 0 ? std::uint8_t{4} : old.vl_cap());
  info.set_operational_vls(management ? std::uint8_t{1} : info.vl_cap());
  info.set_vl_arbitration_high_cap(8);
  info.set_vl_arbitration_low_cap(8);
  info.set_guid_cap(end_port ? kGuids : 0);
  info.set_resp_time_value(12);
  info.set_subnet_time_out(18);
  info.set_port_state(management ? PortState::active : PortState::down);
  info.set_port_physical_state(management ? PortPhysicalState::link_up
                                          : PortPhysicalState::polling);
  ++port.training;
  port.lease = 0;
  rewire(index);
  if (!port.extras) return;
  auto fresh = std::make_unique<PortExtras>();
  fresh->vports = std::move(port.extras->vports);  // the host's, not the subnet manager's
  fresh->virtualization_info = port.extras->virtualization_info;
  fresh->vport_firmware = std::move(port.extras->vport_firmware);
  power_on_vendor_features(*port.extras, *fresh);
  port.extras = std::move(fresh);
  power_on_vports(*port.extras);
}

void World::boot(NodeIndex index) {
  NodeModel& node = model.nodes[index];
  for (unsigned number = 0; number <= node.port_count(); ++number)
    reset_port(node.first_port + number);
  power_on_vendor_features(model, index);
  traps_.erase(node.first_port);
  if (node.is_switch()) lose_tables(index);
}

void World::lose_tables(NodeIndex index) {
  NodeModel& node = model.nodes[index];
  log("{} loses its tables", node.description);
  if (!node.is_switch()) return;
  node.sw->info.set_linear_fdb_top(0);
  node.sw->info.set_multicast_fdb_top(0);
  node.sw->info.set_life_time_value(0);
  node.sw->info.set_default_port(mad::PortNum{0});
  node.sw->info.set_port_state_change(true);
  node.sw->lft.assign((node.sw->info.linear_fdb_cap() + 63u) / 64 * 64, mad::kNoPort.value);
  node.sw->mft.clear();
  node.sw->sl_to_vl.clear();
  if (node.sw->adaptive) node.sw->adaptive->power_on();
}

// ------------------------------------------------------------------------------------------
// links

void World::rewire(PortIndex index) {
  const PortModel& port = model.ports[index];
  Wire& wire = model.wires[index];
  wire.far = port.peer;
  wire.far_node = port.peer == kNone ? NodeIndex{0} : model.ports[port.peer].node;
  wire.quality = port.quality;
  wire.up = model.link_up(index);
}

/// Sets the width, speed and MTU that both ends support.
void World::negotiate(PortIndex a, PortIndex b) {
  mad::PortInfo &one = model.ports[a].info, &two = model.ports[b].info;
  const unsigned widths = one.link_width_enabled() & two.link_width_enabled();
  const auto width =
      std::ranges::find_if(kWidths, [widths](std::uint8_t each) { return (widths & each) != 0; });
  const std::uint8_t speed = highest(one.link_speed_enabled() & two.link_speed_enabled());
  const std::uint8_t extended =
      highest(one.link_speed_ext_enabled() & two.link_speed_ext_enabled());
  const std::uint8_t extended2 =
      highest(one.link_speed_ext_enabled2() & two.link_speed_ext_enabled2());
  for (mad::PortInfo* info : {&one, &two}) {
    info->set_link_width_active(width == kWidths.end() ? mad::link_width::k1x : *width);
    info->set_link_speed_ext_active2(extended2);
    info->set_link_speed_ext_active(extended2 != 0 ? std::uint8_t{0} : extended);
    info->set_link_speed_active(extended != 0 || extended2 != 0
                                    ? mad::link_speed::kExtended
                                    : std::max(speed, mad::link_speed::kSdr));
  }
}

void World::note_state_change(PortIndex index) {
  const NodeModel& node = model.owning_node(index);
  log("{} is {}", model.name(index), mad::name(model.ports[index].info.port_state()));
  if (!node.is_switch() || !node.health.powered) return;
  model.owning_node(index).sw->info.set_port_state_change(true);
  if (node.health.silent) return;  // the next request shows it
  const mad::Lid lid = model.ports[node.first_port].info.lid();
  mad::LinkStateNotice notice;
  notice.set_is_generic(true);
  notice.set_type(mad::NoticeType::urgent);
  notice.set_producer_type(mad::ProducerType::switch_);
  notice.set_trap_number(mad::TrapNumber::link_state_change);
  notice.set_lid(lid);
  raise(node.first_port, mad::Notice::of(notice));
}

void World::link_down(PortIndex index) {
  const PortIndex far = model.ports[index].peer;
  for (const PortIndex end : {index, far == index ? kNone : far}) {
    if (end == kNone) continue;
    PortModel& port = model.ports[end];
    ++port.training;
    const PortPhysicalState physical = port.info.port_physical_state();
    if (physical != PortPhysicalState::disabled && physical != PortPhysicalState::sleep)
      port.info.set_port_physical_state(PortPhysicalState::polling);
    rewire(end);
    if (port.info.port_state() == PortState::down) continue;
    port.info.set_port_state(PortState::down);
    ++model.extras(end).counters.link_downed;
    note_state_change(end);
    update_vports(end);
  }
  for (const PortIndex end : {index, far == index ? kNone : far})
    if (end != kNone) notify_lost_groups(end);
}

/// Brings the link up after the training time if both ends poll, unless it is interrupted.
void World::try_to_train(PortIndex index) {
  const PortIndex far = model.ports[index].peer;
  if (far == kNone) return;
  for (const PortIndex end : {index, far}) {
    const PortModel& port = model.ports[end];
    const PortPhysicalState physical = port.info.port_physical_state();
    if (!model.nodes[port.node].health.powered ||
        (physical != PortPhysicalState::polling && physical != PortPhysicalState::training))
      return;
  }
  for (const PortIndex end : {index, far}) {
    ++model.ports[end].training;
    model.ports[end].info.set_port_physical_state(PortPhysicalState::training);
    rewire(end);
  }
  const std::uint32_t training = model.ports[index].training,
                      far_training = model.ports[far].training;
  events_.after(timing.training, [this, index, far, training, far_training] {
    if (model.ports[index].training != training || model.ports[far].training != far_training)
      return;
    negotiate(index, far);
    for (const PortIndex end : {index, far}) {
      model.ports[end].info.set_port_physical_state(PortPhysicalState::link_up);
      model.ports[end].info.set_port_state(PortState::init);
      rewire(end);
    }
    note_state_change(index);
    if (far != index) note_state_change(far);
    for (const PortIndex end : {index, far}) update_vports(end);
  });
}

void World::connect(PortIndex a, PortIndex b, LinkWidth width, LinkSpeed speed) {
  for (const PortIndex end : {a, b}) {
    if (model.ports[end].peer != kNone)
      throw std::logic_error(model.name(end) + " has a cable already");
    support(model.ports[end].info, width, speed);
  }
  log("cable from {} to {}", model.name(a), model.name(b));
  model.ports[a].peer = b;
  model.ports[b].peer = a;
  rewire(a);
  rewire(b);
  try_to_train(a);
}

void World::cut(PortIndex end) {
  const PortIndex far = model.ports[end].peer;
  if (far == kNone) return;
  log("cable between {} and {} is pulled", model.name(end), model.name(far));
  link_down(end);
  model.ports[end].peer = model.ports[far].peer = kNone;
  rewire(end);
  rewire(far);
}

void World::bounce(PortIndex end) {
  link_down(end);
  try_to_train(end);
}

void World::set_quality(PortIndex end, const LinkQuality& quality) {
  const auto known = std::ranges::find(qualities, quality);
  const auto index = static_cast<std::uint16_t>(known - qualities.begin());
  if (known == qualities.end()) qualities.push_back(quality);
  for (const PortIndex each : {end, model.ports[end].peer}) {
    if (each == kNone) continue;
    model.ports[each].quality = index;
    rewire(each);
  }
}

void World::set_quality_of_all(const LinkQuality& quality) {
  qualities.assign(1, quality);
  for (PortModel& port : model.ports) port.quality = 0;
  for (Wire& wire : model.wires) wire.quality = 0;
}

// ------------------------------------------------------------------------------------------
// nodes

void World::power(NodeIndex index, bool on) {
  NodeModel& node = model.nodes[index];
  if (node.health.powered == on) return;
  log("{} is switched {}", node.description, on ? "on" : "off");
  node.health.powered = on;
  if (!on) {
    for (unsigned number = 1; number <= node.port_count(); ++number)
      link_down(node.first_port + number);
    boot(index);
    return;
  }
  boot(index);
  for (unsigned number = 1; number <= node.port_count(); ++number)
    try_to_train(node.first_port + number);
}

void World::reboot(NodeIndex index) {
  power(index, false);
  events_.after(timing.boot, [this, index] { power(index, true); });
}

bool World::has_subnet_manager(PortIndex end_port) const {
  const auto programs = programs_.find(end_port);
  return programs != programs_.end() &&
         std::ranges::any_of(programs->second,
                             [this](AttachmentIndex id) { return attachments_[id]->is_sm(); });
}

void World::write_trace(const std::string& line) {
  const auto elapsed =
      std::chrono::duration_cast<std::chrono::nanoseconds>(events_.elapsed()).count();
  trace(fmt::format("{}.{:09} {}", elapsed / 1'000'000'000, elapsed % 1'000'000'000, line));
}

}  // namespace sim
