#include "routing/engines/torus/grid.h"

#include <algorithm>
#include <numeric>

#include "mad/format.h"

namespace routing::torus {

using fabric::kNoIndex;
using fabric::SwitchIndex;

Shape::Shape(const std::array<TorusOptions::Dimension, kDimensions>& dimensions) {
  for (unsigned d = 0; d < kDimensions; ++d) {
    radix_[d] = dimensions[d].radix;
    ring_[d] = dimensions[d].wraps && radix_[d] > 2;
  }
}

Cell Shape::next(Cell cell, Direction direction) const {
  const unsigned d = dimension_of(direction);
  Coordinates at = coordinates(cell);
  const bool at_end = at[d] == (is_plus(direction) ? radix_[d] - 1 : 0);
  if (at_end && !ring_[d]) return kNoIndex;
  at[d] = (at[d] + (is_plus(direction) ? 1 : radix_[d] - 1)) % radix_[d];
  return this->cell(at);
}

std::string Shape::text() const {
  const auto one = [&](unsigned d) {
    return fmt::format("{}{}", radix_[d], ring_[d] || radix_[d] <= 2 ? "" : "m");
  };
  return fmt::format("{} x {} x {}", one(0), one(1), one(2));
}

std::string Shape::text_of(Cell cell) const {
  const Coordinates at = coordinates(cell);
  return fmt::format("({},{},{})", at[0], at[1], at[2]);
}

namespace {

std::string name(const RoutingInput& input, SwitchIndex sw) {
  return input.fabric.name(input.fabric.switches[sw].node);
}

class Placer {
 public:
  Placer(const RoutingInput& input, const Shape& shape)
      : input_(input),
        graph_(input.graph),
        grid_{shape,
              fabric::IndexVector<Cell, SwitchIndex>(shape.cells(), kNoIndex),
              fabric::IndexVector<SwitchIndex, Cell>(graph_.switches(), kNoIndex),
              {}},
        near_(graph_.switches(), kNoIndex) {}

  std::optional<Refusal> place_seed(const TorusOptions::Seed& seed, std::size_t number) {
    if (seed.links.empty()) return Refusal{fmt::format("seed {} names no switches", number)};
    const auto of_guid = [&](mad::Guid guid) -> SwitchIndex {
      const auto node = input_.fabric.node_of_guid.find(guid);
      return node == input_.fabric.node_of_guid.end()
                 ? kNoIndex
                 : input_.fabric.nodes[node->second].switch_index;
    };
    const Shape& shape = grid_.shape;
    Coordinates origin{};
    for (unsigned d = 0; d < kDimensions; ++d) {
      const int radix = static_cast<int>(shape.radix(d));
      origin[d] = static_cast<unsigned>((radix - seed.dateline[d] % radix) % radix);
      if (radix > 1 &&
          std::ranges::find(seed.links, d, &TorusOptions::SeedLink::dimension) == seed.links.end())
        return Refusal{fmt::format("seed {} has no link in {}: {}p_link or {}m_link is missing",
                                   number, letter(d), letter(d), letter(d))};
    }
    for (const TorusOptions::SeedLink& link : seed.links) {
      const unsigned d = link.dimension;
      if (link.from != seed.links.front().from)
        return Refusal{fmt::format("the links of seed {} do not all begin at 0x{:016x}", number,
                                   seed.links.front().from.value)};
      Coordinates at = origin;
      at[d] = (at[d] + (link.plus ? 1 : shape.radix(d) - 1)) % shape.radix(d);
      // With two switches in a dimension, plus and minus are the same switch.
      const bool leaves = shape.radix(d) == 1 ||
                          (shape.radix(d) > 2 && !shape.is_ring(d) &&
                           shape.next(shape.cell(origin), towards(d, link.plus)) == kNoIndex);
      if (leaves)
        return Refusal{fmt::format("{}{}_link of seed {} leads out of {}", letter(d),
                                   link.plus ? 'p' : 'm', number, shape.text())};
      for (const auto& [guid, cell] :
           {std::pair(link.from, shape.cell(origin)), std::pair(link.to, shape.cell(at))}) {
        const SwitchIndex sw = of_guid(guid);
        if (sw == kNoIndex)
          return Refusal{
              fmt::format("switch 0x{:016x} of seed {} is not in the fabric", guid.value, number)};
        if (grid_.cell_of[sw] == cell) continue;
        if (grid_.cell_of[sw] != kNoIndex || grid_.switch_at[cell] != kNoIndex)
          return Refusal{fmt::format("seed {} gives {} two positions, or two switches one position",
                                     number, name(input_, sw))};
        put(sw, cell);
      }
    }
    return std::nullopt;
  }

  // With `accept_contradictions`, a switch may get its cell despite links that contradict others.
  void grow(bool accept_contradictions) {
    std::vector<SwitchIndex> rest(graph_.switches());
    std::iota(rest.begin(), rest.end(), SwitchIndex{0});
    std::ranges::sort(rest, {}, [&](SwitchIndex sw) {
      return input_.fabric.nodes[input_.fabric.switches[sw].node].guid;
    });
    for (bool grew = true; grew;) {
      grew = false;
      std::erase_if(rest, [&](SwitchIndex sw) {
        if (grid_.cell_of[sw] != kNoIndex) return true;
        const auto cell = only_cell(sw, accept_contradictions);
        if (cell) put(sw, *cell);
        grew |= cell.has_value();
        return cell.has_value();
      });
    }
  }

