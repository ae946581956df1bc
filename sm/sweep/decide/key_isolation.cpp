#include "sm/sweep/decide/key_isolation.h"

#include <algorithm>

namespace sm {
namespace {

/// Returns the position in Fabric::end_ports; kNoIndex for other ports.
EndPortIndex find_end_port(const Fabric& fabric, PortIndex port) {
  const auto found = std::ranges::lower_bound(fabric.end_ports, port);
  return found == fabric.end_ports.end() || *found != port
             ? EndPortIndex(kNoIndex)
             : EndPortIndex(found - fabric.end_ports.begin());
}

bool has_isolated_table(const Fabric& fabric, const DeviceState& devices,
                        const partitions::PKeyTargets& wanted, PortIndex port) {
  return fabric.ports[port].p_key_blocks > 0 && holds_no_other_key(fabric, devices, wanted, port);
}

/// True if the port is to check P_Keys in both directions, and has only keys that it is to have.
bool is_to_isolate(const Fabric& fabric, const DeviceState& devices,
                   const partitions::PKeyTargets& wanted, PortIndex port) {
  return wanted.enforcement[port] == partitions::Enforcement{true, true} &&
         has_isolated_table(fabric, devices, wanted, port);
}

}  // namespace

bool may_wait_for_p_keys(const Fabric& fabric, const DeviceState& devices,
                         const partitions::PKeyTargets& wanted, PortIndex index) {
  const Port& port = fabric.ports[index];
  // Blocks that were not read are empty here, so that a block which is to have a key differs.
  return port.peer != kNoIndex &&
         std::ranges::equal(fabric.p_keys(index),
                            wanted.blocks.slice(port.first_p_key_block, port.p_key_blocks)) &&
         is_to_isolate(fabric, devices, wanted, port.peer);
}

bool holds_no_other_key(const Fabric& fabric, const DeviceState& devices,
                        const partitions::PKeyTargets& wanted, PortIndex index) {
  const Port& port = fabric.ports[index];
  if (!devices.knows_p_keys(fabric, index)) return false;
  const auto observed = fabric.p_keys(index);
  const auto desired = wanted.blocks.slice(port.first_p_key_block, observed.size());
  if (std::ranges::equal(observed, desired)) return true;
  const auto gives = [&](mad::PKey key) {
    return std::ranges::any_of(desired, [&](const mad::PKeyTable& block) {
      for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
        if (block.p_key(i) == key) return true;
      return false;
    });
  };
  return std::ranges::all_of(observed, [&](const mad::PKeyTable& block) {
    for (unsigned i = 0; i < mad::PKeyTable::kEntries; ++i)
      if (block.p_key(i) != mad::PKey{} && !gives(block.p_key(i))) return false;
    return true;
  });
}

bool may_be_armed(const Fabric& fabric, const DeviceState& devices, const Target& target,
                  PortIndex index) {
  if (find_end_port(fabric, index) == kNoIndex || target.p_keys.blocks.empty() ||
      holds_no_other_key(fabric, devices, target.p_keys, index))
    return true;
  return is_to_isolate(fabric, devices, target.p_keys, fabric.ports[index].peer);
}

bool may_carry_data(const Fabric& fabric, const DeviceState& devices, const Target& target,
                    PortIndex index) {
  const EndPortIndex end_port = find_end_port(fabric, index);
  if (end_port == kNoIndex) return true;
  const Port& port = fabric.ports[index];
  if (port.info.lid() != target.lids.of_end_port[end_port].base) return false;
  if (target.p_keys.blocks.empty() || holds_no_other_key(fabric, devices, target.p_keys, index))
    return true;
  const mad::PortInfo& leaf = fabric.ports[port.peer].info;
  return leaf.partition_enforcement_inbound() && leaf.partition_enforcement_outbound() &&
         has_isolated_table(fabric, devices, target.p_keys, port.peer);
}

}  // namespace sm
