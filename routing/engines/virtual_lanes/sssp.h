#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Shortest ways, balanced over the whole fabric: destination after destination takes, of its
/// shortest ways, those over which the fewest pairs of host LIDs go so far. Compute nodes come
/// first, then I/O nodes, then others, switches last. Cables may be left out:
/// avoid_throttled_links. Not free of credit loops in general. On large fabrics two switches'
/// destinations are chosen at a time, each without seeing the other's: the same on one processor
/// and on many.
tl::expected<RoutingResult, Refusal> sssp(const RoutingInput& input);

/// The same ways, free of credit loops: where packets could wait for each other in a circle, some
/// of them get a lane of their own (see lanes.h). Lanes that are left over share the load. Refuses
/// when data_vls() are not enough.
tl::expected<RoutingResult, Refusal> dfsssp(const RoutingInput& input);

}  // namespace routing
