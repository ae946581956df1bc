#include "routing/engines/torus/dimension_order.h"

#include <algorithm>

#include "mad/format.h"

namespace routing::torus {

using fabric::kNoIndex;

namespace {

// Returns, by cell, one bit for each direction with a link.
std::vector<std::uint8_t> open_directions(const fabric::SwitchGraph& graph, const Grid& grid) {
  std::vector<std::uint8_t> open(grid.shape.cells(), 0);
  for (const fabric::SwitchIndex sw : graph.all_switches())
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      if (grid.direction[channel] != kNoDirection)
        open[grid.cell_of[sw]] |= static_cast<std::uint8_t>(1u << grid.direction[channel]);
  return open;
}

// One ring or line, by coordinate.
struct Line {
  std::vector<Cell> cells;
  std::vector<bool> present;          // a switch is present
  std::vector<unsigned> plus, minus;  // number of consecutive links from here

  Line(const Grid& grid, const std::vector<std::uint8_t>& open, Cell first, unsigned dimension) {
    const unsigned radix = grid.shape.radix(dimension);
    Coordinates at = grid.shape.coordinates(first);
    for (at[dimension] = 0; at[dimension] < radix; ++at[dimension]) {
      cells.push_back(grid.shape.cell(at));
      present.push_back(grid.switch_at[cells.back()] != kNoIndex);
    }
    plus.assign(radix, 0);
    minus.assign(radix, 0);
    const auto leads = [&](unsigned i, bool forward) {
      return (open[cells[i]] >> towards(dimension, forward) & 1u) != 0;
    };
    // Two rounds are necessary so that each coordinate gets the links beyond the end.
    for (unsigned step = 0; step < 2 * radix; ++step) {
      const unsigned up = step % radix, down = radix - 1 - up;
      minus[up] = leads(up, false) ? std::min(radix, minus[(up + radix - 1) % radix] + 1) : 0;
      plus[down] = leads(down, true) ? std::min(radix, plus[(down + 1) % radix] + 1) : 0;
    }
  }

  unsigned radix() const { return static_cast<unsigned>(cells.size()); }
  bool whole_ring() const { return plus.front() == radix(); }
  unsigned distance(unsigned from, unsigned to, bool forward) const {
    return forward ? (to + radix() - from) % radix() : (from + radix() - to) % radix();
  }
  bool reaches(unsigned from, unsigned to, bool forward) const {
    return distance(from, to, forward) <= (forward ? plus : minus)[from];
  }

  /// Returns the next direction; kNoDirection if there is no path.
  Direction next(unsigned dimension, bool ring, unsigned from, unsigned to) const {
    if (from == to || !present[from]) return kNoDirection;
    const unsigned forth = distance(from, to, true), back = radix() - forth;
    const bool forward = !ring || forth == back ? to > from : forth < back;
    if (present[to]) {
      if (reaches(from, to, forward)) return towards(dimension, forward);
      return ring && reaches(from, to, !forward) ? towards(dimension, !forward) : kNoDirection;
    }
    return (forward ? plus : minus)[from] > 0 ? towards(dimension, forward) : kNoDirection;
  }

  // Returns the first two switches that no links of this line connect.
  std::optional<std::pair<Cell, Cell>> broken() const {
    const auto first = static_cast<unsigned>(std::ranges::find(present, true) - present.begin());
    for (unsigned i = first + 1; i < radix(); ++i)
      if (present[i] && !reaches(first, i, true) && !reaches(first, i, false))
        return std::pair(cells[first], cells[i]);
    return std::nullopt;
  }
};

}  // namespace

tl::expected<DimensionOrder, Refusal> DimensionOrder::make(const RoutingInput& input,
                                                           const Grid& grid) {
  const Shape& shape = grid.shape;
  const std::vector<std::uint8_t> open = open_directions(input.graph, grid);
  DimensionOrder order;
  for (unsigned d = 0; d < kDimensions; ++d) {
    const unsigned radix = order.radix_[d] = shape.radix(d);
    order.direction_[d].assign(shape.cells() * radix, kNoDirection);
    order.whole_ring_[d].assign(shape.cells(), 0);
    for (const Cell first : shape.all_cells()) {
      if (radix == 1 || shape.coordinates(first)[d] != 0) continue;
      const Line line(grid, open, first, d);
      if (const auto parts = line.broken())
        return tl::unexpected(Refusal{
            fmt::format("the {} in {} through {} is disconnected: none of its links lead to {}",
                        shape.is_ring(d) ? "ring" : "line", letter(d),
                        name_at(input, grid, parts->first), name_at(input, grid, parts->second))});
      for (unsigned from = 0; from < radix; ++from) {
        order.whole_ring_[d][line.cells[from]] = shape.is_ring(d) && line.whole_ring() ? 1 : 0;
        for (unsigned to = 0; to < radix; ++to)
          order.direction_[d][line.cells[from] * radix + to] =
              line.next(d, shape.is_ring(d), from, to);
      }
    }
  }
  return order;
}

std::uint8_t service_level(const Shape& shape, const Coordinates& from, const Coordinates& to) {
  unsigned sl = 0;
  for (unsigned d = 0; d < kDimensions; ++d) {
    const unsigned apart = from[d] > to[d] ? from[d] - to[d] : to[d] - from[d];
    sl |= 2 * apart > shape.radix(d) && shape.radix(d) > 2 ? 1u << d : 0u;
  }
  return static_cast<std::uint8_t>(sl);
}

Missing missing_of(const RoutingInput& input, const Grid& grid) {
  const std::vector<std::uint8_t> open = open_directions(input.graph, grid);
  Missing missing;
  for (const Cell cell : grid.shape.all_cells()) {
    if (grid.switch_at[cell] == kNoIndex) missing.switches.push_back(cell);
    for (unsigned d = 0; d < kDimensions; ++d) {
      const Cell next = grid.shape.next(cell, towards(d, true));
      const bool both_present =
          next != kNoIndex && grid.switch_at[cell] != kNoIndex && grid.switch_at[next] != kNoIndex;
      if (both_present && (open[cell] >> towards(d, true) & 1u) == 0)
        missing.links.emplace_back(cell, towards(d, true));
    }
  }
  return missing;
}

}  // namespace routing::torus
