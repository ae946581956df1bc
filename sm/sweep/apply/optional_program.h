#pragma once
// Sends the stages of optional_attributes.h, and logs what devices took.

#include <boost/asio/awaitable.hpp>

#include "config/options.h"
#include "sm/sweep/apply/environment.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Reads and writes. After everything else: devices that do not respond delay nothing. The
/// references must live until the coroutine returns.
boost::asio::awaitable<void> program_optional(const SweepEnvironment& environment,
                                              DeviceState& devices, const config::Options& options,
                                              const Fabric& fabric);

}  // namespace sm
