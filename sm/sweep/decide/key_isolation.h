#pragma once
// Decides whether an end port is kept to its own partitions before its link carries data. Pure.

#include "fabric/fabric.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Every key of the port's table is known, and one that its partitions give it.
bool holds_no_other_key(const Fabric& fabric, const DeviceState& devices,
                        const partitions::PKeyTargets& wanted, PortIndex port);

/// Only the first block of the port's P_Key table is known, and the rest may wait until its link is
/// Active: this block has all keys of the port's partitions at the indices where they are to be, so
/// that the rest cannot hold one that has to stay where it is, and the switch port in front of the
/// end port is to check its packets and has no other keys, so that a key in the rest reaches
/// nothing.
bool may_wait_for_p_keys(const Fabric& fabric, const DeviceState& devices,
                         const partitions::PKeyTargets& wanted, PortIndex port);

/// The end port has no other keys, or the switch port in front of it is to check its packets and
/// has no other keys. True for all other ports.
bool may_be_armed(const Fabric& fabric, const DeviceState& devices, const Target& target,
                  PortIndex port);

/// The end port has the LID that it is given, and it, or the switch port that checks its packets
/// now, has no other keys. True for all other ports.
bool may_carry_data(const Fabric& fabric, const DeviceState& devices, const Target& target,
                    PortIndex port);

}  // namespace sm
