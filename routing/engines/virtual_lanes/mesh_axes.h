#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

struct MeshAxes {
  std::vector<std::uint8_t> of_slot;  // per slot: the dimension that it leads along
  unsigned count = 0;
};

/// The dimensions of a mesh, torus or hypercube, found from the cabling alone. Cables that are
/// opposite each other in a square run along the same dimension, and so do two cables of a switch
/// that are in no square together. (A ring of four passes for two dimensions of two, which is as
/// good.) For graphs without parallel cables. `order`: all switches; dimensions are numbered as
/// they are met. Nothing if a dimension would meet a switch more than twice, if switches have more
/// than 16 cables or if there is one dimension only.
std::optional<MeshAxes> mesh_axes(const sm::SwitchGraph& graph,
                                  std::span<const sm::SwitchIndex> order);

}  // namespace routing
