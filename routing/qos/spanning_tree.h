#pragma once
// Computes a spanning tree of links over all switches: the channel dependencies of paths on it have
// no cycle, whichever switches send.

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

/// Holds a tree for each connected component of the fabric.
struct SpanningTree {
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex>
      up;  // per switch: the channel to its parent, kNoIndex at roots
  std::vector<fabric::SwitchIndex> top_first;  // all switches; parents before children

  /// Returns, by switch, the channel towards `last_switch` on the tree; for switches of other
  /// components, the channel towards their own root.
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> towards(
      const fabric::SwitchGraph& graph, fabric::SwitchIndex last_switch) const;
};

/// Searches breadth first over the channels that are `open`, from the root of each component: its
/// first switch in `order` (all switches). `used`: by channel, the number of other trees that use
/// it. Among equally near parents, a switch takes the parent with the least used link, then the
/// lowest port.
SpanningTree spanning_tree(const fabric::SwitchGraph& graph, std::span<const std::uint8_t> open,
                           std::span<const fabric::SwitchIndex> order,
                           std::span<const std::uint32_t> used);

/// Returns a tree for each component such that `channels` accepts the dependencies of packets
/// between all switches on it. The root of a component is its first switch in `order`. Returns
/// nullopt if there is no such tree; some dependencies may have been accepted then.
std::optional<SpanningTree> spanning_tree_within(AcyclicChannels& channels,
                                                 const fabric::SwitchGraph& graph,
                                                 std::span<const std::uint8_t> open,
                                                 std::span<const fabric::SwitchIndex> order);

/// Returns the order that multicast trees follow by default.
TreeOrder tree_order_of(const RoutingInput& input);
/// True if `order` is by levels, and no packets on `channels` go up after they went down: multicast
/// trees may then share the VL, whichever roots they have. `graph` may consist of bundles.
bool allows_shared_multicast_vl(const AcyclicChannels& channels, const fabric::SwitchGraph& graph,
                                const TreeOrder& order);

/// Returns the channel dependencies of packets from all switches with `senders` to all switches
/// with `destinations` on the tree, on VL 0. Both are by switch; a switch counts if its value is
/// not 0.
std::vector<Dependency> dependencies_on(const fabric::SwitchGraph& graph, const SpanningTree& tree,
                                        std::span<const std::uint32_t> senders,
                                        std::span<const std::uint32_t> destinations);

}  // namespace routing
