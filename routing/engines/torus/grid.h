#pragma once
// Where each switch stands in a torus or mesh of up to three dimensions.

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
using Cell = std::uint32_t;      // x + X * (y + Y * z)
using Direction = std::uint8_t;  // 2 * dimension, 1 more in plus direction
inline constexpr unsigned kDirections = 2 * kDimensions;
inline constexpr Direction kNoDirection = 0xFF;

constexpr Direction towards(unsigned dimension, bool plus) {
  return static_cast<Direction>(2 * dimension + (plus ? 1 : 0));
}
constexpr unsigned dimension_of(Direction direction) { return direction / 2; }
constexpr bool is_plus(Direction direction) { return direction % 2 != 0; }
constexpr char letter(unsigned dimension) { return static_cast<char>('x' + dimension); }

/// Lengths of the three dimensions. Two switches make a line, also where they have cables both ways
/// round: these are parallel cables.
class Shape {
 public:
  explicit Shape(const std::array<TorusOptions::Dimension, kDimensions>& dimensions);

  unsigned radix(unsigned dimension) const { return radix_[dimension]; }
  bool is_ring(unsigned dimension) const { return ring_[dimension]; }
  std::size_t cells() const { return std::size_t{radix_[0]} * radix_[1] * radix_[2]; }
  Cell cell(const Coordinates& at) const { return at[0] + radix_[0] * (at[1] + radix_[1] * at[2]); }
  Coordinates coordinates(Cell cell) const {
    return {cell % radix_[0], cell / radix_[0] % radix_[1], cell / radix_[0] / radix_[1]};
  }
  /// kNoIndex where a line ends.
  Cell next(Cell cell, Direction direction) const;
  std::string text() const;            // "5 x 5 x 3", with an m behind dimensions that are no rings
  std::string place(Cell cell) const;  // "(1,2,3)"

 private:
  Coordinates radix_{};
  std::array<bool, kDimensions> ring_{};
};

struct Grid {
  Shape shape;
  std::vector<sm::SwitchIndex> switch_at;  // per cell; kNoIndex: missing
  std::vector<Cell> cell_of;               // per switch; kNoIndex: it has no cables to others
  std::vector<Direction> direction;  // per slot; kNoDirection: the cable joins switches that are
                                     // not next to each other, or is not used
};

/// Places the switches, beginning with those of a seed (the first one of the options that is
/// complete, and from which all others can be placed). A switch is placed once its cables leave a
/// single free cell; those whose cables contradict each other come last. In a fabric that is what
/// the options say, damaged or not, no switch gets a wrong place. Refuses when some switch that has
/// cables to others cannot be placed, and names it.
tl::expected<Grid, Refusal> place_switches(const RoutingInput& input);

/// "S12" (0x...) at (1,2,3)
std::string name_at(const RoutingInput& input, const Grid& grid, Cell cell);

}  // namespace routing::torus
