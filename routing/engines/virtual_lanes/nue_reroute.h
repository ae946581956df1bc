#pragma once
// nue() from the previous tables.

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/core/engine.h"
#include "routing/core/hop_table.h"
#include "routing/graph/shortest_groups.h"
#include "routing/graph/tree_order.h"

namespace routing {

struct NueReroute {
  const RoutingInput& input;
  const std::vector<std::uint8_t>& open;  // by channel
  const HopTable<std::uint8_t>& hops;     // over these
  const ShortestGroups& groups;
  const std::vector<std::uint32_t>& senders;  // by switch
  const TreeOrder& levels;
};

/// The tables of the previous routing, in which switches that lost their path to a LID have another
/// one, and LIDs that gain a shorter path are rerouted. On each VL, new paths close no cycle with
/// all paths of hosts before and after the change together. Nothing: some switch with hosts finds
/// no such path, or so much has changed that a routing from the beginning is better.
std::optional<RoutingResult> reroute_nue(const NueReroute& frame);

}  // namespace routing
