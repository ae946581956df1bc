#pragma once
// Finds whether the switch graph is a torus, a mesh or a hypercube.

#include <optional>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

struct GridDimension {
  unsigned radix = 0;
  bool wraps = false;
  bool operator==(const GridDimension&) const = default;
};

/// The dimensions of a complete torus or mesh, largest first; nothing for any other graph, also if
/// one link is missing. A ring of four is reported as two dimensions of two, which is the same
/// graph. Parallel links count as one.
std::optional<std::vector<GridDimension>> grid_shape(const fabric::SwitchGraph& graph);

/// By switch: its neighbours, each once, ascending.
std::vector<std::vector<fabric::SwitchIndex>> distinct_neighbours(const fabric::SwitchGraph& graph);

}  // namespace routing
