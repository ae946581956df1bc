#pragma once
// A strict order of the switches that gives every link an up and a down direction. Routes that go
// up and then down have no channel-dependency cycle, over any links.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "mad/ids.h"

namespace routing {

struct TreeOrder {
  std::vector<std::uint32_t> position;  // by switch, all different: up is towards the smaller one
  bool by_levels = false;               // a tree-like fabric: up is away from the hosts
  std::vector<mad::Guid> centres;  // otherwise: up is towards the centre of the component; one per
                                   // component, by lowest switch
};

/// Tree-like fabrics (nearly every link connects neighbouring levels, counted from the switches
/// with hosts) are ordered by level, so that any switch above all members of a group can be the
/// root. Other fabrics are ordered by the distance from a centre, the switch of smallest
/// eccentricity: it is reached upwards from every switch, so that a tree exists for every group. A
/// switch of `previous_centres` (NodeGUIDs) stays the centre of its component, so that the order
/// and the trees hardly change when a link fails. `node_guid` by switch; links of `excluded`
/// switches are ignored. Does not depend on the order of the indices.
TreeOrder tree_order(const fabric::SwitchGraph& graph, std::span<const mad::Guid> node_guid,
                     const std::vector<bool>& excluded,
                     std::span<const mad::Guid> previous_centres);

/// By channel: a number that ascends along paths that go up and then down. `position`: as in
/// TreeOrder.
std::vector<std::uint32_t> climbing_ranks(const fabric::SwitchGraph& graph,
                                          std::span<const std::uint32_t> position);
/// All channels in the order of these.
std::vector<fabric::ChannelIndex> climbing_first(const fabric::SwitchGraph& graph,
                                                 std::span<const std::uint32_t> position);

}  // namespace routing
