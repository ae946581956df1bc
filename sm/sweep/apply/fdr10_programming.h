#pragma once

#include <boost/asio/awaitable.hpp>
#include <vector>

#include "config/options.h"
#include "sm/sweep/apply/environment.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Reads which ports have FDR10, and returns the Sets that bring them to what `options` says. The
/// references must live until the coroutine returns.
boost::asio::awaitable<std::vector<Write>> read_fdr10(const SweepEnvironment& environment,
                                                      DeviceState& devices,
                                                      const config::Options& options,
                                                      const Fabric& fabric);
/// Reads and writes. After everything else: devices that do not respond to it delay nothing.
boost::asio::awaitable<void> program_fdr10(const SweepEnvironment& environment,
                                           DeviceState& devices, const config::Options& options,
                                           const Fabric& fabric);

}  // namespace sm
