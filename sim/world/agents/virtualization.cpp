// The virtualization attributes of a CA port: access of a subnet manager to its vports.

#include <algorithm>

#include "sim/world/agents/agents.h"
#include "sim/world/vports.h"

namespace sim {
namespace {

using mad::AttributeId;
using mad::Method;
using mad::PortState;
namespace status = mad::status;

/// The vport that a modifier names. Null for index 0, which is the port itself.
struct Target {
  bool valid = false;
  VPort* vport = nullptr;
};

Target target(const Arrival& arrival, std::uint32_t index) {
  const PortModel& port = arrival.world.model.ports[arrival.entry];
  if (!has_vports(port) || index > 0xFFFF) return {};
  if (index == 0) return {true, nullptr};
  const auto found = port.extras->vports.find(static_cast<std::uint16_t>(index));
  return found == port.extras->vports.end() ? Target{} : Target{true, &found->second};
}

/// Index 0: the physical function, as the port's own attributes describe it.
mad::VPortInfo physical_function(const PortModel& port) {
  namespace from = mad::capability;
  namespace to = mad::vport_capability;
  mad::VPortInfo info;
  const std::uint32_t mask = port.info.capability_mask();
  std::uint16_t capabilities = 0;
  if ((mask & from::kCommunicationManagement) != 0) capabilities |= to::kCommunicationManagement;
  if ((mask & from::kSnmp) != 0) capabilities |= to::kSnmp;
  if ((mask & from::kDeviceManagement) != 0) capabilities |= to::kDeviceManagement;
  if ((mask & from::kVendorClass) != 0) capabilities |= to::kVendorClass;
  if ((mask & from::kBootManagement) != 0) capabilities |= to::kBootManagement;
  if ((mask & from::kIsSm) != 0) capabilities |= to::kIsSm;
  if ((mask & from::kSmDisabled) != 0) capabilities |= to::kSmDisabled;
  info.set_capability_mask(capabilities);
  info.set_vport_state(port.info.port_state());
  info.set_guid_cap(port.info.guid_cap());
  info.set_p_key_violations(port.info.p_key_violations());
  info.set_q_key_violations(port.info.q_key_violations());
  info.set_vport_lid(port.info.lid());
  info.set_port_guid(port.guid);
  return info;
}

Verdict serve_virtualization_info(const Arrival& arrival, mad::SmpView smp) {
  World& world = arrival.world;
  PortExtras& extras = world.model.extras(arrival.entry);
  mad::VirtualizationInfo info = virtualization_info(world.model.ports[arrival.entry]);
  if (smp.method() == Method::set) {
    const mad::VirtualizationInfo requested(smp.data());
    const bool switched = requested.virtualization_enable() != info.virtualization_enable();
    info.set_virtualization_enable(requested.virtualization_enable());
    if (requested.vport_state_change())
      info.set_vport_state_change(false);  // as SwitchInfo's PortStateChange: a 1 clears it
    std::ranges::copy(info.bytes(), extras.virtualization_info.begin());
    if (switched) {
      world.log("{}: virtualization is {}", world.model.name(arrival.entry),
                info.virtualization_enable() ? "enabled" : "disabled");
      follow_port(world, arrival.entry, false);
    }
  }
  smp.set_data(info.bytes());
  return status::kOk;
}

/// As PortInfo's: Armed from Init, Active from Armed, and no vport is above its port.
bool legal_state(PortState now, PortState next, PortState port) {
  switch (next) {
    case PortState::no_change:
    case PortState::down:
      return true;
    case PortState::armed:
      return now == PortState::init && port >= PortState::armed;
    case PortState::active:
      return now == PortState::armed && port == PortState::active;
    default:
      return false;
  }
}

Verdict serve_vport_info(const Arrival& arrival, mad::SmpView smp) {
  World& world = arrival.world;
  const PortModel& port = world.model.ports[arrival.entry];
  const Target at = target(arrival, smp.attribute_modifier());
  if (!at.valid) return status::kInvalidValue;
  if (!at.vport) {
    const mad::VPortInfo info = physical_function(port);
    const PortState requested = mad::VPortInfo(smp.data()).vport_state();
    const bool refused = smp.method() == Method::set && requested != PortState::no_change &&
                         requested != info.vport_state();  // PortInfo is for that
    smp.set_data(info.bytes());
    return refused ? status::kInvalidValue : status::kOk;
  }
  mad::VPortInfo info = vport_info(*at.vport);
  std::uint16_t verdict = status::kOk;
  if (smp.method() == Method::set) {
    const mad::VPortInfo requested(smp.data());
    const PortState next = requested.vport_state();
    if (!legal_state(info.vport_state(), next, port.info.port_state()) ||
        (info.lid_required() && !is_unicast(requested.vport_lid()))) {
      verdict = status::kInvalidValue;
    } else {
      if (info.lid_required()) info.set_vport_lid(requested.vport_lid());
      // Violation counters: 0 resets, anything else is no change.
      if (requested.p_key_violations() == 0) info.set_p_key_violations(0);
      if (requested.q_key_violations() == 0) info.set_q_key_violations(0);
      if (next != PortState::no_change) {
        info.set_vport_state(next);
        world.log("{} vport {} is set to {}", world.model.name(arrival.entry),
                  smp.attribute_modifier(), mad::name(next));
      }
      set_vport_info(*at.vport, info);
      if (next == PortState::down) {  // as a port that is set Down: it comes up again by itself
        world.events().after(world.timing.training,
                             [&world, entry = arrival.entry] { follow_port(world, entry); });
      }
    }
  }
  smp.set_data(info.bytes());
  return verdict;
}

Verdict serve_vnode_info(const Arrival& arrival, mad::SmpView smp) {
  if (smp.method() != Method::get) return status::kMethodAttributeUnsupported;
  const Target at = target(arrival, smp.attribute_modifier());
  if (!at.valid) return status::kInvalidValue;
  mad::VNodeInfo info;
  if (at.vport) {
    info = mad::VNodeInfo{std::span(std::as_const(at.vport->node_info))};
  } else {
    const NodeModel& node = arrival.at();
    info.set_partition_cap(node.info.partition_cap());
    info.set_local_port_num({arrival.world.model.ports[arrival.entry].number});
    info.set_num_ports(node.info.num_ports());
    info.set_vnode_guid(node.info.node_guid());
  }
  smp.set_data(info.bytes());
  return status::kOk;
}

Verdict serve_vport_states(const Arrival& arrival, mad::SmpView smp) {
  if (smp.method() != Method::get) return status::kMethodAttributeUnsupported;
  const PortModel& port = arrival.world.model.ports[arrival.entry];
  const std::uint64_t first = std::uint64_t{smp.attribute_modifier()} * mad::VPortState::kEntries;
  const std::uint16_t capacity = virtualization_info(port).vport_cap();
  if (!has_vports(port) || first >= capacity) return status::kInvalidValue;
  mad::VPortState states;
  for (unsigned entry = 0; entry < mad::VPortState::kEntries && first + entry < capacity; ++entry) {
    const Target at = target(arrival, static_cast<std::uint32_t>(first + entry));
    states.set_state(entry, !at.valid  ? PortState::down
                            : at.vport ? vport_info(*at.vport).vport_state()
                                       : port.info.port_state());
  }
  smp.set_data(states.bytes());
  return status::kOk;
}

Verdict serve_vnode_description(const Arrival& arrival, mad::SmpView smp) {
  const Target at = target(arrival, smp.attribute_modifier());
  if (!at.valid) return status::kInvalidValue;
  std::string& text = at.vport ? at.vport->description : arrival.at().description;
  if (smp.method() == Method::set) text = mad::VNodeDescription(smp.data()).text();
  mad::VNodeDescription description;
  description.set_text(text);
  smp.set_data(description.bytes());
  return status::kOk;
}

Verdict serve_vport_guids(const Arrival& arrival, mad::SmpView smp) {
  Model& model = arrival.world.model;
  const Target at = target(arrival, smp.attribute_modifier() >> 16);
  if (!at.valid) return status::kInvalidValue;
  const std::size_t first =
      std::size_t{smp.attribute_modifier() & 0xFFFFu} * mad::VPortGuidInfo::kEntries;
  const PortModel& port = model.ports[arrival.entry];
  const std::size_t capacity = at.vport ? vport_info(*at.vport).guid_cap() : port.info.guid_cap();
  if (first >= capacity) return status::kInvalidValue;
  auto& guids = at.vport ? at.vport->alias_guids : model.extras(arrival.entry).alias_guids;
  guids.resize(capacity);
  mad::VPortGuidInfo block(smp.data());
  for (unsigned entry = 0; entry < mad::VPortGuidInfo::kEntries; ++entry) {
    const std::size_t number = first + entry;
    if (number >= capacity) {
      block.set_guid(entry, {});
      continue;
    }
    if (smp.method() == Method::set && number != 0) guids[number] = block.guid(entry);
    block.set_guid(entry, number != 0 ? guids[number]
                          : at.vport  ? vport_info(*at.vport).port_guid()
                                      : port.guid);
  }
  smp.set_data(block.bytes());
  return status::kOk;
}

Verdict serve_vport_p_keys(const Arrival& arrival, mad::SmpView smp) {
  Model& model = arrival.world.model;
  const Target at = target(arrival, smp.attribute_modifier() >> 16);
  if (!at.valid) return status::kInvalidValue;
  const unsigned block = smp.attribute_modifier() & 0xFFFFu;
  if (!at.vport) {
    if (block >= model.p_key_blocks(arrival.entry)) return status::kInvalidValue;
    if (smp.method() == Method::set)
      model.set_p_keys(arrival.entry, block, mad::PKeyTable(smp.data()));
    smp.set_data(model.p_keys(arrival.entry, block).bytes());
    return status::kOk;
  }
  const unsigned blocks = mad::PKeyTable::blocks(
      mad::VNodeInfo{std::span(std::as_const(at.vport->node_info))}.partition_cap());
  if (block >= blocks) return status::kInvalidValue;
  auto& table = at.vport->p_keys;
  if (smp.method() == Method::set) {
    if (table.size() <= block) table.resize(block + 1);
    table[block] = mad::PKeyTable(smp.data());
  }
  smp.set_data(block < table.size() ? table[block].bytes() : mad::PKeyTable{}.bytes());
  return status::kOk;
}

}  // namespace

Verdict serve_virtualization(const Arrival& arrival, mad::SmpView smp) {
  if (virtualization_info(arrival.world.model.ports[arrival.entry]).vport_cap() == 0)
    return status::kMethodAttributeUnsupported;
  switch (smp.attribute_id()) {
    case AttributeId::virtualization_info:
      return serve_virtualization_info(arrival, smp);
    case AttributeId::vport_info:
      return serve_vport_info(arrival, smp);
    case AttributeId::vnode_info:
      return serve_vnode_info(arrival, smp);
    case AttributeId::vport_state:
      return serve_vport_states(arrival, smp);
    case AttributeId::vnode_description:
      return serve_vnode_description(arrival, smp);
    case AttributeId::vport_guid_info:
      return serve_vport_guids(arrival, smp);
    case AttributeId::vport_p_key_table:
      return serve_vport_p_keys(arrival, smp);
    default:
      return status::kMethodAttributeUnsupported;
  }
}

}  // namespace sim
