#include "routing/engines/torus/tree.h"

#include <algorithm>
#include <numeric>

namespace routing::torus {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

class Tree {
 public:
  Tree(const RoutingInput& input, const Grid& grid, const DimensionOrder& order)
      : graph_(input.graph),
        grid_(grid),
        order_(order),
        shape_(grid.shape),
        damaged_(shape_.cells(), kNoDimension) {
    for (unsigned d = 0; d < kDimensions; ++d) lost_[d].assign(shape_.radix(d), false);
    for (const Cell cell : shape_.all_cells())
      if (grid_.switch_at[cell] == kNoIndex) mark_line_through(cell);
  }

  bool may_be_root(Cell cell) const {
    const Coordinates at = shape_.coordinates(cell);
    for (unsigned d = 0; d < kDimensions; ++d)
      if (lost_[d][at[d]]) return false;
    return grid_.switch_at[cell] != kNoIndex && damaged_[cell] == kNoDimension;
  }

  /// Returns, by cell, the direction to its parent; nullopt if some switch is not reached.
  std::optional<fabric::IndexVector<Cell, Direction>> from(Cell root) const {
    fabric::IndexVector<Cell, Direction> up(shape_.cells(), kNoDirection);
    for (const Cell cell : grid_.cell_of)
      if (cell != kNoIndex && cell != root) up[cell] = parent(cell, shape_.coordinates(root));
    fabric::IndexVector<Cell, bool> reached(shape_.cells(), false);
    std::vector<Cell> path;
    reached[root] = true;
    for (const Cell first : grid_.cell_of) {
      if (first == kNoIndex) continue;
      path.clear();
      Cell cell = first;
      while (!reached[cell]) {
        path.push_back(cell);
        if (up[cell] == kNoDirection || path.size() > shape_.cells()) return std::nullopt;
        cell = shape_.next(cell, up[cell]);
      }
      for (const Cell passed : path) reached[passed] = true;
    }
    return up;
  }

 private:
  static constexpr std::uint8_t kNoDimension = 0xFF;

  // Marks the line of a missing switch in the last dimension in which other switches are on it, if
  // there is a previous dimension for their parents.
  void mark_line_through(Cell lost) {
    for (unsigned d = kDimensions; d-- > 1;) {
      bool any = false;
      Coordinates at = shape_.coordinates(lost);
      for (at[d] = 0; at[d] < shape_.radix(d); ++at[d])
        any |= grid_.switch_at[shape_.cell(at)] != kNoIndex;
      if (!any) continue;
      if (!previous_dimension(d)) return;
      lost_[d][shape_.coordinates(lost)[d]] = true;
      for (at[d] = 0; at[d] < shape_.radix(d); ++at[d])
        damaged_[shape_.cell(at)] = static_cast<std::uint8_t>(d);
      return;
    }
  }

  std::optional<unsigned> previous_dimension(unsigned d) const {
    while (d-- > 0)
      if (shape_.radix(d) > 1) return d;
    return std::nullopt;
  }

  // Returns the direction towards the root in the last dimension in which the coordinates differ.
  Direction parent(Cell cell, const Coordinates& root) const {
    const Coordinates at = shape_.coordinates(cell);
    for (unsigned d = kDimensions; d-- > 0;) {
      if (at[d] == root[d]) continue;
      const unsigned damaged = damaged_[cell];  // no dimension is above kNoDimension
      return damaged <= d ? beside(cell, *previous_dimension(damaged))
                          : order_.next_on_line(cell, d, at[d], root[d]);
    }
    return kNoDirection;
  }

  // Returns the direction to a neighbour on a complete line, preferably not across the dateline.
  Direction beside(Cell cell, unsigned d) const {
    Direction best = kNoDirection;
    for (const bool plus : {true, false}) {
      const Direction direction = towards(d, plus);
      const Cell next = shape_.next(cell, direction);
      if (next == kNoIndex || grid_.switch_at[next] == kNoIndex || damaged_[next] != kNoDimension ||
          !channel(cell, direction))
        continue;
      const bool wraps = shape_.coordinates(cell)[d] == (plus ? shape_.radix(d) - 1 : 0);
      if (!wraps) return direction;
      best = direction;
    }
    return best;
  }

