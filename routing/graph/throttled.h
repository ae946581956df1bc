#pragma once

#include <cstdint>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

/// By channel of the graph: 1 if it may be used. With RoutingOptions::avoid_throttled_links, links
/// between switches that run below the width or speed that both ends support are not used, unless
/// the graph would be disconnected without them. A note gives their number.
std::vector<std::uint8_t> open_channels(const RoutingInput& input, fabric::ConditionList& notes);

}  // namespace routing
