#pragma once
// Recognises the topology of a fabric, and selects the engines that suit it.

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
  std::string what;  // for messages: "a fat tree of 3 levels, leaves with 18 up-links, 2 of its
                     // links missing, outside of it a, b"
};
Topology recognise(const RoutingInput& input);

/// Engine names to try, best first; they need not exist in the registry. For topologies other than
/// trees, all of them are free of credit loops if there are enough VLs.
std::vector<std::string_view> engines_for(const Topology& topology, const RoutingOptions& options);

}  // namespace routing
