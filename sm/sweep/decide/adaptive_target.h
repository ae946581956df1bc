#pragma once
// Adaptive routing: what belongs to a target, and what is said of it.

#include <memory>
#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "sm/store/ar_group_ids.h"
#include "sm/sweep/decide/target.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {

/// Sets target.adaptive, for the groups of a routing. LIDs that routing did not know, of vports,
/// have the group of their physical port.
void add_adaptive(Target& target, std::shared_ptr<const AdaptiveGroups> groups,
                  const Fabric& fabric, const config::Options& options);

/// The numbers that switches use already for LIDs of these ports: of a routing of another start, or
/// of another manager. By NodeGUID of the switch that a port is attached to.
GroupIds groups_in_use(const Fabric& fabric, const LidMap& lids, const DeviceState& devices);
/// Unless the switch has another number, or another switch has this one.
void add_number(GroupIds& ids, mad::Guid guid, GroupId group);

/// The highest group that all switches which can route adaptively can hold.
GroupId group_limit(const Fabric& fabric, const DeviceState& devices);

/// Returns what is in effect. Null: the options do not ask for adaptive routing.
std::shared_ptr<const AdaptiveRouting> adaptive_routing(const Fabric& fabric,
                                                        const DeviceState& devices,
                                                        const Target& target,
                                                        const config::Options& options);

/// SM-ADAPTIVE-ROUTING-REFUSED, -MISMATCH and -PARTIAL.
std::vector<Condition> adaptive_conditions(const Fabric& fabric, const AdaptiveRouting& routing,
                                           const DeviceTable& table);

}  // namespace sm
