#pragma once
// One tree of cables over all switches: ways on it cannot wait for each other in a circle, whoever
// sends.

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

/// A tree for each piece of the fabric.
struct SpanningTree {
  std::vector<std::uint32_t> up;           // per switch: the slot to its parent, kNoIndex at roots
  std::vector<sm::SwitchIndex> top_first;  // all switches; parents before children

  /// Per switch: the slot towards `home` on the tree; for switches of other pieces that to their
  /// own root.
  std::vector<std::uint32_t> towards(const sm::SwitchGraph& graph, sm::SwitchIndex home) const;
};

/// Breadth first over the slots that are `open`, from the root of each piece: the first in `order`
/// (all switches). `used`: per slot, how many other trees go over it. Of equally near parents a
/// switch takes the one with the least used cable, then the lowest port.
SpanningTree spanning_tree(const sm::SwitchGraph& graph, std::span<const std::uint8_t> open,
                           std::span<const sm::SwitchIndex> order,
                           std::span<const std::uint32_t> used);

/// A tree for each piece, of which `channels` lets in what packets between all switches wait for on
/// it; roots are the first of each piece in `order`. Nothing if it does not come about; some
/// dependencies may have been let in then.
std::optional<SpanningTree> spanning_tree_within(AcyclicChannels& channels,
                                                 const sm::SwitchGraph& graph,
                                                 std::span<const std::uint8_t> open,
                                                 std::span<const sm::SwitchIndex> order);

/// The order that multicast trees follow where nobody asks for more.
TreeOrder tree_order_of(const RoutingInput& input);
/// Whether that is an order by levels, in which no packets on `channels` climb after they have
/// descended: then multicast trees may share the lane, whatever switches they meet at. `graph` may
/// be of bundles.
bool multicast_fits_anyway(const AcyclicChannels& channels, const sm::SwitchGraph& graph,
                           const TreeOrder& order);

/// What waits for what when packets of all switches with `senders` go to all switches with
/// `destinations` on the tree, on lane 0. Both are per switch, and only whether they are 0 matters.
std::vector<Dependency> dependencies_on(const sm::SwitchGraph& graph, const SpanningTree& tree,
                                        std::span<const std::uint32_t> senders,
                                        std::span<const std::uint32_t> destinations);

}  // namespace routing
