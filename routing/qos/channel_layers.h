#pragma once
// The VLs of a previous routing, to which other paths are added.

#include <optional>
#include <span>
#include <vector>

#include "routing/core/engine.h"
#include "routing/qos/acyclic_channels.h"

namespace routing {

/// The channel dependencies of each VL, in a topological order. Nothing: they have a cycle.
/// `position`: as in TreeOrder; channels without dependencies are where paths that go up and then
/// down would have them, so that few have to move when paths are added. Precondition: no VL changes
/// on a path. Keeps a reference to `graph`, to which `dependencies` refers.
std::optional<std::vector<AcyclicChannels>> layers_of(const ChannelGraph& dependencies,
                                                      const fabric::SwitchGraph& graph,
                                                      std::span<const std::uint32_t> position);

/// A previous tree for multicast (RoutingResult::multicast_up), if all of its links are there, it
/// spans each component, and `layer` accepts the dependencies of packets between all switches on
/// it; some may have been accepted otherwise, too. Nothing also if a switch is new. `order`: all
/// switches, by GUID.
std::optional<fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex>> kept_tree(
    const fabric::SwitchGraph& graph, const Correspondence& was,
    const fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex>& previous,
    std::span<const fabric::SwitchIndex> order, AcyclicChannels& layer);

/// SLs and VLs for tables that differ from those of input.previous_routing for `lids` and at new
/// switches only. Paths
/// that are as they were keep their SL. The others keep theirs if they close no cycle with all
/// paths before and after the change, so that there is none during the update either; else they get
/// another VL, one more than before if necessary. A tree for multicast stays if all of its links
/// do. False if a path fits on none of `vls` VLs; `result` is not to be used then.
bool keep_vls(const RoutingInput& input, std::span<const mad::Lid> lids, unsigned vls,
              RoutingResult& result);

}  // namespace routing
