#pragma once

#include "routing/core/engine.h"

namespace routing {

/// One shortest way for each pair of switches, in layers without circles (Skeie, Lysne, Theiss:
/// Layered shortest path routing, IPDPS 2002): both directions of a pair share a lane, so answers
/// may take the SL of what they answer. Lanes are as few as can be found, from lash_start_vl on,
/// and then evened out by pairs of hosts. Parallel cables are shared out by LID; of the LIDs of one
/// port (LMC), the first four go ways of their own where the lanes suffice. With do_mesh_analysis,
/// ways along the dimensions of meshes and tori are tried as well. Refuses when there are more
/// layers than lanes.
tl::expected<RoutingResult, Refusal> lash(const RoutingInput& input);

}  // namespace routing
