#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

struct MeshAxes {
  std::vector<std::uint8_t> of_channel;  // by channel: its dimension
  unsigned count = 0;
};

/// The dimensions of a mesh, torus or hypercube, found from the links alone. Opposite edges of a
/// square belong to one dimension, and so do two links of a switch that are in no common square. (A
/// ring of four is found as two dimensions of two, which is the same graph.) For graphs without
/// parallel links. `order`: all switches; it gives the numbers of the dimensions. Nothing: a switch
/// has more than two links of one dimension or more than 16 links, or there is only one dimension.
std::optional<MeshAxes> mesh_axes(const fabric::SwitchGraph& graph,
                                  std::span<const fabric::SwitchIndex> order);

}  // namespace routing
