#pragma once
// Reads and writes LinearForwardingTables.

#include <memory>
#include <span>
#include <vector>

#include "config/options.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Reads unknown blocks of switches that have a table (LinearFDBTop above 0). A block that cannot
/// be read counts as different. The references must outlive the stages.
std::unique_ptr<StageSource> unicast_reads(const Fabric& fabric, TableMemory& memory);

/// Selects the blocks begin..end-1 of all LinearForwardingTables.
struct LftPart {
  std::uint32_t begin = 0, end = 0;
};

/// Returns the first block that a bring-up may write after hosts are Active; the number of blocks
/// if there is none. Such blocks hold only LIDs of port 0 of switches: only management packets end
/// there, and hosts need them for no path. The block of the manager's own LID cannot wait. Until
/// they are written, LinearFDBTop stays below them, so that every switch drops packets to these
/// LIDs, whatever its table holds there. No switch may have a LinearFDBTop in or above them yet.
/// Pure.
std::uint32_t first_waiting_block(const Fabric& fabric, const TableMemory& memory,
                                  const Target& target);

/// Returns the highest LID of the blocks below `end`, or of all.
mad::Lid lid_top_below(const Target& target, std::uint32_t end);

/// Writes the blocks of `part` that differ from target.lfts, a stage for each phase, in an order
/// without forwarding loops at any moment (routing/verify/unicast_update.h). Switches that forward
/// to a link that is down come first, the block of the manager's own LID last. Writes go block by
/// block over all switches, so that consecutive writes go to different nodes. The references must
/// outlive the stages. `hold_back`, by PortIndex or empty, gets switch ports whose links carry no
/// data yet and must not now. Their switch did not acknowledge a block, and may still forward a LID
/// there that belongs elsewhere, or to no port (kept_lids.h). If a switch does not show entries
/// above its LinearFDBTop, that is raised, and these blocks are written again; from then on it is
/// raised first (masked_tables.h).
std::unique_ptr<StageSource> unicast_stages(Fabric& fabric, DeviceState& devices,
                                            const Target& target, const config::Options& options,
                                            LftPart part, std::vector<bool>& hold_back);

/// Reads TableMemory::readback_block() of each of these switches. Appends those to `lost` that hold
/// other content: they have lost their tables since their SwitchInfo was read. The references
/// must outlive the stage.
std::unique_ptr<Stage> table_readbacks(const Fabric& fabric, const DeviceState& devices,
                                       const LidMap& lids, std::span<const SwitchIndex> switches,
                                       std::vector<SwitchIndex>& lost);

}  // namespace sm
