#pragma once
// What a fabric looks like, and which engines suit it.

#include <string>
#include <string_view>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

enum class TopologyKind : std::uint8_t {
  no_switches,
  one_switch,
  tree,
  torus,
  hypercube,
  dragonfly,
  other
};

struct Topology {
  TopologyKind kind = TopologyKind::other;
  std::string what;  // in an operator's words: "a fat tree of 3 levels, leaves with 18 up-links, 2
                     // % of its cables missing"
};
Topology recognise(const RoutingInput& input);

/// Engines to try, best first, whether they are built or not. The ones for anything else than trees
/// are all free of deadlocks, if there are enough lanes for them.
std::vector<std::string_view> engines_for(const Topology& topology, const RoutingOptions& options);

}  // namespace routing
