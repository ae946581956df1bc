#pragma once
// The partition policy of a fabric without partitions.conf: everybody is a full member of the default partition and of no other.

#include <span>
#include <vector>

#include "config/options.h"
#include "mad/attributes/p_key_table.h"
#include "sm/fabric/fabric.h"

namespace partitions {

/// The P_Key table that a port should have: 0xffff at index 0, nothing else.
/// Shape:  PKeyTable::blocks(capacity) blocks, parallel to `observed`; blocks that were not read count as empty. Entries beyond the capacity in the
///         last block are left as they were, so that a block compares equal when nothing is to be done.
/// Units:  `capacity` counts keys; 0 (no table) gives no blocks.
/// Source: IBTA Vol 1, 14.2.5.7.
std::vector<mad::PKeyTable> p_key_blocks(std::span<const mad::PKeyTable> observed, unsigned capacity);

/// Keys that the port's table holds: NodeInfo PartitionCap for end ports, SwitchInfo PartitionEnforcementCap for external switch ports.
unsigned p_key_capacity(const sm::Fabric& fabric, sm::PortIndex port);

/// In which directions a switch port checks P_Keys.
struct Enforcement {
  bool inbound = false;
  bool outbound = false;
  bool any() const { return inbound || outbound; }
  bool operator==(const Enforcement&) const = default;
};
/// Only external switch ports that face a CA or router enforce, as far as the option asks for it and the switch can. Between switches nothing is
/// checked: packets were checked where they came in. Ports that enforce need the table of p_key_blocks() before their bits are set.
/// Source: IBTA Vol 1, 14.2.5.4 (InboundEnforcementCap, OutboundEnforcementCap, PartitionEnforcementCap).
Enforcement enforcement(const sm::Fabric& fabric, sm::PortIndex port, config::PartEnforce wanted);

}  // namespace partitions
