#pragma once
// Paths and VLs of lash() after a change.

#include <cstddef>
#include <optional>

#include "routing/engines/virtual_lanes/lash_result.h"

namespace routing {

/// Hops of the previous routing stay where they are still on a shortest path. The others take the
/// least loaded that closes no cycle on the first VL, if there is one; a switch with a new link
/// leads its share of destinations over it. Pairs of switches whose path is another keep their VL
/// if they close no cycle with all paths before and after the change, so that there is none during
/// the update either; else they get another, one more than before if necessary. Nothing: the
/// previous routing is not lash's own with one path for each pair, so much has changed that a
/// routing from the beginning is better, or a pair fits on none of `available` VLs.
std::optional<RoutingResult> reroute_lash(const LashInput& frame, std::size_t available);

}  // namespace routing
