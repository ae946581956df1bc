#pragma once
// Which end of a cable is "up": an order of the switches without ties, so that routes that first
// climb and then descend can never wait for each other in a circle, whatever cables they use.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "mad/ids.h"

namespace routing {

struct TreeOrder {
  std::vector<std::uint32_t>
      place;               // by switch, no two alike: a cable goes up towards the smaller one
  bool by_levels = false;  // a tree-like fabric: up is away from the hosts
  std::vector<mad::Guid> centres;  // otherwise: up is towards the centre of the component; one per
                                   // component, by lowest switch
};

/// Tree-like fabrics (nearly every cable joins neighbouring levels, counted from the switches that
/// carry the hosts) are ordered by level, so that any switch above all members of a group can be a
/// root. All others are ordered by the distance from a centre, the switch with the smallest largest
/// distance: from every switch the way up leads there, so that a tree exists for every group.
/// A switch of `centres_before` (node GUIDs) stays the centre of its component: the order, and with
/// it the trees, then hardly change when a cable fails. `node_guid` by switch; switches that are
/// `excluded` count as if they had no cables. Deterministic whatever the indices are.
TreeOrder tree_order(const sm::SwitchGraph& graph, std::span<const mad::Guid> node_guid,
                     const std::vector<bool>& excluded, std::span<const mad::Guid> centres_before);

}  // namespace routing
