#pragma once
// Reads and writes of the rows of attributes that no step of their own reads
// (SweepRow::is_read_after_sweeps).

#include <memory>

#include "config/options.h"
#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Returns the reads that are due. An attribute of ports is first read at one port with a link of
/// each device, then at the others of devices that responded. The references must outlive the
/// stages.
std::unique_ptr<StageSource> optional_reads(const Fabric& fabric, DeviceState& devices,
                                            const config::Options& options);
/// Returns the writes of what was read, a stage a row.
std::unique_ptr<StageSource> optional_writes(const Fabric& fabric, DeviceState& devices,
                                             const config::Options& options);

}  // namespace sm
