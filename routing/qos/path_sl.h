#pragma once
// The service level of path records.

#include "fabric/fabric.h"
#include "fabric/published_routing.h"
#include "mad/ids.h"

namespace routing {

/// The ends of a path: the switch that the sender is attached to (or is), the destination LID, and
/// the switch that its owner is attached to (or is). kNoIndex: no switch; such paths have no VL
/// constraints.
struct PathEnds {
  fabric::SwitchIndex from = fabric::kNoIndex;
  mad::Lid to;
  fabric::SwitchIndex last_switch = fabric::kNoIndex;
};
/// The SL of a path: that of the routing; of `requested` only the bits that the routing leaves
/// free. Routings without VLs of their own leave all bits free.
mad::Sl path_sl(const fabric::PublishedRouting& routing, const PathEnds& path, mad::Sl requested);

}  // namespace routing
