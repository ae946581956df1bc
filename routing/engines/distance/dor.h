#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Dimension-order routing for meshes and hypercubes that are cabled alike everywhere (Dally and
/// Seitz 1987), with OpenSM's rule: of the shortest paths, that out of the lowest port, or the
/// first in port_search_ordering. Load is distributed over parallel links to the same switch only.
/// Guarantees: shortest paths in hop weights. Credit loops are excluded on meshes and hypercubes
/// only; a torus has them.
/// Errors: none; routes every fabric.
tl::expected<RoutingResult, Refusal> dor(const RoutingInput& input);

}  // namespace routing