  tl::expected<Grid, Refusal> finish() && {
    for (const SwitchIndex sw : graph_.all_switches())
      if (grid_.cell_of[sw] == kNoIndex && graph_.degree(sw) > 0)
        return tl::unexpected(refusal_for(sw));
    const Shape& shape = grid_.shape;
    grid_.direction.assign(graph_.neighbour.size(), kNoDirection);
    for (const SwitchIndex sw : graph_.all_switches())
      for (const fabric::ChannelIndex channel : graph_.channels(sw))
        for (Direction direction = 0; direction < kDirections; ++direction)
          if (shape.next(grid_.cell_of[sw], direction) == grid_.cell_of[graph_.neighbour[channel]])
            grid_.direction[channel] = direction;
    return std::move(grid_);
  }

 private:
  void put(SwitchIndex sw, Cell cell) {
    grid_.cell_of[sw] = cell;
    grid_.switch_at[cell] = sw;
  }

  // Returns the cell for which most placed neighbours vote, if there is only one such cell. All
  // neighbours must vote for it; with `accept_contradictions`, two votes suffice.
  std::optional<Cell> only_cell(SwitchIndex sw, bool accept_contradictions) {
    for (const SwitchIndex other : graph_.neighbours(sw)) near_[other] = sw;
    std::size_t placed = 0;
    cells_.clear();
    for (const SwitchIndex other : graph_.neighbours(sw)) {
      if (grid_.cell_of[other] == kNoIndex) continue;
      ++placed;
      free_beside_.clear();
      for (unsigned d = 0; d < kDimensions; ++d) find_free_beside(other, d);
      for (const Cell cell : free_beside_) {
        const auto known = std::ranges::find(cells_, cell, &Choice::cell);
        if (known == cells_.end())
          cells_.push_back({cell, 1});
        else
          ++known->votes;
      }
    }
    if (cells_.empty()) return std::nullopt;
    const auto best = std::ranges::max_element(cells_, {}, &Choice::votes);
    const bool alone = std::ranges::count(cells_, best->votes, &Choice::votes) == 1;
    const bool enough = best->votes == placed || (accept_contradictions && best->votes >= 2);
    return alone && enough ? std::optional(best->cell) : std::nullopt;
  }

  // Finds free cells beside a placed switch in one dimension, unless the switch marked in near_
  // must be in another dimension: it is a neighbour, over a second switch, of the switch on the
  // opposite side. (In a ring of four, opposite switches have two common neighbours.)
  void find_free_beside(SwitchIndex placed, unsigned d) {
    const Shape& shape = grid_.shape;
    const std::size_t before = free_beside_.size();
    for (const bool plus : {false, true}) {
      const Cell cell = shape.next(grid_.cell_of[placed], towards(d, plus));
      if (cell == kNoIndex) continue;
      const SwitchIndex present = grid_.switch_at[cell];
      if (present == kNoIndex) {
        free_beside_.push_back(cell);
      } else if (!(shape.is_ring(d) && shape.radix(d) == 4) &&
                 meets_around_corner(present, placed)) {
        free_beside_.resize(before);
        return;
      }
    }
  }

  bool meets_around_corner(SwitchIndex other, SwitchIndex corner) const {
    return std::ranges::any_of(graph_.neighbours(other), [&](SwitchIndex sw) {
      return sw != corner && near_[sw] == near_[corner];
    });
  }

  Refusal refusal_for(SwitchIndex sw) const {
    std::string beside;
    for (const SwitchIndex other : graph_.neighbours(sw))
      if (beside.empty() && grid_.cell_of[other] != kNoIndex)
        beside = fmt::format(", a neighbour of {}", name_at(input_, grid_, grid_.cell_of[other]));
    std::string hint;
    for (unsigned d = 0; d < kDimensions; ++d)
      if (hint.empty() && grid_.shape.is_ring(d) && grid_.shape.radix(d) == 4)
        hint = fmt::format("; a ring of four, as in {}, needs both {}p_link and {}m_link",
                           letter(d), letter(d), letter(d));
    const auto placed = grid_.cell_of.size() -
                        static_cast<std::size_t>(std::ranges::count(grid_.cell_of, Cell(kNoIndex)));
    return {fmt::format(
        "{}{}, has no position in the torus or mesh {} ({} of {} switches have one){}",
        name(input_, sw), beside, grid_.shape.text(), placed, grid_.cell_of.size(), hint)};
  }

  const RoutingInput& input_;
  const fabric::SwitchGraph& graph_;
  Grid grid_;
  std::vector<SwitchIndex> near_;  // by switch: the last one in only_cell() that it has a link to
  struct Choice {
    Cell cell;
    std::size_t votes;
  };
  std::vector<Choice> cells_;
  std::vector<Cell> free_beside_;
};

}  // namespace

tl::expected<Grid, Refusal> place_switches(const RoutingInput& input) {
  const Shape shape(input.options.torus.dimensions);
  std::string why;
  for (std::size_t i = 0; i < input.options.torus.seeds.size(); ++i) {
    Placer placer(input, shape);
    tl::expected<Grid, Refusal> grid = tl::unexpected(Refusal{});
    if (auto refusal = placer.place_seed(input.options.torus.seeds[i], i + 1)) {
      grid = tl::unexpected(std::move(*refusal));
    } else {
      placer.grow(false);
      placer.grow(true);
      grid = std::move(placer).finish();
    }
    if (grid) return grid;
    if (!why.empty()) why += "; ";
    why += grid.error().why;
  }
  return tl::unexpected(Refusal{
      why.empty()
          ? "torus_config names no switches: it needs xp_link, yp_link and zp_link of one switch"
          : why});
}

std::string name_at(const RoutingInput& input, const Grid& grid, Cell cell) {
  return fmt::format("{} at {}", name(input, grid.switch_at[cell]), grid.shape.text_of(cell));
}

}  // namespace routing::torus
