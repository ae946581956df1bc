#include "sim/world/vports.h"

#include <algorithm>

#include "mad/attributes/vport_capabilities.h"
#include "mad/attributes/vport_notices.h"
#include "sim/world/vport_edit.h"

namespace sim {
namespace {

using mad::PortState;

template <class Notice>
Notice make_notice(const World& world, PortIndex port, mad::NoticeType type) {
  const NodeModel& node = world.model.owning_node(port);
  Notice notice;
  notice.set_type(type);
  notice.set_vendor_id(Notice::kVendor);
  notice.set_device_id(node.info.device_id());
  notice.set_vendor_trap_number(Notice::kVendorTrap);
  if constexpr (requires { notice.set_lid(mad::Lid{}); })
    notice.set_lid(world.model.ports[port].info.lid());
  return notice;
}

/// The host's and the port's conditions for a state above Down.
bool may_leave_down(const PortModel& port, std::uint16_t index, const VPort& vport) {
  if (index == 0) {
    if (vport_firmware(port).on_enable == VPortFirmware::OnEnable::vport_0_down) return false;
  } else if (!is_vport_guid(vport_info(vport).port_guid())) {
    return false;
  }
  if (!has_vports(port) || !vport.bound || vport.policy == VPortPolicy::down) return false;
  return vport.policy == VPortPolicy::up || port.info.port_state() == PortState::active;
}

/// `arrived`: the time from the condition for Init to Init has passed.
void update_states(World& world, PortIndex port, bool report, bool arrived) {
  PortModel& of = world.model.ports[port];
  if (!of.extras || of.extras->vports.empty()) return;
  const mad::Duration delay = vport_firmware(of).init_delay;
  bool changed = false, later = false;
  for (auto& [index, vport] : of.extras->vports) {
    mad::VPortInfo info = vport_info(vport);
    const PortState now = info.vport_state();
    const bool up = may_leave_down(of, index, vport);
    PortState next = !up ? PortState::down : std::max(now, PortState::init);
    if (now < next && delay > mad::Duration{} && !arrived) {
      later = true;
      continue;
    }
    if (next == now) continue;
    info.set_vport_state(next);
    set_vport_info(vport, info);
    changed = changed || index != 0 || !vport_firmware(of).vport_0_coupled;
    world.log("{} vport {} is {}", world.model.name(port), index, mad::name(next));
  }
  if (later)
    world.events().after(delay, [&world, port] { update_states(world, port, true, true); });
  if (changed && report) note_vport_change(world, port);
}

bool any_key(const Model& model, PortIndex port, std::uint16_t index, auto matches) {
  for (unsigned block = 0; block < vport_p_key_blocks(model, port, index); ++block) {
    const mad::PKeyTable keys = vport_p_keys(model, port, index, block);
    for (unsigned entry = 0; entry < mad::PKeyTable::kEntries; ++entry)
      if (const mad::PKey held = keys.p_key(entry); held.value != 0 && matches(held)) return true;
  }
  return false;
}

bool is_the_ports(const PortModel& port, std::uint16_t index) {
  return index == 0 && (!find_vport(port, 0) || vport_firmware(port).p_keys_aliased);
}

}  // namespace

void report_vport_change(World& world, PortIndex port, std::uint16_t index, std::uint16_t flags) {
  if (!has_vports(world.model.ports[port])) return;
  auto notice =
      make_notice<mad::VPortLocalChangeNotice>(world, port, mad::NoticeType::informational);
  notice.set_other_local_changes(flags != 0);
  notice.set_change_flags(flags);
  notice.set_vport_capability_mask(vport_info(world.model.ports[port], index).capability_mask());
  notice.set_vport_index(index);
  world.raise(port, mad::Notice(notice.bytes()));
}

bool has_vports(const PortModel& port) {
  return port.extras && virtualization_info(port).virtualization_enable();
}

const VPort* find_vport(const PortModel& port, std::uint16_t index) {
  if (!port.extras) return nullptr;
  const auto found = port.extras->vports.find(index);
  return found == port.extras->vports.end() ? nullptr : &found->second;
}

mad::VPortInfo vport_info(const VPort& vport) { return mad::VPortInfo{std::span(vport.info)}; }
mad::VNodeInfo vnode_info(const VPort& vport) { return mad::VNodeInfo{std::span(vport.node_info)}; }
void set_vport_info(VPort& vport, const mad::VPortInfo& info) {
  std::ranges::copy(info.bytes(), vport.info.begin());
}

mad::VirtualizationInfo virtualization_info(const PortModel& port) {
  return port.extras
             ? mad::VirtualizationInfo{std::span(std::as_const(port.extras->virtualization_info))}
             : mad::VirtualizationInfo{};
}

mad::VPortInfo vport_info(const PortModel& port, std::uint16_t index) {
  mad::VPortInfo info = vport_info(port.extras->vports.at(index));
  if (index != 0) return info;
  info.set_capability_mask(mad::vport_capabilities_of(port.info.capability_mask()));
  info.set_guid_cap(port.info.guid_cap());
  info.set_vport_lid(port.info.lid());
  info.set_port_guid(port.guid);
  if (vport_firmware(port).vport_0_coupled) info.set_vport_state(port.info.port_state());
  return info;
}

PortState vport_state(const PortModel& port, std::uint16_t index) {
  return has_vports(port) && find_vport(port, index) ? vport_info(port, index).vport_state()
                                                     : PortState::down;
}

std::vector<std::uint16_t> active_vports(const PortModel& port) {
  std::vector<std::uint16_t> active;
  if (!has_vports(port)) return active;
  for (const auto& [index, vport] : port.extras->vports)
    if (vport_state(port, index) == PortState::active) active.push_back(index);
  return active;
}

std::optional<VPortPlace> find_vport_guid(const Model& model, mad::Guid guid) {
  for (const PortIndex port : model.ports.indices()) {
    if (!model.ports[port].extras) continue;
    for (const auto& [index, vport] : model.ports[port].extras->vports)
      if (index != 0 && (vport_info(vport).port_guid() == guid ||
                         std::ranges::find(vport.alias_guids, guid) != vport.alias_guids.end()))
        return VPortPlace{port, index};
  }
  return std::nullopt;
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

mad::Lid vport_lid(const PortModel& port, std::uint16_t index) {
  const auto owner = port.extras ? lid_owner(*port.extras, index) : std::nullopt;
  return owner ? vport_info(port.extras->vports.at(*owner)).vport_lid() : port.info.lid();
}

mad::Gid vport_gid(const PortModel& port, std::uint16_t index) {
  const VPort* const vport = index == 0 ? nullptr : find_vport(port, index);
  return {port.info.gid_prefix(), vport ? vport_info(*vport).port_guid() : port.guid};
}

std::optional<mad::GlobalRoute> route_to(const Model& model, mad::Lid lid) {
  for (const PortIndex index : model.ports.indices()) {
    const PortModel& port = model.ports[index];
    if (!model.is_end_port(index)) continue;
    std::optional<mad::Gid> gid;
    if (holds(port.info, lid)) gid = vport_gid(port, 0);
    if (has_vports(port) && !gid) {
      for (const auto& [number, vport] : port.extras->vports)
        if (number != 0 && lid_owner(*port.extras, number) == number &&
            vport_lid(port, number) == lid)
          gid = vport_gid(port, number);
    }
    if (gid) return mad::GlobalRoute{.peer = *gid, .hop_limit = 1};
  }
  return std::nullopt;
}

bool grh_required(const PortModel& port, std::uint16_t index) {
  return index != 0 && port.extras && lid_owner(*port.extras, index) != index;
}

unsigned vport_p_key_blocks(const Model& model, PortIndex port, std::uint16_t index) {
  const PortModel& of = model.ports[port];
  if (is_the_ports(of, index)) return model.p_key_blocks(port);
  const VPort* const vport = find_vport(of, index);
  return !vport ? 0
                : std::max(mad::PKeyTable::blocks(vport->p_key_capacity),
                           static_cast<unsigned>(vport->p_keys.size()));
}

mad::PKeyTable vport_p_keys(const Model& model, PortIndex port, std::uint16_t index,
                            unsigned block) {
  const PortModel& of = model.ports[port];
  if (is_the_ports(of, index)) return model.p_keys(port, block);
  const VPort* const vport = find_vport(of, index);
  return vport && block < vport->p_keys.size() ? vport->p_keys[block] : mad::PKeyTable{};
}

void set_vport_p_keys(Model& model, PortIndex port, std::uint16_t index, unsigned block,
                      const mad::PKeyTable& keys) {
  if (is_the_ports(model.ports[port], index)) return model.set_p_keys(port, block, keys);
  if (VPort* const vport = edit_vport(model, port, index)) {
    if (vport->p_keys.size() <= block) vport->p_keys.resize(block + 1);
    vport->p_keys[block] = keys;
  }
}

bool vport_takes_p_key(const Model& model, PortIndex port, std::uint16_t index, mad::PKey key) {
  return any_key(model, port, index, [key](mad::PKey held) { return p_keys_match(held, key); });
}

bool vport_holds_p_key(const Model& model, PortIndex port, std::uint16_t index, mad::PKey key) {
  return any_key(model, port, index, [key](mad::PKey held) { return held == key; });
}

void update_port_vports(World& world, PortIndex port, bool report) {
  update_states(world, port, report, false);
}

void virtualization_switched(World& world, PortIndex port) {
  PortModel& of = world.model.ports[port];
  const bool enabled = has_vports(of);
  world.log("{}: virtualization is {}", world.model.name(port), enabled ? "enabled" : "disabled");
  update_port_vports(world, port, false);
  if (!enabled) return;
  using enum VPortFirmware::OnEnable;
  const auto on_enable = vport_firmware(of).on_enable;
  if (on_enable == link_down) {  // after the answer, which needs the link
    world.events().after(world.timing.agent_max + std::chrono::microseconds(100), [&world, port] {
      if (world.model.link_up(port)) world.bounce(port);
    });
  }
  VPort* const physical = edit_vport(world.model, port, 0);
  if (on_enable != stays_active || !physical) return;
  mad::VPortInfo info = vport_info(*physical);
  info.set_vport_state(of.info.port_state());
  set_vport_info(*physical, info);
}

void power_on_vports(PortExtras& extras) {
  mad::VirtualizationInfo virtualization{std::span(std::as_const(extras.virtualization_info))};
  virtualization.set_virtualization_enable(false);
  virtualization.set_vport_state_change(false);
  std::ranges::copy(virtualization.bytes(), extras.virtualization_info.begin());
  if (extras.vport_firmware) extras.vport_firmware->busy_until = {};
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

void report_vport_bad_p_key(World& world, VPortPlace at, mad::Lid from, mad::Lid to, mad::PKey key,
                            mad::Sl sl) {
  VPort* const vport = edit_vport(world.model, at.port, at.index);
  if (!vport) return;
  mad::VPortInfo info = vport_info(*vport);
  if (info.p_key_violations() < 0xFFFF)
    info.set_p_key_violations(static_cast<std::uint16_t>(info.p_key_violations() + 1));
  set_vport_info(*vport, info);
  auto notice = make_notice<mad::VPortBadPKeyNotice>(world, at.port, mad::NoticeType::security);
  notice.set_lid1(from);
  notice.set_lid2(to);
  notice.set_key(key.value);
  notice.set_sl(sl);
  notice.set_vport_index(at.index);
  world.raise(at.port, mad::Notice(notice.bytes()));
}

void note_vport_change(World& world, PortIndex port) {
  if (!has_vports(world.model.ports[port])) return;
  edit_virtualization(world.model, port,
                      [](mad::VirtualizationInfo& info) { info.set_vport_state_change(true); });
  world.raise(
      port, mad::Notice(
                make_notice<mad::VPortStateNotice>(world, port, mad::NoticeType::urgent).bytes()));
}

}  // namespace sim
