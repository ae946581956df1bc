#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Dimension order on meshes and hypercubes that are cabled alike everywhere: of all shortest ways
/// the one out of the lowest port (or the first in port_search_ordering). Load is spread over
/// parallel cables to the same switch only. On a torus it does not prevent credit loops.
tl::expected<RoutingResult, Refusal> dor(const RoutingInput& input);

}  // namespace routing
