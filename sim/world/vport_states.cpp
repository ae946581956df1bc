// States of vports: changes that neither hosts nor subnet managers make, and the traps about them.

#include <algorithm>

#include "mad/attributes/virtualization.h"
#include "mad/format.h"
#include "sim/world/ca_vports.h"
#include "sim/world/world.h"

namespace sim {
namespace {

using mad::PortState;

template <class Notice>
Notice make_notice(const Model& model, PortIndex port, mad::NoticeType type) {
  const NodeModel& node = model.owning_node(port);
  Notice notice;
  notice.set_type(type);
  notice.set_vendor_id(Notice::kVendor);
  notice.set_device_id(node.info.device_id());
  notice.set_vendor_trap_number(Notice::kVendorTrap);
  if constexpr (requires { notice.set_lid(mad::Lid{}); })
    notice.set_lid(model.ports[port].info.lid());
  return notice;
}

/// True if the host's and the port's conditions allow a state above Down.
bool may_leave_down(const PortModel& port, std::uint16_t index, const VPort& vport) {
  if (index == 0) {
    if (vport_firmware(port).on_enable == VPortFirmware::OnEnable::vport_0_down) return false;
  } else if (!is_vport_guid(vport_info(vport).port_guid())) {
    return false;
  }
  if (!has_vports(port) || !vport.bound || vport.policy == VPortPolicy::down) return false;
  return vport.policy == VPortPolicy::up || port.info.port_state() == PortState::active;
}

}  // namespace

/// `arrived` means that the time from the condition for Init to Init has passed.
void World::update_vport_states(PortIndex port, bool report, bool arrived) {
  PortModel& of = model.ports[port];
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
    log("{} vport {} is {}", model.name(port), index, mad::name(next));
  }
  if (later) events_.after(delay, [this, port] { update_vport_states(port, true, true); });
  if (changed && report) note_vport_change(port);
}

void World::update_vports(PortIndex port, bool report) { update_vport_states(port, report, false); }

void World::switch_virtualization(PortIndex port) {
  PortModel& of = model.ports[port];
  const bool enabled = has_vports(of);
  log("{}: virtualization is {}", model.name(port), enabled ? "enabled" : "disabled");
  update_vports(port, false);
  if (!enabled) return;
  using enum VPortFirmware::OnEnable;
  const auto on_enable = vport_firmware(of).on_enable;
  if (on_enable == link_down) {  // after the answer, which needs the link
    events_.after(timing.agent_max + std::chrono::microseconds(100), [this, port] {
      if (model.link_up(port)) bounce(port);
    });
  }
  VPort* const physical = edit_vport(model, port, 0);
  if (on_enable != stays_active || !physical) return;
  mad::VPortInfo info = vport_info(*physical);
  info.set_vport_state(of.info.port_state());
  set_vport_info(*physical, info);
}

void World::note_vport_change(PortIndex port) {
  if (!has_vports(model.ports[port])) return;
  edit_virtualization(model, port,
                      [](mad::VirtualizationInfo& info) { info.set_vport_state_change(true); });
  raise(port,
        mad::Notice(
            make_notice<mad::VPortStateNotice>(model, port, mad::NoticeType::urgent).bytes()));
}

void World::report_vport_change(PortIndex port, std::uint16_t index, std::uint16_t flags) {
  if (!has_vports(model.ports[port])) return;
  auto notice =
      make_notice<mad::VPortLocalChangeNotice>(model, port, mad::NoticeType::informational);
  notice.set_other_local_changes(flags != 0);
  notice.set_change_flags(flags);
  notice.set_vport_capability_mask(vport_info(model.ports[port], index).capability_mask());
  notice.set_vport_index(index);
  raise(port, mad::Notice(notice.bytes()));
}

void World::report_vport_bad_p_key(VPortPlace at, mad::Lid from, mad::Lid to, mad::PKey key,
                                   mad::Sl sl) {
  VPort* const vport = edit_vport(model, at.port, at.index);
  if (!vport) return;
  mad::VPortInfo info = vport_info(*vport);
  if (info.p_key_violations() < 0xFFFF)
    info.set_p_key_violations(static_cast<std::uint16_t>(info.p_key_violations() + 1));
  set_vport_info(*vport, info);
  auto notice = make_notice<mad::VPortBadPKeyNotice>(model, at.port, mad::NoticeType::security);
  notice.set_lid1(from);
  notice.set_lid2(to);
  notice.set_key(key.value);
  notice.set_sl(sl);
  notice.set_vport_index(at.index);
  raise(at.port, mad::Notice(notice.bytes()));
}

}  // namespace sim
