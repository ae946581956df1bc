#pragma once
// Adaptive routing: what is read, and what is written before and after forwarding tables change.
// None of it can fail a sweep: a switch that does not take it forwards by its forwarding table, and
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

/// Says what is asked of devices.
struct AdaptiveQuestions {
  bool switches = false;  // whether they can route adaptively; else only those that may do so
                          // already, by their model and their tables, and are not in `known`
  bool cas = false;       // whether they put packets in order
  const Fabric* known = nullptr;  // as it was programmed last; null: nothing of it is trusted
};

/// Reads GeneralInfo and ARInfo of devices that were not asked yet, and the tables of switches that
/// route adaptively already. Where these forward otherwise than the LinearForwardingTable says,
/// what they do becomes known of it (TableMemory), and the block counts as stale. To be read after
/// the forwarding tables. The references must outlive the stages.
std::unique_ptr<StageSource> adaptive_reads(const Fabric& fabric, DeviceState& devices,
                                            AdaptiveQuestions questions);

/// Before forwarding tables change: groups lose the ports that they are not to have, entries that
/// would choose among others become static, and switches that are not to route adaptively stop.
std::unique_ptr<StageSource> adaptive_removal_stages(const Fabric& fabric, DeviceState& devices,
                                                     const Target& target,
                                                     const config::Options& options);

/// The ARLinearForwardingTable blocks that belong to LinearForwardingTable blocks that were just
/// written to switches that route adaptively.
struct AdaptiveBlock {
  SwitchIndex sw{0};
  std::uint32_t block = 0;  // of 16 LIDs
  StaticPorts static_ports{};
};
/// `update` and `lost`, which gets the number of each that was not acknowledged, must outlive it.
std::unique_ptr<Stage> adaptive_block_stage(const Fabric& fabric, const AdaptiveUpdate& update,
                                            std::vector<AdaptiveBlock> blocks,
                                            std::vector<std::uint32_t>& lost);

/// After all else: groups gain ports, entries become adaptive, and switches that hold all of their
/// tables begin. Of each model, the tables of the first switch are read back before any begins.
/// Entries that depend on a block of some switch that is not known wait for the next sweep.
std::unique_ptr<StageSource> adaptive_addition_stages(const Fabric& fabric, DeviceState& devices,
                                                      const Target& target,
                                                      const config::Options& options);

/// After all else: SLs whose packets CAs that can do so take out of order (OOOSLMask). Reads what
/// is not known, and writes what differs.
std::unique_ptr<StageSource> reordering_stages(const Fabric& fabric, DeviceState& devices,
                                               const Target& target,
                                               const config::Options& options);
/// Reads alone: for a plan.
std::unique_ptr<StageSource> reordering_reads(const Fabric& fabric, DeviceState& devices,
                                              const Target& target, const config::Options& options);

}  // namespace sm
