#include "sim/world/vports.h"

#include <algorithm>

namespace sim {
namespace {

using mad::PortState;

constexpr std::uint16_t kCapabilities =
    mad::vport_capability::kCommunicationManagement | mad::vport_capability::kSnmp |
    mad::vport_capability::kDeviceManagement | mad::vport_capability::kVendorClass;

VPort* find_vport(Model& model, PortIndex port, std::uint16_t index) {
  const auto& extras = model.ports[port].extras;
  if (!extras) return nullptr;
  const auto found = extras->vports.find(index);
  return found == extras->vports.end() ? nullptr : &found->second;
}

template <class Edit>
void edit_virtualization(Model& model, PortIndex port, Edit edit) {
  PortExtras& extras = model.extras(port);
  mad::VirtualizationInfo info{std::span(std::as_const(extras.virtualization_info))};
  edit(info);
  std::ranges::copy(info.bytes(), extras.virtualization_info.begin());
}

template <class Notice>
Notice notice_of(const World& world, PortIndex port, mad::NoticeType type) {
  const NodeModel& node = world.model.node_of(port);
  Notice notice;
  notice.set_type(type);
  notice.set_vendor_id(Notice::kVendor);
  notice.set_device_id(node.info.device_id());
  notice.set_vendor_trap_number(Notice::kVendorTrap);
  notice.set_lid(world.model.ports[port].info.lid());
  return notice;
}

/// VPortIndexTop is the highest index there is.
void renumber(Model& model, PortIndex port) {
  edit_virtualization(model, port, [&](mad::VirtualizationInfo& info) {
    const auto& vports = model.extras(port).vports;
    info.set_vport_index_top(vports.empty() ? std::uint16_t{0} : vports.rbegin()->first);
  });
}

void report_local_change(World& world, PortIndex port, std::uint16_t index, std::uint16_t flags) {
  if (!has_vports(world.model.ports[port])) return;
  auto notice = notice_of<mad::VPortLocalChangeNotice>(world, port, mad::NoticeType::informational);
  notice.set_other_local_changes(flags != 0);
  notice.set_change_flags(flags);
  notice.set_vport_capability_mask(
      vport_info(*find_vport(world.model, port, index)).capability_mask());
  notice.set_vport_index(index);
  world.raise(port, mad::Notice(notice.bytes()));
}

}  // namespace

bool has_vports(const PortModel& port) {
  return port.extras && virtualization_info(port).virtualization_enable();
}

mad::VPortInfo vport_info(const VPort& vport) { return mad::VPortInfo{std::span(vport.info)}; }
void set_vport_info(VPort& vport, const mad::VPortInfo& info) {
  std::ranges::copy(info.bytes(), vport.info.begin());
}

mad::VirtualizationInfo virtualization_info(const PortModel& port) {
  return port.extras
             ? mad::VirtualizationInfo{std::span(std::as_const(port.extras->virtualization_info))}
             : mad::VirtualizationInfo{};
}

std::optional<std::uint16_t> lid_owner(const PortExtras& extras, std::uint16_t index) {
  const auto own_lid = [&](std::uint16_t of) {
    const auto vport = extras.vports.find(of);
    return vport != extras.vports.end() && vport_info(vport->second).lid_required();
  };
  if (index == 0) return std::nullopt;
  if (own_lid(index)) return index;
  const auto vport = extras.vports.find(index);
  if (vport == extras.vports.end()) return std::nullopt;
  const std::uint16_t other = vport_info(vport->second).lid_by_vport_index();
  return other != 0 && own_lid(other) ? std::optional(other) : std::nullopt;
}

bool enable_virtualization(World& world, PortIndex port, std::uint16_t vport_cap) {
  Model& model = world.model;
  if (port == kNone || model.node_of(port).info.node_type() != mad::NodeType::ca) return false;
  PortExtras& extras = model.extras(port);
  std::erase_if(extras.vports, [vport_cap](const auto& vport) { return vport.first >= vport_cap; });
  edit_virtualization(model, port, [vport_cap](mad::VirtualizationInfo& info) {
    if (vport_cap == 0) info = {};
    info.set_vport_cap(vport_cap);
  });
  renumber(model, port);
  mad::PortInfo& info = model.ports[port].info;
  const auto others =
      static_cast<std::uint16_t>(info.capability_mask2() & ~mad::capability2::kVirtualization);
  info.set_capability_mask2(
      static_cast<std::uint16_t>(others | (vport_cap > 0 ? mad::capability2::kVirtualization : 0)));
  world.log("{} can have {} vports", model.name(port), vport_cap);
  return true;
}

bool create_vport(World& world, PortIndex port, std::uint16_t index, const VPortOptions& options) {
  Model& model = world.model;
  if (port == kNone || index == 0 || index >= virtualization_info(model.ports[port]).vport_cap())
    return false;
  const auto [found, created] = model.extras(port).vports.try_emplace(index);
  if (!created) return false;
  VPort& vport = found->second;
  mad::VPortInfo info;
  info.set_vport_state(PortState::down);
  info.set_lid_required(options.lid_required);
  info.set_lid_by_vport_index(options.lid_required ? std::uint16_t{0} : options.lid_by_vport_index);
  info.set_guid_cap(options.guid_cap);
  info.set_capability_mask(kCapabilities);
  info.set_port_guid(options.guid);
  set_vport_info(vport, info);
  mad::VNodeInfo node;
  node.set_partition_cap(options.p_key_capacity);
  node.set_local_port_num({1});
  node.set_num_ports(1);
  node.set_vnode_guid(options.node_guid.value != 0 ? options.node_guid : options.guid);
  std::ranges::copy(node.bytes(), vport.node_info.begin());
  vport.description = options.description;
  vport.policy = options.policy;
  if (options.p_key_capacity > 0) vport.p_keys.emplace_back().set_p_key(0, mad::kDefaultPKeyFull);
  renumber(model, port);
  world.log("{} has a vport {} now", model.name(port), index);
  follow_port(world, port);
  return true;
}

bool destroy_vport(World& world, PortIndex port, std::uint16_t index) {
  if (!find_vport(world.model, port, index)) return false;
  world.model.extras(port).vports.erase(index);
  renumber(world.model, port);
  world.log("{} has no vport {} any more", world.model.name(port), index);
  note_vport_change(world, port);
  return true;
}

bool set_vport_guid(World& world, PortIndex port, std::uint16_t index, mad::Guid guid) {
  VPort* const vport = find_vport(world.model, port, index);
  if (!vport) return false;
  mad::VPortInfo info = vport_info(*vport);
  if (info.port_guid() == guid) return true;
  // A driver takes its function down to give it another GUID; the subnet manager sees it go down
  // and up.
  info.set_port_guid(guid);
  info.set_vport_state(PortState::down);
  set_vport_info(*vport, info);
  mad::VNodeInfo node{std::span(std::as_const(vport->node_info))};
  if (node.vnode_guid() == mad::Guid{}) node.set_vnode_guid(guid);
  std::ranges::copy(node.bytes(), vport->node_info.begin());
  follow_port(world, port, false);
  note_vport_change(world, port);
  return true;
}

bool set_vport_policy(World& world, PortIndex port, std::uint16_t index, VPortPolicy policy) {
  VPort* const vport = find_vport(world.model, port, index);
  if (!vport) return false;
  vport->policy = policy;
  follow_port(world, port);
  return true;
}

bool rename_vport(World& world, PortIndex port, std::uint16_t index, std::string description) {
  VPort* const vport = find_vport(world.model, port, index);
  if (!vport) return false;
  vport->description = std::move(description);
  report_local_change(world, port, index, mad::VPortLocalChangeNotice::kVNodeDescription);
  return true;
}

bool set_vport_capability(World& world, PortIndex port, std::uint16_t index,
                          std::uint16_t capability_mask) {
  VPort* const vport = find_vport(world.model, port, index);
  if (!vport) return false;
  mad::VPortInfo info = vport_info(*vport);
  info.set_capability_mask(capability_mask);
  set_vport_info(*vport, info);
  report_local_change(world, port, index, 0);
  return true;
}

void follow_port(World& world, PortIndex port, bool report) {
  PortModel& of = world.model.ports[port];
  if (!of.extras || of.extras->vports.empty()) return;
  const bool enabled = has_vports(of);
  const PortState most = of.info.port_state();
  bool changed = false;
  for (auto& [index, vport] : of.extras->vports) {
    mad::VPortInfo info = vport_info(vport);
    const PortState now = info.vport_state();
    const bool up = enabled && most >= PortState::init && vport.policy != VPortPolicy::down &&
                    info.port_guid() != mad::Guid{};
    const PortState next = !up                                   ? PortState::down
                           : now < PortState::init || now > most ? PortState::init
                                                                 : now;
    if (next == now) continue;
    info.set_vport_state(next);
    set_vport_info(vport, info);
    changed = true;
    world.log("{} vport {} is {}", world.model.name(port), index, mad::name(next));
  }
  if (changed && report) note_vport_change(world, port);
}

void power_on_vports(PortExtras& extras) {
  mad::VirtualizationInfo virtualization{std::span(std::as_const(extras.virtualization_info))};
  virtualization.set_virtualization_enable(false);
  virtualization.set_vport_state_change(false);
  std::ranges::copy(virtualization.bytes(), extras.virtualization_info.begin());
  for (auto& [index, vport] : extras.vports) {
    mad::VPortInfo info = vport_info(vport);
    info.set_vport_state(PortState::down);
    info.set_vport_lid({});
    info.set_p_key_violations(0);
    info.set_q_key_violations(0);
    set_vport_info(vport, info);
    vport.alias_guids.clear();
    if (vport.p_keys.empty()) continue;
    vport.p_keys.assign(1, {});
    vport.p_keys.front().set_p_key(0, mad::kDefaultPKeyFull);
  }
}

void note_vport_change(World& world, PortIndex port) {
  if (!has_vports(world.model.ports[port])) return;
  edit_virtualization(world.model, port,
                      [](mad::VirtualizationInfo& info) { info.set_vport_state_change(true); });
  world.raise(
      port,
      mad::Notice(notice_of<mad::VPortStateNotice>(world, port, mad::NoticeType::urgent).bytes()));
}

}  // namespace sim
