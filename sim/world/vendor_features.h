#pragma once
// Features of NVIDIA's devices beyond the specification. Simulated nodes have them only after these
// calls, of tests and the console.

#include <functional>
#include <span>
#include <string_view>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/router_info.h"
#include "mad/attributes/vendor.h"
#include "sim/world/model.h"

namespace sim {

/// Capabilities of a switch for adaptive routing: 2048 groups, two sub-groups, copies of groups,
/// fast recovery, fault and congestion notification.
mad::AdaptiveRoutingInfo usual_adaptive_routing();
/// Capabilities of an older switch: 1024 groups, no copies, no recovery, all transports alike.
mad::AdaptiveRoutingInfo basic_adaptive_routing();
/// The usual ones, 4095 groups and pFRN.
mad::AdaptiveRoutingInfo pfrn_adaptive_routing();
/// Kinds of such switches by name, as heddle-sim has them.
struct AdaptiveKind {
  std::string_view name;
  mad::AdaptiveRoutingInfo (*capabilities)();
};
std::span<const AdaptiveKind> adaptive_kinds();
/// The switch has adaptive routing, as after power-on; ArSwitch of its SwitchState says how it
/// behaves. False if it is no switch.
bool enable_adaptive_routing(
    Model& model, NodeIndex node,
    const mad::AdaptiveRoutingInfo& capabilities = usual_adaptive_routing());
/// All switches have it, and all CAs can put packets in order; or those nodes for which `which` is
/// true. Returns the number of switches.
std::size_t make_adaptive(Model& model,
                          const mad::AdaptiveRoutingInfo& capabilities = usual_adaptive_routing(),
                          const std::function<bool(const NodeModel&)>& which = {});
/// The switch announces private linear forwarding tables and keeps their bytes. False if it is no
/// switch.
bool enable_private_lft(Model& model, NodeIndex node, const mad::PrivateLftInfo& capabilities);
/// The port supports FDR10, which is not enabled.
void support_fdr10(Model& model, PortIndex port);
/// The port has HierarchyInfo, one per index; its capability mask says so.
void set_hierarchy(Model& model, PortIndex port, std::span<const mad::HierarchyInfo> levels);

/// A router's firmware shows these tables at this port from now on; empty entries are not counted.
/// True: they are others than before, and the change bits of RouterInfo are set.
bool show_router_tables(Model& model, PortIndex port,
                        std::span<const mad::AdjacentSubnetsTable::Entry> adjacent,
                        std::span<const mad::NextHopTable::Entry> next_hops);

/// After a boot: settings and tables are lost, capabilities and HierarchyInfo stay.
void power_on_vendor_features(Model& model, NodeIndex node);
void power_on_vendor_features(const PortExtras& before, PortExtras& after);

}  // namespace sim
