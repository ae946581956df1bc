#pragma once
// Positions of nodes in a drawing. Private to this directory.

#include <cstddef>
#include <vector>

#include "sm/ctl/topology/draw.h"

namespace topology {

struct Point {
  double x = 0, y = 0;
};

/// A drawing in units of pixels, y downwards, no margins.
struct Drawing {
  bool host_labels = false;  // hosts are labelled shapes, not dots
  double width = 0, height = 0;
  double curve_from =
      1e9;  // links at least this long are drawn as curves: in a grid, switches would hide them
  std::vector<Point> at;  // centre of every node
  std::vector<std::size_t>
      drawn_at;  // end nodes: the switch that they are drawn at, or their own index
};

inline constexpr double kSwitchWidth = 62, kSwitchHeight = 24, kHostWidth = 44, kHostHeight = 18,
                        kDotPitch = 9;

Drawing lay_out(const Topology& topology, Layout layout);

}  // namespace topology
