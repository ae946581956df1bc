#include "routing/engines/distance/distance_engines.h"

#include "routing/engines/distance/by_distance.h"

namespace routing {

tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input) {
  return route_by_distance(input, [](const auto& shortest, const auto& route) { route(shortest); });
}

}  // namespace routing
