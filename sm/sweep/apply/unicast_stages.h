#pragma once
// LinearForwardingTables: what is read, and what is written.

#include <memory>
#include <span>
#include <vector>

#include "config/options.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Reads of blocks of which nothing is known, of switches that have a table (LinearFDBTop above 0).
/// A block that cannot be read counts as different. The references must outlive the stages.
std::unique_ptr<StageSource> unicast_reads(const Fabric& fabric, TableMemory& memory);

/// The blocks begin..end-1 of all LinearForwardingTables.
struct LftPart {
  std::uint32_t begin = 0, end = 0;
};

/// From this block on, what a bring-up writes can wait until hosts are Active; the number of blocks
/// if nothing can. The blocks hold LIDs of port 0 of switches alone, at which nothing but
/// management packets end, and which hosts need for no path. Until they are written, LinearFDBTop
/// stays below them, so that every switch drops packets to these LIDs, whatever its table holds
/// there: no switch may have a LinearFDBTop in or above them yet. Not the block of the manager's
/// own LID. Pure.
std::uint32_t first_waiting_block(const Fabric& fabric, const TableMemory& memory,
                                  const Target& target);

/// The highest LID of the blocks below `end`, or of all.
mad::Lid lid_top_below(const Target& target, std::uint32_t end);

/// Writes of the blocks of `part` that differ from target.lfts, in an order in which no packet is
/// in a forwarding loop (routing/verify/unicast_update.h), a stage for each phase. Switches that
/// forward to a link that is down come first, the block of the manager's own LID last. Block by
/// block over all switches: neighbours are different nodes. The references must outlive the stages.
/// `hold_back`, by PortIndex or empty, gets the switch ports whose links carry no data yet and must
/// not now: the switch did not acknowledge a block, and may still forward a LID there that belongs
/// elsewhere, or to no port (kept_lids.h).
/// A switch that does not show what was written above its LinearFDBTop gets that raised, and these
/// blocks again; from then on it is raised first (masked_tables.h).
std::unique_ptr<StageSource> unicast_stages(Fabric& fabric, DeviceState& devices,
                                            const Target& target, const config::Options& options,
                                            LftPart part, std::vector<bool>& hold_back);

/// Reads TableMemory::readback_block() of each of these switches. Those that hold something else
/// have lost their tables since their SwitchInfo was read, and are appended to `lost`. The
/// references must outlive the stage.
std::unique_ptr<Stage> table_readbacks(const Fabric& fabric, const DeviceState& devices,
                                       const LidMap& lids, std::span<const SwitchIndex> switches,
                                       std::vector<SwitchIndex>& lost);

}  // namespace sm
