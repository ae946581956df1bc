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
  std::vector<std::uint8_t> weights;  // per VL: its share of the paths, the largest has 64; empty:
                                      // all are on one
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> multicast_up =
      {};  // see RoutingResult; empty where VLs only balance the load
};

/// Gives each path (from a switch with hosts to the LID of a host elsewhere) the first VL on which
/// it closes no cycle with the paths on it. VLs that are left over are added to those with the most
/// paths, and distributed by destination: all switches need tables in any case. Deterministic.
/// Where one VL suffices, only that one is used, paths have any SL, and no SLtoVLMappingTable is
/// required, unless RoutingOptions::spread_vls asks for VLs that only distribute load: a table for
/// each pair of ports of each switch is a high price for buffers that one VL has to itself
/// otherwise. No contents of these tables can add a cycle then: a cycle of (channel, VL)
/// dependencies leads through the same channels on one VL, and there is none (the tables may change
/// the VL from link to link). A packet is lost only where a table maps its SL to VL 15, as with
/// every engine that requires no tables. Errors: Refusal if a path fits on none of `vls` VLs; it
/// names the path.
tl::expected<VlAssignment, Refusal> assign_vls(const RoutingInput& input,
                                               const fabric::ForwardingTables& lfts, unsigned vls);

}  // namespace routing
