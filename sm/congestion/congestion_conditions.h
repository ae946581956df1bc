#pragma once
// Conditions about congestion control, for the operator. Pure.

#include <vector>

#include "fabric/fabric.h"
#include "sm/congestion/congestion_devices.h"
#include "sm/congestion/congestion_settings.h"

namespace sm {

/// One for each device that rejects settings, has an unknown CC_Key, or does not answer any more;
/// 500 of them at most, then one that counts the others. One about all devices that have no
/// congestion control.
std::vector<Condition> congestion_conditions(const Fabric& fabric, const CongestionRecords& records,
                                             const CongestionPlan& plan);

}  // namespace sm
