#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Dimension order on a torus or mesh of up to three dimensions that torus_config describes, kept
/// from deadlocks by datelines: SL bits 0 to 2 tell which datelines a path passes while nothing is
/// lost, and stay as they are when cables and switches are. So applications keep their paths. SL
/// bit 3 is a level of service. Lost cables: the long way round, as long as no ring falls into
/// pieces. A lost switch (or several in a row in the last dimension): packets turn early. Other
/// losses: if the tables turn out free of credit loops, multicast included. Else it refuses. SLs,
/// lengths of ways and lanes are OpenSM's.
tl::expected<RoutingResult, Refusal> torus_2qos(const RoutingInput& input);

}  // namespace routing
