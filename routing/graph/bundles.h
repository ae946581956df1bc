#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// The graph with all cables between two switches as one: what keeps packets on bundles out of
/// circles keeps them out on single cables, too. Slots of a switch are in the order of the lowest
/// port of each bundle, which `graph` has as their port. It has no end ports.
struct Bundles {
  sm::SwitchGraph graph;
  std::vector<std::uint32_t> first;   // per slot of `graph`, and one more: into `cables`
  std::vector<std::uint32_t> cables;  // slots of the full graph, in port order
  std::span<const std::uint32_t> cables_of(std::uint32_t bundle) const {
    return std::span(cables).subspan(first[bundle], first[bundle + 1] - first[bundle]);
  }
};

Bundles bundles_of(const sm::SwitchGraph& full);

}  // namespace routing
