#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Dimension-order routing on a torus or mesh of up to three dimensions as described by
/// torus_config, with datelines. SL bits 0 to 2: the path would cross the dateline of x, y, z on
/// the complete torus. They do not change when links or switches fail, so path records stay valid.
/// SL bit 3: QoS level. SLs, path lengths and VLs are those of OpenSM.
/// Missing links: the longer direction of the ring, unless the ring is disconnected. A missing
/// switch, or several in line in the last dimension: packets turn early. Other faults: accepted if
/// the tables have no credit loop, multicast included.
/// Guarantees: no credit loop, multicast included. By construction on at least 2 VLs with missing
/// links only, or 4 with missing switches in one line; all other tables are verified. A QoS level
/// has VLs of its own if there are 8. Shortest paths on the complete torus.
/// Errors: refuses without torus_config, if a switch gets no coordinates, if a ring or line is
/// disconnected, if a destination cannot be reached, and if a credit loop remains.
/// Source: OpenSM's torus-2QoS(8); datelines: Dally and Seitz 1987.
tl::expected<RoutingResult, Refusal> torus_2qos(const RoutingInput& input);

}  // namespace routing
