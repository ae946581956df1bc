#pragma once
// Multicast and unicast on the same VLs: the channel dependencies that multicast trees add, and
// trees that add no cycle to those of unicast.

#include <cstdint>
#include <span>
#include <vector>

#include "routing/core/channel_graph.h"
#include "routing/core/engine.h"
#include "routing/multicast/multicast.h"

namespace routing {

/// Channel dependencies of these groups, on the VLs of their SLs, each dependency once. Where
/// packets change the VL on their path, every VL counts that a packet may arrive on.
/// Precondition: of a link of a tree, both ends send, as MulticastRouter writes it. Cost: reads the
/// tables once for each SL in use, on all processors.
std::vector<Dependency> multicast_dependencies(const fabric::SwitchGraph& graph,
                                               const fabric::MulticastTables& tables,
                                               std::span<const MulticastGroup> groups,
                                               const SlToVl& sl_to_vl);
/// Adds the same to `channels`, which is of this graph.
void add_multicast_dependencies(const fabric::SwitchGraph& graph,
                                const fabric::MulticastTables& tables,
                                std::span<const MulticastGroup> groups, const SlToVl& sl_to_vl,
                                ChannelGraph& channels);

/// Candidate trees (RoutingResult::multicast_up) for fabrics where other trees close cycles with
/// unicast: the way up such a tree has the channel dependencies of unicast to its root. Roots are
/// `roots`, then switches spread over the fabric; at most `trees_max` trees. None if the fabric is
/// not connected.
std::vector<std::vector<fabric::ChannelIndex>> trees_of_unicast(
    const RoutingInput& input, const fabric::ForwardingTables& lfts,
    std::span<const mad::Guid> roots, std::size_t trees_max);

}  // namespace routing
