#pragma once
// The one tree that multicast takes in a torus.

#include <optional>
#include <vector>

#include "routing/core/channel_graph.h"
#include "routing/engines/torus/ways.h"

namespace routing::torus {

/// Per switch the slot to its parent; kNoIndex at the root and at switches without cables. From the
/// root, branches go along x, from these along y, and from those along z; none passes between the
/// last coordinate and 0 of a ring that is whole. So packets of groups, which have service level 0
/// or 8, turn on their way down as those to single hosts do, and on their way up add too few turns
/// to close a circle.
///
/// A line that misses a switch is left out of that. Packets that go its long way round and then up
/// the tree, and those that turn early beside the lost switch, could otherwise wait for each other
/// all around the ring. The switches on it hang on those beside them in the dimension before, each
/// on its own.
///
/// The root is the one nearest to the middle from which such a tree reaches all switches, in a
/// plane (or row) that such a line passes through where it has a switch; nothing if there is none.
std::optional<std::vector<std::uint32_t>> multicast_tree(const RoutingInput& input,
                                                         const Grid& grid, const Ways& ways);

/// What packets on this tree wait for with SL 0; those with SL 8 do so on other lanes, or on the
/// same.
std::vector<Dependency> tree_dependencies(const RoutingInput& input,
                                          const std::vector<std::uint32_t>& up,
                                          const SlToVl& sl_to_vl);

}  // namespace routing::torus
