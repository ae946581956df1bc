#pragma once
// Events at devices, after which part of what is known of them is no longer valid: of DeviceState
// and, by the rows of sweep_rows.h, of its DeviceTable.

#include <vector>

#include "fabric/condition.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Makes all tables of this node unknown.
void forget_tables(DeviceState& devices, const Fabric& fabric, NodeIndex node);
/// Forgets all that the node showed, because it holds other content than it showed. Settings that
/// it seemed to reject or not to support are set again.
void forget_node(DeviceState& devices, const Fabric& fabric, NodeIndex node);

/// Keeps the known switch tables that are still valid after a survey; no table if `trust` is false.
/// `last`: the fabric as it was programmed last, or null. Returns conditions for switches whose
/// tables are not those that were written.
std::vector<Condition> update_tables(DeviceState& devices, const Fabric& fabric, const Fabric* last,
                                     bool trust);
/// Updates which Sets ports rejected and when those are sent again; marks links that ports keep
/// from carrying data (Port::withheld).
void update_rejections(DeviceState& devices, Fabric& fabric, mad::TimePoint now);

}  // namespace sm
