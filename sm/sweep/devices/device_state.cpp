#include "sm/sweep/devices/device_state.h"

#include "fabric/plausible.h"
#include "mad/format.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "sm/sweep/devices/sweep_rows.h"

namespace sm {
namespace {

/// True if the switch shows the LinearFDBTop and MulticastFDBTop that it showed last. Otherwise it
/// has restarted, or another manager wrote to it.
bool shows_our_tables(const Fabric& fabric, SwitchIndex sw, const Fabric& last) {
  const mad::SwitchInfo& info = fabric.switches[sw].info;
  if (info.linear_fdb_top() == 0) return false;
  const auto before = last.node_of_guid.find(fabric.nodes[fabric.switches[sw].node].guid);
  if (before == last.node_of_guid.end()) return true;
  const Node& node = last.nodes[before->second];
  return node.is_switch() && shows_same_tables(last.switches[node.switch_index].info, info);
}

}  // namespace

bool shows_same_tables(const mad::SwitchInfo& a, const mad::SwitchInfo& b) {
  return linear_fdb_top(a) == linear_fdb_top(b) && a.multicast_fdb_top() == b.multicast_fdb_top();
}

bool shows_held_block(const Fabric& fabric, const DeviceState& devices, const LidMap& lids,
                      SwitchIndex sw, std::uint32_t block,
                      std::span<const std::uint8_t, kLftBlockLids> shown) {
  if (devices.lfts.holds(sw, block, shown)) return true;
  if (!devices.lfts.is_known(sw, block) ||
      !devices.masked_lfts.contains(fabric.nodes[fabric.switches[sw].node].guid))
    return false;
  const mad::Lid top{linear_fdb_top(fabric.switches[sw].info)};
  return difference(block, devices.lfts.tables()->block(sw, block), shown, top, lids) !=
         LftDifference::wrong;
}

void DeviceState::forget_tables() {
  lfts.forget_all();
  mfts.forget_all();
  vl_tables.forget_all();
  refusals.forget_tables();
  pairs.forget();
  table = {};
  adaptive.forget_all();
  invalidate_vports();
}

void DeviceState::invalidate_vports() {
  trials.clear();
  reread_vport_states();
  for (auto& [guid, port] : vports)
    for (auto& [index, vport] : port.vports) vport.stale = true;
}

void DeviceState::reread_vport_states() {
  for (auto& [guid, port] : vports) port.states_read = port.refuses = false;
}

bool DeviceState::knows_p_keys(const Fabric& fabric, PortIndex index) const {
  const Port& port = fabric.ports[index];
  return !is_waiting_for_p_keys(index) &&
         (unread_p_keys.empty() ||
          !unread_p_keys.contains({fabric.nodes[port.node].guid, port.number}));
}

void DeviceState::update_p_keys(const Fabric& fabric, std::span<const mad::Guid> read,
                                std::span<const PortPlace> unread) {
  if (unread_p_keys.empty() && unread.empty()) return;
  const std::set<mad::Guid> nodes(read.begin(), read.end());
  std::erase_if(unread_p_keys, [&](const PortPlace& port) {
    return nodes.contains(port.node) || !fabric.node_of_guid.contains(port.node);
  });
  unread_p_keys.insert(unread.begin(), unread.end());
}

void DeviceState::update_vports(const Fabric& fabric) {
  std::erase_if(vports,
                [&](const auto& port) { return !fabric.port_of_guid.contains(port.first); });
  constexpr std::size_t kModelsMax = 256;  // a host may show another model whenever it starts
  if (trials.size() <= kModelsMax) return;
  std::set<virt::Model> present;
  for (const PortIndex port : fabric.end_ports) present.insert(virt::Model::of(fabric, port));
  std::erase_if(trials, [&](const auto& trial) { return !present.contains(trial.first); });
}

void DeviceState::forget_adaptive(mad::Guid node) {
  adaptive.forget(node);
  forget_rows(table, forgotten::kTablesLost, node);
}

void DeviceState::forget_tables(const Fabric& fabric, NodeIndex node) {
  if (fabric.nodes[node].is_switch()) {
    lfts.forget(fabric.nodes[node].switch_index);
    mfts.forget(fabric.nodes[node].switch_index);
    forget_adaptive(fabric.nodes[node].guid);
  }
  if (!vl_tables.is_empty()) vl_tables.forget(node);
}

void DeviceState::forget_node(const Fabric& fabric, NodeIndex node) {
  forget_tables(fabric, node);
  refusals.forget(fabric.nodes[node].guid);
  forget_rows(table, forgotten::kDifference, fabric.nodes[node].guid);
  for (const Port& port : fabric.node_ports(node)) {
    const auto found = vports.find(port.guid);
    if (port.guid == mad::Guid{} || found == vports.end()) continue;
    found->second.states_read = false;
    for (auto& [index, vport] : found->second.vports) vport.stale = true;
  }
}

std::vector<Condition> DeviceState::update_tables(const Fabric& fabric, const Fabric* last,
                                                  bool trust) {
  lfts.update_from(fabric);
  masked_lfts.update_from(fabric, lfts.tables() == nullptr ? 0 : lfts.tables()->blocks());
  mfts.update_from(fabric);
  adaptive.update_from(fabric);
  if (!trust) {
    lfts.forget_all();
    mfts.invalidate();
    adaptive.forget_all();
    forget_rows(table, forgotten::kOtherManager);
  }
  std::vector<Condition> lost;
  if (last == nullptr) return lost;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    if (shows_our_tables(fabric, sw, *last)) continue;
    const NodeIndex node = fabric.switches[sw].node;
    if (lfts.knows_any_block(sw))
      lost.push_back(
          {.id = kSweepConditions.tables_lost,
           .text = fmt::format(
               "{} showed LinearFDBTop {}, which was not written to it; its tables had to be read "
               "again and written",
               fabric.name(node), fabric.switches[sw].info.linear_fdb_top()),
           .guid = fabric.nodes[node].guid});
    lfts.forget(sw);
    mfts.forget(sw);
    forget_adaptive(fabric.nodes[node].guid);
  }
  return lost;
}

