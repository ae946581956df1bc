#pragma once
// VLs for given tables, such that the channel dependencies of each VL have no cycle.

#include <cstdint>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

struct VlAssignment {
  PathSls sls;                        // SL = VL
  unsigned needed = 1;                // VLs that exclude credit loops
  unsigned vls = 1;                   // with those that only balance the load
  std::vector<std::uint8_t> weights;  // per VL: its share of the paths, the largest has 64
  sm::IndexVector<sm::SwitchIndex, sm::ChannelIndex> multicast_up =
      {};  // see RoutingResult; empty where VLs only balance the load
};

/// Gives each path (from a switch with hosts to the LID of a host elsewhere) the first VL on which
/// it closes no cycle with the paths on it. VLs that are left over are added to those with the most
/// paths, and distributed by destination. Deterministic.
/// Errors: Refusal if a path fits on none of `vls` VLs; it names the path.
tl::expected<VlAssignment, Refusal> assign_vls(const RoutingInput& input,
                                               const sm::ForwardingTables& lfts, unsigned vls);

}  // namespace routing
