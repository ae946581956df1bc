#pragma once

#include "routing/core/engine.h"

namespace routing {

/// One shortest path for each pair of switches, in layers whose channel dependency graphs have no
/// cycle; a layer is a VL. Both directions of a pair use one VL, so that responses can use the SL
/// of the request. The number of VLs is as small as can be found, from lash_start_vl on; then pairs
/// of hosts are balanced over them. LIDs are distributed over parallel links. Of the LIDs of one
/// port (LMC), the first four have paths of their own if the VLs suffice. With do_mesh_analysis,
/// paths along the dimensions of meshes and tori are tried as well.
/// Guarantees: shortest paths in hops; no credit loop between hosts on the VLs used.
/// Errors: refuses if there are more layers than data VLs from lash_start_vl on, or if some
/// distance is above 254 hops.
/// Source: Skeie, Lysne, Theiss, Layered shortest path (LASH) routing in irregular system area
/// networks, IPDPS 2002.
tl::expected<RoutingResult, Refusal> lash(const RoutingInput& input);

}  // namespace routing
