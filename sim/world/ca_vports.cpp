#include "sim/world/ca_vports.h"

namespace sim {
namespace {

using mad::PortState;

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

const VPortFirmware& vport_firmware(const PortModel& port) {
  static const VPortFirmware fresh;
  return port.extras && port.extras->vport_firmware ? *port.extras->vport_firmware : fresh;
}

}  // namespace sim
