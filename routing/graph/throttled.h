#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

/// Per slot of the graph: 1 if ways may go over it. With RoutingOptions::avoid_throttled_links,
/// cables between switches that run with fewer lanes or more slowly than both ends support may not,
/// unless switches would lose each other by that. A note tells how many are left out.
std::vector<std::uint8_t> open_slots(const RoutingInput& input, std::vector<std::string>& notes);

}  // namespace routing
