#pragma once
// Dimension order in a torus that may have lost cables and switches.

#include <array>
#include <cstdint>
#include <vector>

#include "routing/engines/torus/grid.h"

namespace routing::torus {

/// In which direction packets leave each switch: x first, then y, then z, each the shorter way
/// round (of equal ones that which does not pass between the last coordinate and 0), or the longer
/// one where cables are lost. If there is no switch where a packet should turn, it goes on as far
/// as there are switches and turns early.
class Ways {
 public:
  /// Refuses when lost cables or switches leave a ring or line in several pieces, and names two
  /// switches of different ones.
  static tl::expected<Ways, Refusal> make(const RoutingInput& input, const Grid& grid);

  /// From a switch towards a place; kNoDirection if there is no way, or it is there.
  Direction next(Cell from, const Coordinates& at, const Coordinates& to) const {
    for (unsigned d = 0; d < kDimensions; ++d) {
      if (at[d] == to[d]) continue;
      const Direction direction = way_[d][from * radix_[d] + to[d]];
      if (direction != kNoDirection) return direction;
    }
    return kNoDirection;
  }
  /// Towards another switch of the same ring or line, without passing between the last coordinate
  /// and 0 unless the ring is broken.
  Direction next_on_line(Cell from, unsigned dimension, unsigned at, unsigned to) const {
    if (whole_ring_[dimension][from] != 0) return towards(dimension, to > at);
    return way_[dimension][from * radix_[dimension] + to];
  }

 private:
  std::array<unsigned, kDimensions> radix_{};
  std::array<std::vector<Direction>, kDimensions> way_;  // [cell][coordinate in this dimension]
  std::array<std::vector<std::uint8_t>, kDimensions> whole_ring_;  // per cell
};

/// Bit n: the shorter way in dimension n passes between the last coordinate and 0, if nothing is
/// lost. Lines count as rings here, as in OpenSM.
std::uint8_t service_level(const Shape& shape, const Coordinates& from, const Coordinates& to);

/// What the shape has and the fabric has not.
struct Missing {
  std::vector<Cell> switches;
  std::vector<std::pair<Cell, Direction>> cables;  // between switches that are there, each once:
                                                   // the end from which it leads in plus direction
};
Missing missing_of(const RoutingInput& input, const Grid& grid);

}  // namespace routing::torus
