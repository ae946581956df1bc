#pragma once
// Features of NVIDIA's devices beyond the specification. Simulated nodes have them only after these
// calls, of tests and the console.

#include <span>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/vendor.h"
#include "sim/world/model.h"

namespace sim {

/// Capabilities of a 64-port switch of that generation: 2048 groups, two sub-groups, fault and
/// congestion notification.
mad::AdaptiveRoutingInfo usual_adaptive_routing();
/// The switch announces adaptive routing and keeps its tables. Packets still go by the linear
/// forwarding table. False if it is no switch.
bool enable_adaptive_routing(
    Model& model, NodeIndex node,
    const mad::AdaptiveRoutingInfo& capabilities = usual_adaptive_routing());
/// The switch announces private linear forwarding tables and keeps their bytes. False if it is no
/// switch.
bool enable_private_lft(Model& model, NodeIndex node, const mad::PrivateLftInfo& capabilities);
/// The port supports FDR10, which is not enabled.
void support_fdr10(Model& model, PortIndex port);
/// The port has HierarchyInfo, one per index; its capability mask says so.
void set_hierarchy(Model& model, PortIndex port, std::span<const mad::HierarchyInfo> levels);

/// After a boot: settings and tables are lost, capabilities and HierarchyInfo stay.
void power_on_vendor_features(Model& model, NodeIndex node);
void power_on_vendor_features(const PortExtras& before, PortExtras& after);

}  // namespace sim