 public:
  /// Returns the first channel in this direction.
  std::optional<ChannelIndex> channel(Cell cell, Direction direction) const {
    const SwitchIndex sw = grid_.switch_at[cell];
    for (const ChannelIndex channel : graph_.channels(sw))
      if (grid_.direction[channel] == direction) return channel;
    return std::nullopt;
  }

 private:
  const fabric::SwitchGraph& graph_;
  const Grid& grid_;
  const DimensionOrder& order_;
  const Shape& shape_;
  fabric::IndexVector<Cell, std::uint8_t>
      damaged_;  // the dimension of its line with a missing switch
  std::array<std::vector<bool>, kDimensions>
      lost_;  // coordinates of missing switches on such lines, by dimension
};

}  // namespace

std::optional<fabric::IndexVector<SwitchIndex, ChannelIndex>> multicast_tree(
    const RoutingInput& input, const Grid& grid, const DimensionOrder& order) {
  const Shape& shape = grid.shape;
  const auto off_middle = [&](Cell cell) {
    const Coordinates at = shape.coordinates(cell);
    unsigned sum = 0;
    for (unsigned d = 0; d < kDimensions; ++d)
      sum += static_cast<unsigned>(
          std::abs(static_cast<int>(2 * at[d]) - static_cast<int>(shape.radix(d) - 1)));
    return std::pair(sum, cell);
  };
  std::vector<Cell> roots(shape.cells());
  std::iota(roots.begin(), roots.end(), Cell{0});
  std::ranges::sort(roots, {}, off_middle);
  const Tree tree(input, grid, order);
  for (const Cell root : roots) {
    if (!tree.may_be_root(root)) continue;
    const auto up = tree.from(root);
    if (!up) continue;
    fabric::IndexVector<SwitchIndex, ChannelIndex> channels(input.graph.switches(), kNoIndex);
    for (const SwitchIndex sw : channels.indices())
      if (grid.cell_of[sw] != kNoIndex && grid.cell_of[sw] != root)
        channels[sw] = *tree.channel(grid.cell_of[sw], (*up)[grid.cell_of[sw]]);
    return channels;
  }
  return std::nullopt;
}

std::vector<Dependency> tree_dependencies(const RoutingInput& input,
                                          const fabric::IndexVector<SwitchIndex, ChannelIndex>& up,
                                          const SlToVl& sl_to_vl) {
  const fabric::SwitchGraph& graph = input.graph;
  fabric::IndexVector<SwitchIndex, std::vector<ChannelIndex>> channels(
      graph.switches());  // of the tree, by switch
  for (const ChannelIndex channel : up) {
    if (channel == kNoIndex) continue;
    channels[graph.neighbour[graph.reverse[channel]]].push_back(channel);
    channels[graph.neighbour[channel]].push_back(graph.reverse[channel]);
  }
  std::vector<Dependency> dependencies;
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const ChannelIndex first : channels[sw]) {
      // Packets come from hosts of this switch (port 0 is of their class), or along the tree.
      std::uint32_t first_vls = 1u << sl_to_vl.at(sw, mad::PortNum{0}, graph.port[first])[0];
      for (const ChannelIndex in : channels[sw])
        if (in != first) first_vls |= 1u << sl_to_vl.at(sw, graph.port[in], graph.port[first])[0];
      const SwitchIndex next = graph.neighbour[first];
      for (const ChannelIndex second : channels[next]) {
        if (second == graph.reverse[first]) continue;
        const std::uint8_t vl =
            sl_to_vl.at(next, graph.port[graph.reverse[first]], graph.port[second])[0];
        for (std::uint8_t first_vl = 0; first_vl < 16; ++first_vl)
          if ((first_vls >> first_vl & 1u) != 0)
            dependencies.push_back({{first, first_vl}, {second, vl}});
      }
    }
  }
  return dependencies;
}

}  // namespace routing::torus
