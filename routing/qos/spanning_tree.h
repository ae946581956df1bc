#pragma once
// A spanning tree of links over all switches: the channel dependencies of paths on it have no
// cycle, whichever switches send.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/core/channel_graph.h"
#include "routing/core/engine.h"
#include "routing/graph/tree_order.h"
#include "routing/qos/acyclic_channels.h"

namespace routing {

/// A tree for each connected component of the fabric.
struct SpanningTree {
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex>
      up;  // per switch: the channel to its parent, kNoIndex at roots
  std::vector<fabric::SwitchIndex> top_first;  // all switches; parents before children

  /// Per switch: the channel towards `last_switch` on the tree; for switches of other components
  /// the one towards their own root.
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> towards(
      const fabric::SwitchGraph& graph, fabric::SwitchIndex last_switch) const;
};

/// Breadth first over the channels that are `open`, from the root of each component: its first
/// switch in `order` (all switches). `used`: per channel, the number of other trees on it. Of
/// equally near parents a switch takes the one with the least used link, then the lowest port.
SpanningTree spanning_tree(const fabric::SwitchGraph& graph, std::span<const std::uint8_t> open,
                           std::span<const fabric::SwitchIndex> order,
                           std::span<const std::uint32_t> used);

/// A tree for each component, such that `channels` accepts the dependencies of packets between all
/// switches on it; roots are the first of each component in `order`. nullopt if there is none; some
/// dependencies may have been accepted then.
std::optional<SpanningTree> spanning_tree_within(AcyclicChannels& channels,
                                                 const fabric::SwitchGraph& graph,
                                                 std::span<const std::uint8_t> open,
                                                 std::span<const fabric::SwitchIndex> order);

/// The order that multicast trees follow by default.
TreeOrder tree_order_of(const RoutingInput& input);
/// True if that is an order by levels, in which no packets on `channels` go up after they went
/// down: then multicast trees may share the VL, whatever their roots are. `graph` may be of
/// bundles.
bool multicast_fits_anyway(const AcyclicChannels& channels, const fabric::SwitchGraph& graph,
                           const TreeOrder& order);

/// The channel dependencies of packets from all switches with `senders` to all switches with
/// `destinations` on the tree, on VL 0. Both are per switch; only whether they are 0 matters.
std::vector<Dependency> dependencies_on(const fabric::SwitchGraph& graph, const SpanningTree& tree,
                                        std::span<const std::uint32_t> senders,
                                        std::span<const std::uint32_t> destinations);

}  // namespace routing
