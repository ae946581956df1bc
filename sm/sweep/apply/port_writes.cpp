#include "sm/sweep/apply/port_writes.h"

#include <mutex>

#include "fabric/at_once.h"
#include "fabric/parallel.h"
#include "routing/qos/operational_vls.h"
#include "routing/qos/path_sl.h"
#include "sm/sweep/decide/key_isolation.h"
#include "sm/sweep/devices/link_restarts.h"
#include "sm/sweep/devices/link_settings.h"

namespace sm {

mad::PortInfo as_read(mad::PortInfo info) {
  info.set_port_state(mad::PortState::no_change);
  info.set_port_physical_state(mad::PortPhysicalState::no_change);
  info.set_client_reregister(false);
  return info;
}

bool is_enhanced_port_0(const Fabric& fabric, PortIndex index) {
  const Node& node = fabric.owning_node(index);
  return node.is_switch() && fabric.ports[index].number.value == 0 &&
         fabric.switches[node.switch_index].info.enhanced_port_0();
}

bool is_registered_elsewhere(const mad::PortInfo& info, mad::Lid sm_lid, const Target& target) {
  return info.master_sm_lid() != sm_lid &&
         (target.known_manager == mad::Lid{} || info.master_sm_lid() != target.known_manager);
}

PortWrites::PortWrites(const Fabric& fabric, DeviceState& devices, const Target& target,
                       const config::Options& options, const std::vector<bool>& hold_back)
    : fabric_(fabric),
      devices_(devices),
      target_(target),
      options_(options),
      hold_back_(hold_back),
      range_(fabric.ports.size()) {
  for (const EndPortIndex end_port : fabric.end_ports.indices())
    range_[fabric.end_ports[end_port]] = target.lids.of_end_port[end_port];
  sm_lid_ = range_[fabric.sm_port].base;
  restarts_due_ = options.restart_links_for_settings && devices.restarts.is_converged();
}

std::vector<Write> PortWrites::next() {
  std::vector<Write> settings;
  while (settings.empty() && !ports_.is_done(fabric_)) {
    ports_.advance(fabric_);
    Found found = find_all();
    settings = std::exchange(found.settings, {});
    devices_.reregistering.insert(found.reregistering.begin(), found.reregistering.end());
    rest_.append(found);
  }
  if (settings.empty()) std::swap(settings, rest_.new_keys);
  return settings;
}
std::vector<std::vector<Write>> PortWrites::restarts() {
  std::vector<std::vector<Write>> groups;
  if (!rest_.unused.empty()) groups.push_back(std::exchange(rest_.unused, {}));
  if (restarts_due_) add_restarts(rest_.pending, groups);
  return groups;
}

PortWrites::Found PortWrites::find_all() {
  const auto find = [&](std::size_t begin, std::size_t end) {
    Found found;
    for (std::size_t port = begin; port < end; ++port) find_of(PortIndex(port), found);
    return found;
  };
  if (devices_.refusals.has_settings())  // without_rejected() changes it
    return find(ports_.begin, ports_.end);
  std::vector<std::pair<std::size_t, Found>> parts;  // by first port
  std::mutex mutex;
  in_parallel(ports_.end - ports_.begin, kPortsWorthAThread,
              [&](std::size_t begin, std::size_t end) {
                Found found = find(ports_.begin + begin, ports_.begin + end);
                const std::lock_guard lock(mutex);
                parts.emplace_back(begin, std::move(found));
              });
  std::ranges::sort(parts, {}, [](const auto& part) { return part.first; });
  Found all = std::move(parts.front().second);
  for (const auto& [begin, found] : std::span(parts).subspan(1)) all.append(found);
  return all;
}

void PortWrites::find_of(PortIndex index, Found& found) {
  find_write(index, found);
  if (restarts_due_ && is_setting_pending(fabric_, index, options_)) found.pending.push_back(index);
}

void PortWrites::find_write(PortIndex index, Found& found) {
  const Port& port = fabric_.ports[index];
  const Node& node = fabric_.nodes[port.node];
  const bool management = node.is_switch() && port.number.value == 0;
  const bool is_end_port = fabric_.is_end_port(index);
  // A port that is new, or was registered with another manager, must register with this one. If
  // this sweep cannot set that, a later one does, to which the port is not new.
  const bool forgotten =
      target_.reregister_clients || (!target_.newcomers.empty() && target_.newcomers[index]);
  if (is_end_port && forgotten) found.reregistering.push_back(port.guid);
  if (!port.known || (!management && !port.is_up())) return;
  const LidMap::Range range = range_[index];
  if (is_end_port && range.base == mad::Lid{}) return;  // no LID left for it: it stays as it is

  PortIntent intent{
      .lid = range, .sm_lid = is_end_port ? sm_lid_ : mad::Lid{}, .sm_sl = sl_to_manager(index)};
  if (is_end_port) {
    if (target_.m_keys) intent.m_key = target_.m_keys->key(port.guid);
    if (!forgotten && (port.info.port_state() == mad::PortState::init ||
                       is_registered_elsewhere(port.info, sm_lid_, target_)))
      found.reregistering.push_back(port.guid);
    intent.client_reregister =
        (!found.reregistering.empty() && found.reregistering.back() == port.guid) ||
        devices_.reregistering.contains(port.guid);
  }
  intent.enforce_inbound = target_.p_keys.enforcement[index].inbound;
  intent.enforce_outbound = target_.p_keys.enforcement[index].outbound;

  mad::PortInfo desired = desired_port_info(fabric_, index, options_, intent);
  const mad::PortState state = port.info.port_state();
  const auto may_be_armed = [&](PortIndex end) {
    return sm::may_be_armed(fabric_, devices_, target_, end);
  };
  if (state == mad::PortState::init &&
      (is_enhanced_port_0(fabric_, index) ||
       (is_to_become_active(index) && may_be_armed(index) && may_be_armed(port.peer))))
    desired.set_port_state(mad::PortState::armed);
  desired = without_rejected(index, desired);
  if (needs_set(port.info, desired, devices_.refusals.unsupported(fabric_, index)) ||
      desired.port_state() != mad::PortState::no_change) {
    const bool gives_key = management && desired.m_key() != port.info.m_key();
    (gives_key ? found.new_keys : found.settings)
        .push_back(make_write(desired, port_info_set_modifier(fabric_, index), index));
  }
  // Both ends have their settings before the link goes down. The nearer end takes it down, since
  // the farther one could not be reached after that.
  if (port.peer != kNoIndex && index < port.peer && needs_link_restart(port.info, desired) &&
      !routing::link_runs(fabric_, index) && is_to_become_active(index)) {
    desired.set_port_state(mad::PortState::down);
    found.unused.push_back(make_write(desired, port_info_set_modifier(fabric_, index), index));
  }
}

bool PortWrites::is_to_become_active(PortIndex index) const {
  const PortIndex peer = fabric_.ports[index].peer;
  const bool held_back =
      !hold_back_.empty() && peer != kNoIndex && (hold_back_[index] || hold_back_[peer]);
  return !held_back && may_activate(fabric_, target_.lids, index);
}

/// Adds links that run with other settings than configured, as far as their devices take these.
void PortWrites::add_restarts(std::vector<PortIndex>& pending,
                              std::vector<std::vector<Write>>& groups) {
  const auto rejects = [&](PortIndex index) {
    return devices_.refusals.contains(subject_of(fabric_, index, PortInfoPart::link));
  };
  std::erase_if(pending, [&](PortIndex index) {
    return rejects(index) || rejects(fabric_.ports[index].peer);
  });
  for (const std::vector<PortIndex>& group : links_to_restart(fabric_, pending)) {
    std::vector<Write>& writes = groups.emplace_back();
    for (const PortIndex index : group) {
      mad::PortInfo info = as_read(fabric_.ports[index].info);
      info.set_port_state(mad::PortState::down);
      writes.push_back(make_write(info, port_info_set_modifier(fabric_, index), index));
      devices_.restarts.note(fabric_, index);
    }
  }
}

/// Keeps the fields that the port rejected and that are not due again yet.
mad::PortInfo PortWrites::without_rejected(PortIndex index, mad::PortInfo desired) {
  if (!devices_.refusals.has_settings()) return desired;
  const Port& port = fabric_.ports[index];
  for (const PortInfoPart part : kPortInfoParts) {
    const PortInfoMask& mask = list_fields(part);
    const auto subject = subject_of(fabric_, index, part);
    if (part == PortInfoPart::state ? port.info.port_state() >= mad::PortState::active
                                    : only(desired, mask) == only(port.info, mask)) {
      if (part == PortInfoPart::link && is_setting_pending(fabric_, index, options_)) {
        devices_.refusals.defer(subject);
      } else {
        devices_.refusals.forget(subject);
      }
    } else if (devices_.refusals.is_paused(subject, only(desired, mask))) {
      desired = merged(desired, part == PortInfoPart::state ? mad::PortInfo{} : port.info, mask);
      if (part == PortInfoPart::end_port) desired.set_client_reregister(false);
    }
  }
  return desired;
}

/// Returns the SL that subnet administration would answer: the routing engine's, or the one of the
/// options where the routing does not determine one.
mad::Sl PortWrites::sl_to_manager(PortIndex port) const {
  const mad::Sl configured{options_.sm_sl};
  if (!target_.routing) return configured;
  return routing::path_sl(
      *target_.routing, {fabric_.leaf_switch(port), sm_lid_, fabric_.leaf_switch(fabric_.sm_port)},
      configured);
}

}  // namespace sm
