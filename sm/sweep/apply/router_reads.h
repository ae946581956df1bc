#pragma once
// Reads of routers: RouterInfo, and the tables that it says have changed.

#include <memory>

#include "sm/sweep/devices/device_state.h"
#include "sm/sweep/devices/stage.h"

namespace sm {

/// Reads RouterInfo of all routers, then the tables that are not known, or that its change bits
/// name. Nothing is written: how change bits are cleared is not public, so a bit that stays set
/// has its table read again. The references must outlive the stages.
std::unique_ptr<StageSource> router_reads(const Fabric& fabric, DeviceState& devices);

}  // namespace sm
