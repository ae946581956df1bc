#pragma once
// The routing of a switch graph that is as it was, whatever engine made it.

#include <optional>

#include "routing/core/engine.h"

namespace routing {

/// The previous routing, if no switch and no link between switches has been added or lost: only end
/// ports have. LIDs that moved to another switch, or are new, get the entries and SLs of another
/// LID there, from all switches: of those that the fewest other LIDs there have (and no other LID
/// of the same port, as far as possible), those of the lowest LID. So paths are those of the
/// engine, and nothing is computed but the entries of these LIDs. LIDs that have left get 0xFF.
/// Returns nothing if the graph differs, or there is no other LID at some switch. The result is to
/// be verified. Precondition: input.previous_routing is one of the same engine with the same
/// options.
std::optional<RoutingResult> with_sibling_columns(const RoutingInput& input);

}  // namespace routing
