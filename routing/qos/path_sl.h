#pragma once
// The service level that a path record names.

#include "fabric/fabric.h"
#include "fabric/published_routing.h"
#include "mad/ids.h"

namespace routing {

/// From where to where a path leads: the switch that the sender hangs on (or is), the LID, and the
/// switch that the LID's owner hangs on or is. Ends that no switch forwards for (kNoIndex) have no
/// lanes to heed.
struct PathEnds {
  sm::SwitchIndex from = sm::kNoIndex;
  mad::Lid to;
  sm::SwitchIndex home = sm::kNoIndex;
};
/// The SL of a path: what the routing wants; of a wish only the bits that it leaves free. Routings
/// without lanes of their own leave all.
mad::Sl path_sl(const sm::PublishedRouting& routing, const PathEnds& path, mad::Sl wish);

}  // namespace routing
