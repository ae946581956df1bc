#pragma once
// Lanes for given tables: which packets must not wait for each other.

#include <cstdint>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

struct LaneAssignment {
  PathSls sls;                        // SL = VL
  unsigned needed = 1;                // lanes that keep packets out of circles
  unsigned vls = 1;                   // with those that only share the load
  std::vector<std::uint8_t> weights;  // per lane: its share of the paths, the largest has 64
  std::vector<std::uint32_t> multicast_up =
      {};  // see RoutingResult; empty where only the load is shared
};

/// Gives each path (from a switch with hosts to the LID of a host elsewhere) the first lane in
/// which it closes no circle with the paths that have it already. Lanes that are left over are
/// handed to those with the most paths, shared by destination. The same input, the same lanes.
/// Refuses when some path has none of `vls` lanes, and names it.
tl::expected<LaneAssignment, Refusal> assign_lanes(const RoutingInput& input,
                                                   const sm::ForwardingTables& lfts, unsigned vls);

}  // namespace routing
