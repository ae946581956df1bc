#pragma once
// Whether cables form a torus, a mesh or a hypercube.

#include <optional>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

struct GridDimension {
  unsigned radix = 0;
  bool wraps = false;
  bool operator==(const GridDimension&) const = default;
};

/// The dimensions of a whole torus or mesh, largest first; nothing for everything else, also if a
/// cable is missing. A ring of four is told as two dimensions of two: that is the same. Parallel
/// cables count as one.
std::optional<std::vector<GridDimension>> grid_shape(const sm::SwitchGraph& graph);

/// Per switch its neighbours, each once, ascending.
std::vector<std::vector<sm::SwitchIndex>> distinct_neighbours(const sm::SwitchGraph& graph);

}  // namespace routing
