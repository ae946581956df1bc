#pragma once
// What NVIDIA's devices can do beyond the specification, and a plain node of the simulation does
// not unless told: for tests and consoles.

#include <span>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/hierarchy_info.h"
#include "sim/world/world.h"

namespace sim {

/// Capabilities of a switch with 64 ports of that age: 2048 groups, two sub-groups, fault and
/// congestion notification.
mad::AdaptiveRoutingInfo usual_adaptive_routing();
/// The switch announces adaptive routing and keeps its tables. Packets still go by the linear
/// forwarding table. False if it is no switch.
bool enable_adaptive_routing(
    World& world, NodeIndex node,
    const mad::AdaptiveRoutingInfo& capabilities = usual_adaptive_routing());
/// The same for private linear forwarding tables.
bool enable_private_lft(World& world, NodeIndex node, const mad::PrivateLftInfo& capabilities);
/// The port tells where it sits: one HierarchyInfo per index. Its capability mask says so.
void set_hierarchy(World& world, PortIndex port, std::span<const mad::HierarchyInfo> levels);

/// After a boot: settings and tables are lost, capabilities and the place in the machine stay.
void power_on_vendor_features(World& world, NodeIndex node);

}  // namespace sim
