#include "routing/rows/minhop.h"

#include "routing/rows/by_distance.h"

namespace routing {

tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input) {
  return route_by_distance(input, [](const auto& shortest, const auto& route) { route(shortest); });
}

}  // namespace routing
