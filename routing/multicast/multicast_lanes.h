#pragma once
// Multicast and unicast on the same virtual lanes: what trees add to who waits for whom, and one
// tree that adds no circle.

#include <cstdint>
#include <span>
#include <vector>

#include "routing/core/channel_graph.h"
#include "routing/core/engine.h"
#include "routing/multicast/multicast.h"

namespace routing {

/// What packets of these groups wait for, on the lanes of their SLs, each dependency once. Where
/// lanes change on the way, every lane counts that a packet may have come on.
std::vector<Dependency> multicast_dependencies(const sm::SwitchGraph& graph,
                                               const sm::MulticastTables& tables,
                                               std::span<const MulticastGroup> groups,
                                               const SlToVl& sl_to_vl);

/// Trees (RoutingResult::multicast_up) that are worth a try where trees of their own close circles
/// with unicast: packets that climb one of them wait as unicast to its root does. Roots are those
/// of the routing, then switches spread over the fabric; at most `trees_max`. None for fabrics in
/// pieces.
std::vector<std::vector<std::uint32_t>> trees_of_unicast(const RoutingInput& input,
                                                         const sm::ForwardingTables& lfts,
                                                         std::span<const mad::Guid> roots,
                                                         std::size_t trees_max);

}  // namespace routing