void DeviceState::update_vl_tables(const Fabric& fabric, const Fabric* last, bool trust) {
  vl_tables.update_from(fabric);
  if (!trust) {
    vl_tables.forget_all();
    refusals.forget_tables();
  }
  if (last == nullptr) return;
  for (const NodeIndex index : fabric.nodes.indices()) {
    const Node& node = fabric.nodes[index];
    if (node.is_switch() ? shows_our_tables(fabric, node.switch_index, *last)
                         : may_hold_tables(fabric, index))
      continue;
    vl_tables.forget(index);
    refusals.forget_tables(node.guid);
  }
}

void DeviceState::update_pairs(const Fabric& fabric, std::shared_ptr<const ForwardingTables> wanted,
                               std::shared_ptr<const MulticastTables> wanted_multicast,
                               bool trust) {
  if (!trust) pairs.forget();
  pairs.add(fabric, std::move(wanted), lfts.tables(), std::move(wanted_multicast),
            &mfts.held().tables);
  pairs.take_grown();  // a sweep compares all tables
}

void DeviceState::update_rejections(Fabric& fabric, mad::TimePoint now) {
  refusals.begin(fabric, now);
  table.begin(fabric, now);
  adaptive.begin(fabric, now);
  disabled.update_from(fabric);
  restarts.begin(fabric, now);
  forget_after_survey(table, fabric);
  std::erase_if(reregistering, [&](mad::Guid guid) { return !fabric.port_of_guid.contains(guid); });
  for (const PortIndex index : fabric.ports.indices()) {
    Port& port = fabric.ports[index];
    port.withheld = refusals.has_settings() && port.info.port_state() < mad::PortState::active &&
                    refusals.contains(subject_of(fabric, index, PortInfoPart::state));
  }
}

}  // namespace sm
