#pragma once
// MulticastForwardingTables and MulticastFDBTop: what is read, and what is written.

#include <memory>
#include <vector>

#include "fabric/multicast_tables.h"
#include "sm/sweep/devices/multicast_memory.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Reads of units of which nothing is known, as far as the memory's blocks go. A unit that cannot
/// be read stays unknown, and is cleared before anything is added to it. Why read, and not clear: a
/// manager that restarts or takes over keeps the present trees, and no group loses a packet. The
/// references must outlive the stages.
std::unique_ptr<StageSource> multicast_reads(const Fabric& fabric, MulticastMemory& memory);

/// Reads only of what has to be known before `wanted` is written (routing::MattersNow). Where one
/// of them is not read, all units of that block are. The audit reads the others later.
std::unique_ptr<StageSource> multicast_reads(const Fabric& fabric, MulticastMemory& memory,
                                             const MulticastTables& wanted, bool use_top);

/// Writes that make switches hold `wanted`, in an order in which no packet of a member loops or is
/// delivered twice (routing/multicast/multicast_update.h). A switch that does not respond is
/// left as safe as can be, and tried again by the next plan. MulticastFDBTop, where a switch has it
/// and `use_top`: the highest MLID in use; raised when nothing unknown lies below it, before
/// entries that need it are written, and lowered after entries are gone. It is written into
/// `fabric`. `hold_back`: links that must not become Active now are set, by PortIndex
/// (routing::Attainable). The references must outlive the stages. Source: IBTA Vol
/// 1, 14.2.5.12, 14.2.5.4 (MulticastFDBTop), 14.2.5.6 (CapabilityMask.IsMulticastFDBTopSupported).
std::unique_ptr<StageSource> multicast_stages(Fabric& fabric, MulticastMemory& memory,
                                              const MulticastTables& wanted, bool use_top,
                                              std::vector<bool>& hold_back);

}  // namespace sm
