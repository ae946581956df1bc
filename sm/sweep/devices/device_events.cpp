#include "sm/sweep/devices/device_events.h"

#include "fabric/plausible.h"
#include "mad/format.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace {

/// Makes the next sweep ask a switch whether it routes adaptively, and how.
void forget_adaptive(DeviceState& devices, mad::Guid node) {
  devices.adaptive.forget(node);
  forget_rows(devices.table, forgotten::kTablesLost, node);
}

}  // namespace

void forget_tables(DeviceState& devices, const Fabric& fabric, NodeIndex node) {
  if (fabric.nodes[node].is_switch()) {
    devices.lfts.forget(fabric.nodes[node].switch_index);
    devices.mfts.forget(fabric.nodes[node].switch_index);
    forget_adaptive(devices, fabric.nodes[node].guid);
  }
  if (!devices.vl_tables.is_empty()) devices.vl_tables.forget(node);
}

void forget_node(DeviceState& devices, const Fabric& fabric, NodeIndex node) {
  forget_tables(devices, fabric, node);
  devices.refusals.forget(fabric.nodes[node].guid);
  forget_rows(devices.table, forgotten::kDifference, fabric.nodes[node].guid);
  for (const Port& port : fabric.node_ports(node)) {
    const auto found = devices.vports.find(port.guid);
    if (port.guid == mad::Guid{} || found == devices.vports.end()) continue;
    found->second.states_read = false;
    for (auto& [index, vport] : found->second.vports) vport.stale = true;
  }
}

std::vector<Condition> update_tables(DeviceState& devices, const Fabric& fabric, const Fabric* last,
                                     bool trust) {
  devices.lfts.update_from(fabric);
  devices.masked_lfts.update_from(
      fabric, devices.lfts.tables() == nullptr ? 0 : devices.lfts.tables()->blocks());
  devices.mfts.update_from(fabric);
  devices.adaptive.update_from(fabric);
  if (!trust) {
    devices.lfts.forget_all();
    devices.mfts.invalidate();
    devices.adaptive.forget_all();
    forget_rows(devices.table, forgotten::kOtherManager);
  }
  std::vector<Condition> lost;
  if (last == nullptr) return lost;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    if (shows_our_tables(fabric, sw, *last)) continue;
    const NodeIndex node = fabric.switches[sw].node;
    if (devices.lfts.knows_any_block(sw))
      lost.push_back(
          {.id = kSweepConditions.tables_lost,
           .text = fmt::format(
               "{} showed LinearFDBTop {}, which was not written to it; its tables had to be read "
               "again and written",
               fabric.name(node), fabric.switches[sw].info.linear_fdb_top()),
           .guid = fabric.nodes[node].guid});
    devices.lfts.forget(sw);
    devices.mfts.forget(sw);
    forget_adaptive(devices, fabric.nodes[node].guid);
  }
  return lost;
}

void update_rejections(DeviceState& devices, Fabric& fabric, mad::TimePoint now) {
  devices.refusals.begin(fabric, now);
  devices.table.begin(fabric, now);
  devices.adaptive.begin(fabric, now);
  devices.disabled.update_from(fabric);
  devices.restarts.begin(fabric, now);
  forget_after_survey(devices.table, fabric);
  std::erase_if(devices.reregistering,
                [&](mad::Guid guid) { return !fabric.port_of_guid.contains(guid); });
  for (const PortIndex index : fabric.ports.indices()) {
    Port& port = fabric.ports[index];
    port.withheld = devices.refusals.has_settings() &&
                    port.info.port_state() < mad::PortState::active &&
                    devices.refusals.contains(subject_of(fabric, index, PortInfoPart::state));
  }
}

}  // namespace sm
