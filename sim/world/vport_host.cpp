// Actions of hosts on their vports.

#include <algorithm>

#include "sim/world/vport_host.h"

namespace sim {
namespace {

using mad::PortState;

constexpr std::uint16_t kCapabilities =
    mad::vport_capability::kCommunicationManagement | mad::vport_capability::kSnmp |
    mad::vport_capability::kDeviceManagement | mad::vport_capability::kVendorClass;

/// VPortIndexTop is the highest index in use.
void renumber(Model& model, PortIndex port) {
  edit_virtualization(model, port, [&](mad::VirtualizationInfo& info) {
    const auto& vports = model.extras(port).vports;
    info.set_vport_index_top(vports.empty() ? std::uint16_t{0} : vports.rbegin()->first);
  });
}

void set_node_info(VPort& vport, const mad::VNodeInfo& node) {
  std::ranges::copy(node.bytes(), vport.node_info.begin());
}

VPort make_vport(const VPortOptions& options) {
  VPort vport;
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
  set_node_info(vport, node);
  vport.description = options.description;
  vport.policy = options.policy;
  vport.p_key_capacity = options.p_key_capacity;
  if (options.p_key_capacity > 0) vport.p_keys.emplace_back().set_p_key(0, mad::kDefaultPKeyFull);
  return vport;
}

/// Makes vport 0 of a node: the function of its only port.
VPort physical_function(const NodeModel& node) {
  VPort vport = make_vport({.p_key_capacity = node.info.partition_cap()});
  mad::VNodeInfo info = vnode_info(vport);
  info.set_num_ports(node.info.num_ports());
  info.set_vnode_guid(node.info.node_guid());
  set_node_info(vport, info);
  return vport;
}

/// Takes the vport down, and up again if its conditions allow it.
void restart(World& world, PortIndex port, VPort& vport) {
  mad::VPortInfo info = vport_info(vport);
  info.set_vport_state(PortState::down);
  set_vport_info(vport, info);
  world.update_vports(port, false);
  world.note_vport_change(port);
}

bool has_room(const PortModel& port, std::uint16_t index) {
  const std::uint16_t cap = virtualization_info(port).vport_cap();
  const bool up_to_cap = vport_firmware(port).index_up_to_cap;
  return cap != 0 && index != 0 && (index < cap || (up_to_cap && index == cap)) &&
         !find_vport(port, index);
}

}  // namespace

VPortOptions vport_options(const VPort& vport) {
  const mad::VPortInfo info = vport_info(vport);
  return {.guid = info.port_guid(),
          .node_guid = vnode_info(vport).vnode_guid(),
          .lid_required = info.lid_required(),
          .lid_by_vport_index = info.lid_by_vport_index(),
          .guid_cap = info.guid_cap(),
          .p_key_capacity = vport.p_key_capacity,
          .description = vport.description,
          .policy = vport.policy};
}

bool enable_virtualization(World& world, PortIndex port, std::uint16_t vport_cap) {
  Model& model = world.model;
  if (port == kNone || model.owning_node(port).info.node_type() != mad::NodeType::ca) return false;
  PortExtras& extras = model.extras(port);
  std::erase_if(extras.vports, [vport_cap](const auto& vport) { return vport.first >= vport_cap; });
  if (vport_cap > 0) {
    VPort& physical =
        extras.vports.try_emplace(0, physical_function(model.owning_node(port))).first->second;
    mad::VNodeInfo node = vnode_info(physical);
    node.set_local_port_num({model.ports[port].number});
    set_node_info(physical, node);
  }
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
  if (port == kNone || !has_room(model.ports[port], index)) return false;
  model.extras(port).vports.emplace(index, make_vport(options));
  renumber(model, port);
  world.log("{} has a vport {} now", model.name(port), index);
  world.update_vports(port);
  return true;
}

bool destroy_vport(World& world, PortIndex port, std::uint16_t index) {
  if (index == 0 || !edit_vport(world.model, port, index)) return false;
  world.model.extras(port).vports.erase(index);
  renumber(world.model, port);
  world.log("{} has no vport {} any more", world.model.name(port), index);
  world.note_vport_change(port);
  return true;
}

bool set_vport_guid(World& world, PortIndex port, std::uint16_t index, mad::Guid guid) {
  VPort* const vport = edit_vport(world.model, port, index);
  if (!vport || index == 0) return false;
  mad::VPortInfo info = vport_info(*vport);
  if (info.port_guid() == guid) return true;
  // The node's GUID changes, too: CNIs write one value to both.
  mad::VNodeInfo node = vnode_info(*vport);
  if (!is_vport_guid(node.vnode_guid()) || node.vnode_guid() == info.port_guid())
    node.set_vnode_guid(guid);
  set_node_info(*vport, node);
  info.set_port_guid(guid);
  set_vport_info(*vport, info);
  world.log("{} vport {} has GUID {:#018x}", world.model.name(port), index, guid.value);
  restart(world, port, *vport);
  return true;
}

bool set_vport_policy(World& world, PortIndex port, std::uint16_t index, VPortPolicy policy) {
  VPort* const vport = edit_vport(world.model, port, index);
  if (!vport) return false;
  vport->policy = policy;
  world.update_vports(port);
  return true;
}

bool bind_vport(World& world, PortIndex port, std::uint16_t index, bool bound) {
  VPort* const vport = edit_vport(world.model, port, index);
  if (!vport) return false;
  vport->bound = bound;
  world.update_vports(port);
  return true;
}

bool rebind_vport(World& world, PortIndex port, std::uint16_t index, mad::Duration time) {
  if (!bind_vport(world, port, index, false)) return false;
  if (time == mad::Duration{}) return bind_vport(world, port, index, true);
  world.events().after(time, [&world, port, index] { bind_vport(world, port, index, true); });
  return true;
}

bool rename_vport(World& world, PortIndex port, std::uint16_t index, std::string description) {
  VPort* const vport = edit_vport(world.model, port, index);
  if (!vport) return false;
  vport->description = std::move(description);
  world.report_vport_change(port, index, mad::VPortLocalChangeNotice::kVNodeDescription);
  return true;
}

bool set_vport_capability(World& world, PortIndex port, std::uint16_t index,
                          std::uint16_t capability_mask) {
  VPort* const vport = edit_vport(world.model, port, index);
  if (!vport) return false;
  mad::VPortInfo info = vport_info(*vport);
  info.set_capability_mask(capability_mask);
  set_vport_info(*vport, info);
  world.report_vport_change(port, index, 0);
  return true;
}

bool set_vnode_info(World& world, PortIndex port, std::uint16_t index, const mad::VNodeInfo& info) {
  VPort* const vport = edit_vport(world.model, port, index);
  if (!vport) return false;
  set_node_info(*vport, info);
  return true;
}

bool reload_driver(World& world, PortIndex port, bool recreate) {
  VPort* const physical = edit_vport(world.model, port, 0);
  if (!physical) return false;
  world.log("{}: the driver of the physical function starts again", world.model.name(port));
  auto& vports = world.model.extras(port).vports;
  for (auto vport = vports.begin(); vport != vports.end();) {
    if (vport->first == 0) {
      ++vport;
    } else if (recreate) {
      VPortOptions options = vport_options(vport->second);
      options.guid = options.node_guid = {};
      options.policy = VPortPolicy::down;
      vport->second = make_vport(options);
      ++vport;
    } else {
      vport = vports.erase(vport);
    }
  }
  renumber(world.model, port);
  physical->policy = VPortPolicy::follow;
  physical->bound = true;
  restart(world, port, *physical);
  return true;
}

bool migrate_vport(World& world, VPortPlace from, VPortPlace to, const VPortMigration& migration) {
  const VPort* const old = edit_vport(world.model, from.port, from.index);
  if (!old || from.index == 0 || to.port == kNone ||
      !has_room(world.model.ports[to.port], to.index))
    return false;
  const auto leave = [&world, from] { destroy_vport(world, from.port, from.index); };
  const auto appear = [&world, to, options = vport_options(*old)] {
    create_vport(world, to.port, to.index, options);
  };
  if (migration.overlapping) {
    appear();
    world.events().after(migration.time, leave);
  } else {
    leave();
    world.events().after(migration.time, appear);
  }
  return true;
}

bool activate_vport(World& world, PortIndex port, std::uint16_t index, mad::Lid lid) {
  if (!edit_vport(world.model, port, index)) return false;
  if (!has_vports(world.model.ports[port])) {
    edit_virtualization(world.model, port, [](mad::VirtualizationInfo& info) {
      info.set_virtualization_enable(true);
    });
    world.switch_virtualization(port);
  }
  for (const std::uint16_t each : {std::uint16_t{0}, index}) {
    VPort& vport = *edit_vport(world.model, port, each);
    mad::VPortInfo info = vport_info(vport);
    if (info.vport_state() < PortState::init) return false;
    info.set_vport_state(PortState::active);
    if (each != 0 && info.lid_required()) info.set_vport_lid(lid);
    set_vport_info(vport, info);
  }
  const mad::Lid base = world.model.ports[port].info.lid();
  for (NodeModel& node : world.model.nodes) {
    if (!node.is_switch() || vport_lid(world.model.ports[port], index) != lid) continue;
    if (lid.value >= node.sw->lft.size()) return false;
    node.sw->lft[lid.value] = node.sw->lft[base.value];
    node.sw->info.set_linear_fdb_top(std::max(node.sw->info.linear_fdb_top(), lid.value));
  }
  return true;
}

VPortFirmware& vport_firmware(World& world, PortIndex port) {
  auto& firmware = world.model.extras(port).vport_firmware;
  if (!firmware) firmware = std::make_unique<VPortFirmware>();
  return *firmware;
}

void end_vport_faults(World& world, PortIndex port) {
  if (!world.model.ports[port].extras || !world.model.ports[port].extras->vport_firmware) return;
  VPortFirmware& firmware = vport_firmware(world, port);
  firmware.time = {};
  firmware.refusals.clear();
  firmware.shown_cap = firmware.shown_top = std::nullopt;
  firmware.revision = 0;
  firmware.modifier_wrong.clear();
  firmware.states_jump.clear();
}

}  // namespace sim
