#pragma once
// Reads and writes the rows of attributes that no step of their own reads
// (SweepRow::is_read_after_sweeps).

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "config/options.h"
#include "sm/sweep/apply/environment.h"
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
/// Reads and writes. After everything else: devices that do not respond delay nothing. The
/// references must live until the coroutine returns.
boost::asio::awaitable<void> program_optional(const SweepEnvironment& environment,
                                              DeviceState& devices, const config::Options& options,
                                              const Fabric& fabric);

}  // namespace sm
