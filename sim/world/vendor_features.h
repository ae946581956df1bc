#pragma once
// Features of NVIDIA's devices beyond the specification. Simulated nodes have them only after tests
// or the console call these functions.

#include <functional>
#include <span>
#include <string_view>

#include "mad/attributes/adaptive_routing.h"
#include "mad/attributes/router_info.h"
#include "mad/attributes/vendor.h"
#include "sim/world/model.h"

namespace sim {

/// Returns capabilities of a switch for adaptive routing: 2048 groups, two sub-groups, copies of
/// groups, fast recovery, fault and congestion notification.
mad::AdaptiveRoutingInfo usual_adaptive_routing();
/// Returns capabilities of an older switch: 1024 groups, no copies, no recovery, all transports
/// alike.
mad::AdaptiveRoutingInfo basic_adaptive_routing();
/// Returns the usual capabilities, with 4095 groups and pFRN.
mad::AdaptiveRoutingInfo pfrn_adaptive_routing();
/// A kind of such switches, with its name in heddle-sim.
struct AdaptiveKind {
  std::string_view name;
  mad::AdaptiveRoutingInfo (*capabilities)();
};
std::span<const AdaptiveKind> adaptive_kinds();
/// Adds adaptive routing to a switch, in the state after power-on; ArSwitch of its SwitchState
/// defines its behaviour. False if the node is no switch.
bool enable_adaptive_routing(
    Model& model, NodeIndex node,
    const mad::AdaptiveRoutingInfo& capabilities = usual_adaptive_routing());
/// Adds adaptive routing to all switches, and reordering of packets to all CAs; only to nodes for
/// which `which` is true, if given. Returns the number of switches.
std::size_t make_adaptive(Model& model,
                          const mad::AdaptiveRoutingInfo& capabilities = usual_adaptive_routing(),
                          const std::function<bool(const NodeModel&)>& which = {});
/// Lets the switch announce private linear forwarding tables and keep their bytes. False if the
/// node is no switch.
bool enable_private_lft(Model& model, NodeIndex node, const mad::PrivateLftInfo& capabilities);
/// Makes the port support FDR10, without enabling it.
void support_fdr10(Model& model, PortIndex port);
/// Gives the port HierarchyInfo, one per index, and sets the bit in its capability mask.
void set_hierarchy(Model& model, PortIndex port, std::span<const mad::HierarchyInfo> levels);

/// Sets the tables that a router's firmware shows at this port; empty entries are not counted. If
/// they differ from the previous tables, sets the change bits of RouterInfo and returns true.
bool show_router_tables(Model& model, PortIndex port,
                        std::span<const mad::AdjacentSubnetsTable::Entry> adjacent,
                        std::span<const mad::NextHopTable::Entry> next_hops);

/// Resets settings and tables, as a boot does; capabilities and HierarchyInfo stay.
void power_on_vendor_features(Model& model, NodeIndex node);
void power_on_vendor_features(const PortExtras& before, PortExtras& after);

}  // namespace sim
