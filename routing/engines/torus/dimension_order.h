#pragma once
// Implements dimension-order routing in a torus that may lack links and switches.

#include <array>
#include <cstdint>
#include <vector>

#include "routing/engines/torus/grid.h"

namespace routing::torus {

/// Decides the direction in which packets leave each switch: x first, then y, then z. Each
/// dimension uses the shorter direction (of equal ones, the direction that does not cross the
/// dateline), or the longer one if links are missing. If the switch where a packet should turn is
/// missing, the packet turns early, at the last switch before it.
class DimensionOrder {
 public:
  /// Builds the order for a grid. Errors: refuses if missing links or switches disconnect a ring or
  /// line, and names two of its switches in different components.
  static tl::expected<DimensionOrder, Refusal> make(const RoutingInput& input, const Grid& grid);

  /// Returns the direction from a switch towards coordinates; kNoDirection if there is no path, or
  /// if the coordinates are reached.
  Direction next(Cell from, const Coordinates& at, const Coordinates& to) const {
    for (unsigned d = 0; d < kDimensions; ++d) {
      if (at[d] == to[d]) continue;
      const Direction direction = direction_[d][from * radix_[d] + to[d]];
      if (direction != kNoDirection) return direction;
    }
    return kNoDirection;
  }
  /// Returns the direction towards another switch of the same ring or line, without crossing the
  /// dateline unless the ring is broken.
  Direction next_on_line(Cell from, unsigned dimension, unsigned at, unsigned to) const {
    if (whole_ring_[dimension][from] != 0) return towards(dimension, to > at);
    return direction_[dimension][from * radix_[dimension] + to];
  }

 private:
  std::array<unsigned, kDimensions> radix_{};
  std::array<std::vector<Direction>, kDimensions>
      direction_;  // [cell][coordinate in this dimension]
  std::array<std::vector<std::uint8_t>, kDimensions> whole_ring_;  // by cell
};

/// Returns bits by dimension: bit n is 1 if the shorter direction in dimension n crosses the
/// dateline (between the last coordinate and 0) when nothing is missing. Lines count as rings here,
/// as in OpenSM.
std::uint8_t service_level(const Shape& shape, const Coordinates& from, const Coordinates& to);

/// Lists switches and links of the shape that the fabric does not have.
struct Missing {
  std::vector<Cell> switches;
  std::vector<std::pair<Cell, Direction>>
      links;  // between present switches, each once: the end from which it leads in plus direction
};
Missing missing_of(const RoutingInput& input, const Grid& grid);

}  // namespace routing::torus
