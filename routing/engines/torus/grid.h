#pragma once
// Assigns coordinates to each switch in a torus or mesh of up to three dimensions.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "routing/core/engine.h"

namespace routing::torus {

inline constexpr unsigned kDimensions = 3;
using Coordinates = std::array<unsigned, kDimensions>;
struct Position;                       // in the grid
using Cell = fabric::Index<Position>;  // x + X * (y + Y * z)
using Direction = std::uint8_t;        // 2 * dimension, 1 more in plus direction
inline constexpr unsigned kDirections = 2 * kDimensions;
inline constexpr Direction kNoDirection = 0xFF;

constexpr Direction towards(unsigned dimension, bool plus) {
  return static_cast<Direction>(2 * dimension + (plus ? 1 : 0));
}
constexpr unsigned dimension_of(Direction direction) { return direction / 2; }
constexpr bool is_plus(Direction direction) { return direction % 2 != 0; }
constexpr char letter(unsigned dimension) { return static_cast<char>('x' + dimension); }

/// Holds the lengths of the three dimensions. Two switches form a line even if links connect them
/// in both directions: these are parallel links.
class Shape {
 public:
  explicit Shape(const std::array<TorusOptions::Dimension, kDimensions>& dimensions);

  unsigned radix(unsigned dimension) const { return radix_[dimension]; }
  bool is_ring(unsigned dimension) const { return ring_[dimension]; }
  fabric::IndexRange<Cell> all_cells() const { return {Cell{0}, Cell(cells())}; }
  std::size_t cells() const { return std::size_t{radix_[0]} * radix_[1] * radix_[2]; }
  Cell cell(const Coordinates& at) const {
    return Cell(at[0] + radix_[0] * (at[1] + radix_[1] * at[2]));
  }
  Coordinates coordinates(Cell cell) const {
    const unsigned at = cell;
    return {at % radix_[0], at / radix_[0] % radix_[1], at / radix_[0] / radix_[1]};
  }
  /// Returns kNoIndex if the line ends here.
  Cell next(Cell cell, Direction direction) const;
  std::string text() const;  // "5 x 5 x 3"; a dimension that is not a ring is followed by m
  std::string text_of(Cell cell) const;  // "(1,2,3)"

 private:
  Coordinates radix_{};
  std::array<bool, kDimensions> ring_{};
};

struct Grid {
  Shape shape;
  fabric::IndexVector<Cell, fabric::SwitchIndex> switch_at;  // kNoIndex: the switch is missing
  fabric::IndexVector<fabric::SwitchIndex, Cell>
      cell_of;  // kNoIndex: it has no links to other switches
  fabric::IndexVector<fabric::ChannelIndex, Direction>
      direction;  // kNoDirection: the link does not connect
                  // neighbours in the grid and is not used
};

/// Assigns coordinates, starting from the first seed of the options that is complete and from which
/// all switches get coordinates. A switch gets its cell when its links leave a single free one;
/// those with contradicting links come last. In a fabric that matches the options, degraded or not,
/// no coordinates are wrong.
/// Errors: refuses if a switch with links to others gets no coordinates, and names it.
tl::expected<Grid, Refusal> place_switches(const RoutingInput& input);

/// Returns a name like "S12" (0x...) at (1,2,3).
std::string name_at(const RoutingInput& input, const Grid& grid, Cell cell);

}  // namespace routing::torus
