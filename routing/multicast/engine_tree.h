#pragma once
// The one tree that a routing engine gives for all multicast groups (RoutingResult::multicast_up):
// by switch the channel to its parent, kNoIndex at a root. Pure.

#include <span>

#include "fabric/switch_graph.h"
#include "routing/graph/tree_order.h"

namespace routing {

/// Returns the graph with the links to parents alone.
fabric::SwitchGraph tree_of(const fabric::SwitchGraph& graph,
                            std::span<const fabric::ChannelIndex> up);
/// Returns an order with parents before their children, so that up is towards the root. `tree`:
/// tree_of(whole, up).
TreeOrder order_of_tree(const fabric::SwitchGraph& tree, const fabric::SwitchGraph& whole,
                        std::span<const fabric::ChannelIndex> up);

}  // namespace routing
