#pragma once
// Reads and writes adaptive routing, before and after forwarding tables change. No outcome can fail
// a sweep: a switch that does not take a write forwards by its forwarding table, and
// AdaptiveDevice::obstacle says why.

#include <memory>
#include <span>
#include <vector>

#include "config/options.h"
#include "sm/sweep/apply/adaptive_content.h"
#include "sm/sweep/apply/adaptive_update.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Says what to query of devices.
struct AdaptiveQueries {
  bool switches = false;  // whether they can route adaptively; else only those that may do so
                          // already, by their model and their tables, and are not in `known`
  bool cas = false;       // whether they put packets in order
  const Fabric* known = nullptr;  // as it was programmed last; null: nothing of it is trusted
};

/// Reads GeneralInfo and ARInfo of devices that were not queried yet, and the tables of switches
/// that route adaptively already. If such a switch does not forward as its LinearForwardingTable
/// says, TableMemory gets how it forwards, and the block counts as stale. Runs after the reads of
/// forwarding tables. The references must outlive the stages.
std::unique_ptr<StageSource> adaptive_reads(const Fabric& fabric, DeviceState& devices,
                                            AdaptiveQueries queries);

/// Returns the writes before forwarding tables change: groups lose ports, entries that would choose
/// among others become static, and switches that must not route adaptively stop.
std::unique_ptr<StageSource> adaptive_removal_stages(const Fabric& fabric, DeviceState& devices,
                                                     const Target& target,
                                                     const config::Options& options);

/// Identifies the ARLinearForwardingTable block for a LinearForwardingTable block that was just
/// written to a switch that routes adaptively.
struct AdaptiveBlock {
  SwitchIndex sw{0};
  std::uint32_t block = 0;  // of 16 LIDs
  StaticPorts static_ports{};
};
/// `lost` gets the numbers of unacknowledged blocks. `update` and `lost` must outlive the stage.
std::unique_ptr<Stage> adaptive_block_stage(const Fabric& fabric, const AdaptiveUpdate& update,
                                            std::vector<AdaptiveBlock> blocks,
                                            std::vector<std::uint32_t>& lost);

/// Returns the last writes: groups gain ports, entries become adaptive, and switches that hold all
/// of their tables begin. Of each model, the tables of the first switch are read back before any
/// begins. Entries that depend on an unknown block of some switch wait for the next sweep.
std::unique_ptr<StageSource> adaptive_addition_stages(const Fabric& fabric, DeviceState& devices,
                                                      const Target& target,
                                                      const config::Options& options);

enum class Reordering : std::uint8_t {
  read,      // alone, for a plan
  accept,    // before switches choose: further SLs
  withdraw,  // after switches have ceased to choose: SLs that are not chosen for any more
};
/// Returns the stages for CAs: they read and write OOOSLMask, the SLs whose packets a capable CA
/// accepts out of order. Packets to a port that is not known to accept them keep their order.
std::unique_ptr<StageSource> reordering_stages(const Fabric& fabric, DeviceState& devices,
                                               const Target& target, const config::Options& options,
                                               Reordering part);

}  // namespace sm
