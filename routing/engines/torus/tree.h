#pragma once
// The multicast spanning tree of a torus.

#include <optional>
#include <vector>

#include "routing/core/channel_graph.h"
#include "routing/engines/torus/dimension_order.h"

namespace routing::torus {

/// By switch the channel to its parent; kNoIndex at the root and at switches without links. From
/// the root, branches go along x, from these along y, and from those along z; none crosses the
/// dateline of a complete ring. Multicast packets, which have SL 0 or 8, turn on their way down as
/// unicast packets do, and on their way up make too few turns to close a cycle of channel
/// dependencies.
///
/// A line with a missing switch is not a branch: packets that take its longer direction and then go
/// up the tree could form a credit loop with those that turn early next to the missing switch. Each
/// of its switches is instead a child of a neighbour in the previous dimension.
///
/// The root is the switch nearest to the centre from which such a tree reaches all switches, in a
/// plane (or row) that such a line crosses at a switch. Nothing: there is none.
std::optional<fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex>> multicast_tree(
    const RoutingInput& input, const Grid& grid, const DimensionOrder& order);

/// The channel dependencies of this tree with SL 0; those with SL 8 are on other VLs, or the same.
std::vector<Dependency> tree_dependencies(
    const RoutingInput& input,
    const fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex>& up,
    const SlToVl& sl_to_vl);

}  // namespace routing::torus
