#include "sm/sweep/key_isolation.h"

#include <algorithm>

namespace sm {
namespace {

/// The position in Fabric::end_ports; kNoIndex for other ports.
EndPortIndex end_port_of(const Fabric& fabric, PortIndex port) {
  const auto found = std::ranges::lower_bound(fabric.end_ports, port);
  return found == fabric.end_ports.end() || *found != port
             ? EndPortIndex(kNoIndex)
             : EndPortIndex(found - fabric.end_ports.begin());
}

bool has_isolated_table(const Fabric& fabric, const Held& held, const Target& target,
                        PortIndex port) {
  return fabric.ports[port].p_key_blocks > 0 && holds_no_other_key(fabric, held, target, port);
}

}  // namespace

bool holds_no_other_key(const Fabric& fabric, const Held& held, const Target& target,
                        PortIndex index) {
  const Port& port = fabric.ports[index];
  if (!held.unread_p_keys.empty() &&
      held.unread_p_keys.contains({fabric.nodes[port.node].guid, port.number}))
    return false;
  const auto observed = fabric.p_keys(index);
  const auto desired = target.p_keys.blocks.slice(port.first_p_key_block, observed.size());
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

bool may_be_armed(const Fabric& fabric, const Held& held, const Target& target, PortIndex index) {
  if (end_port_of(fabric, index) == kNoIndex || target.p_keys.blocks.empty() ||
      holds_no_other_key(fabric, held, target, index))
    return true;
  const PortIndex peer = fabric.ports[index].peer;
  return target.p_keys.enforcement[peer] == partitions::Enforcement{true, true} &&
         has_isolated_table(fabric, held, target, peer);
}

bool may_carry_data(const Fabric& fabric, const Held& held, const Target& target, PortIndex index) {
  const EndPortIndex end_port = end_port_of(fabric, index);
  if (end_port == kNoIndex) return true;
  const Port& port = fabric.ports[index];
  if (port.info.lid() != target.lids.of_end_port[end_port].base) return false;
  if (target.p_keys.blocks.empty() || holds_no_other_key(fabric, held, target, index)) return true;
  const mad::PortInfo& leaf = fabric.ports[port.peer].info;
  return leaf.partition_enforcement_inbound() && leaf.partition_enforcement_outbound() &&
         has_isolated_table(fabric, held, target, port.peer);
}

}  // namespace sm
