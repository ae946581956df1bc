#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Shortest paths, balanced over the whole fabric: each destination in sequence takes, of its
/// shortest paths, those with the smallest sum of loads (pairs of host LIDs over a channel).
/// Compute nodes come first, then I/O nodes, other hosts, switches. Links may be left out
/// (avoid_throttled_links). On large fabrics the destinations of two switches are routed at once on
/// the same loads, independent of the number of processors.
/// Guarantees: shortest paths in hops over the links used; credit loops are not excluded.
/// Errors: refuses if some distance is above 254 hops.
/// Source: Hoefler, Schneider, Lumsdaine, Optimized routing for large-scale InfiniBand networks,
/// HOTI 2009.
tl::expected<RoutingResult, Refusal> sssp(const RoutingInput& input);

/// The paths of sssp() with VLs that exclude credit loops: of each cycle of the channel dependency
/// graph, some paths are moved to another VL (qos/lanes.h). VLs that are left balance the load.
/// Guarantees: as sssp(); no credit loop between hosts on the VLs used.
/// Errors: as sssp(); refuses if more than data_vls() VLs are needed.
/// Source: Domke, Hoefler, Nagel, Deadlock-free oblivious routing for arbitrary topologies, IPDPS
/// 2011.
tl::expected<RoutingResult, Refusal> dfsssp(const RoutingInput& input);

}  // namespace routing
