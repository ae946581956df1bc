#pragma once
// Where the shapes of a picture go. Private to this folder.

#include <cstddef>
#include <vector>

#include "fabric/topology/write.h"

namespace sim {

struct Point {
  double x = 0, y = 0;
};

/// A picture in units of pixels, y downwards, no margins.
struct Drawing {
  bool host_labels = false;  // hosts are labelled shapes, not dots
  double width = 0, height = 0;
  double curve_from =
      1e9;  // cables at least this long are bows: in a grid they would hide behind switches
  std::vector<Point> at;          // centre of every node
  std::vector<std::size_t> home;  // end nodes: the switch that they stand by, or their own index
};

inline constexpr double kSwitchWidth = 62, kSwitchHeight = 24, kHostWidth = 44, kHostHeight = 18,
                        kDotPitch = 9;

Drawing lay_out(const Topology& topology, Layout layout);

}  // namespace sim
