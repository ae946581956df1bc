#include "sm/sweep/devices/device_state.h"

#include "fabric/plausible.h"

namespace sm {
bool shows_same_tables(const mad::SwitchInfo& a, const mad::SwitchInfo& b) {
  return linear_fdb_top(a) == linear_fdb_top(b) && a.multicast_fdb_top() == b.multicast_fdb_top();
}

bool shows_our_tables(const Fabric& fabric, SwitchIndex sw, const Fabric& last) {
  const mad::SwitchInfo& info = fabric.switches[sw].info;
  if (info.linear_fdb_top() == 0) return false;
  const auto before = last.node_of_guid.find(fabric.nodes[fabric.switches[sw].node].guid);
  if (before == last.node_of_guid.end()) return true;
  const Node& node = last.nodes[before->second];
  return node.is_switch() && shows_same_tables(last.switches[node.switch_index].info, info);
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

}  // namespace sm
