#include "routing/engines/torus/torus_2qos.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/ranges.h>

#include "mad/format.h"
#include "routing/core/parallel.h"
#include "routing/engines/torus/lanes.h"
#include "routing/engines/torus/tree.h"
#include "routing/engines/torus/ways.h"
#include "routing/graph/destinations.h"
#include "routing/qos/data_vls.h"
#include "routing/verify/credit_loops.h"

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace torus {
namespace {

constexpr unsigned kRadixMax = 255;

std::optional<Refusal> refuse_shape(const TorusOptions& options) {
  std::size_t cells = 1;
  for (const TorusOptions::Dimension& dimension : options.dimensions) {
    if (dimension.radix == 0)
      return Refusal{
          "it has to be told what the torus is like: write a file for torus_config, with a line "
          "such as 'torus 5 5 4' and xp_link, yp_link and zp_link "
          "of one switch"};
    cells *= std::min(dimension.radix, kRadixMax + 1);
    if (dimension.radix > kRadixMax || cells > mad::kUnicastLidMax.value)
      return Refusal{fmt::format(
          "a torus of {} x {} x {} is too large: {} in a dimension and {} switches are the most",
          options.dimensions[0].radix, options.dimensions[1].radix, options.dimensions[2].radix,
          kRadixMax, mad::kUnicastLidMax.value)};
  }
  return std::nullopt;
}

// LIDs by the switch that they live at, hosts' first, in the order in which parallel cables are
// dealt out.
struct Destinations {
  struct Entry {
    std::uint16_t lid;
    std::uint8_t out;  // port of their own switch
  };
  std::vector<Entry> entries;
  std::vector<std::uint32_t> first;  // per switch, and one behind

  explicit Destinations(const RoutingInput& input) : first(input.graph.switches() + 1, 0) {
    const std::vector<mad::PortNum>& order = input.options.torus.port_order;
    std::array<std::size_t, 256> place{};
    for (std::size_t port = 0; port < place.size(); ++port) {
      const auto listed =
          std::ranges::find(order, mad::PortNum{static_cast<std::uint8_t>(port)}) - order.begin();
      place[port] = port == 0                     ? 2 * place.size()
                    : listed == std::ssize(order) ? place.size() + port
                                                  : static_cast<std::size_t>(listed);
    }
    std::vector<Target> all = targets(input);
    std::ranges::sort(all, {}, [&](const Target& target) {
      return std::tuple(target.end->sw, place[target.end->out.value], target.lids.base);
    });
    for (const Target& target : all) {
      first[target.end->sw + 1] += target.lids.count();
      for (unsigned i = 0; i < target.lids.count(); ++i)
        entries.push_back(
            {static_cast<std::uint16_t>(target.lids.base.value + i), target.end->out.value});
    }
    for (SwitchIndex sw = 0; sw < input.graph.switches(); ++sw) first[sw + 1] += first[sw];
  }
  std::span<const Entry> of(SwitchIndex sw) const {
    return std::span(entries).subspan(first[sw], first[sw + 1] - first[sw]);
  }
};

// Deals LIDs out over the cables of each direction, those of hosts and those of switches each in
// turn.
class Row {
 public:
  Row(const RoutingInput& input, const Grid& grid, SwitchIndex sw, std::span<std::uint8_t> out)
      : out_(out.first(
            std::min<std::size_t>(out.size(), input.fabric.switches[sw].info.linear_fdb_cap()))) {
    for (std::uint32_t slot = input.graph.offsets[sw]; slot < input.graph.offsets[sw + 1]; ++slot)
      if (grid.direction[slot] != kNoDirection)
        ports_[grid.direction[slot]].push_back(input.graph.port[slot].value);
  }
  void own(std::span<const Destinations::Entry> entries) {
    for (const auto& entry : entries) set(entry.lid, entry.out);
  }
  void leave(Direction direction, std::span<const Destinations::Entry> entries) {
    const std::vector<std::uint8_t>& ports = ports_[direction];
    for (const auto& entry : entries) {
      std::size_t& turn = turn_[direction][entry.out == 0 ? 1 : 0];
      set(entry.lid, ports[turn]);
      turn = turn + 1 == ports.size() ? 0 : turn + 1;
    }
  }

 private:
  void set(std::uint16_t lid, std::uint8_t port) {
    if (lid < out_.size()) out_[lid] = port;
  }
  std::span<std::uint8_t> out_;
  std::array<std::vector<std::uint8_t>, kDirections> ports_;
  std::array<std::array<std::size_t, 2>, kDirections> turn_{};
};

void fill_tables(const RoutingInput& input, const Grid& grid, const Ways& ways,
                 sm::ForwardingTables& lfts) {
  const Destinations destinations(input);
  std::vector<SwitchIndex>
      in_order;  // of cells, so that tables do not depend on how switches are numbered
  std::vector<Coordinates> at;
  for (const SwitchIndex sw : grid.switch_at) {
    if (sw == kNoIndex) continue;
    in_order.push_back(sw);
    at.push_back(grid.shape.coordinates(grid.cell_of[sw]));
  }
  in_parallel(grid.cell_of.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (auto sw = static_cast<SwitchIndex>(begin); sw < end; ++sw) {
      Row row(input, grid, sw, lfts.row(sw));
      row.own(destinations.of(sw));
      const Cell cell = grid.cell_of[sw];
      if (cell == kNoIndex) continue;
      const Coordinates here = grid.shape.coordinates(cell);
      for (std::size_t i = 0; i < in_order.size(); ++i) {
        const Direction direction = ways.next(cell, here, at[i]);
        if (direction != kNoDirection) row.leave(direction, destinations.of(in_order[i]));
      }
    }
  });
}

// The first pair of places (from, to) between which the ways do not lead on, or lead in a circle.
std::optional<std::pair<Cell, Cell>> first_lost(const Grid& grid, const Ways& ways) {
  const Shape& shape = grid.shape;
  constexpr std::uint8_t kUnknown = 0, kOnTheWay = 1, kArrives = 2;
  std::vector<std::uint8_t> state(shape.cells());
  std::vector<Cell> way;
  for (Cell to = 0; to < shape.cells(); ++to) {
    if (grid.switch_at[to] == kNoIndex) continue;
    std::ranges::fill(state, kUnknown);
    state[to] = kArrives;
    const Coordinates target = shape.coordinates(to);
    for (Cell from = 0; from < shape.cells(); ++from) {
      if (grid.switch_at[from] == kNoIndex) continue;
      way.clear();
      Cell cell = from;
      while (state[cell] == kUnknown) {
        state[cell] = kOnTheWay;
        way.push_back(cell);
        const Direction direction = ways.next(cell, shape.coordinates(cell), target);
        if (direction == kNoDirection) return std::pair(from, to);
        cell = shape.next(cell, direction);
      }
      if (state[cell] == kOnTheWay) return std::pair(from, to);
      for (const Cell passed : way) state[passed] = kArrives;
    }
  }
  return std::nullopt;
}

std::string places(const Shape& shape, const std::vector<Cell>& cells) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kShown, cells.size()); ++i)
    names.push_back(shape.place(cells[i]));
  return fmt::format(
      "{}{}", fmt::join(names, ", "),
      cells.size() > kShown ? fmt::format(" and {} more", cells.size() - kShown) : "");
}

// The last dimension that there is.
unsigned last_dimension(const Shape& shape) {
  return shape.radix(2) > 1 ? 2 : shape.radix(1) > 1 ? 1 : 0;
}

// Losses with which the rule of lanes is known to hold; for all others, the tables are looked at.
bool known_to_be_safe(const Shape& shape, const Missing& missing, unsigned vls) {
  if (missing.switches.empty()) return vls >= 2;
  const auto column = [&](Cell cell) {
    Coordinates at = shape.coordinates(cell);
    at[last_dimension(shape)] = 0;
    return shape.cell(at);
  };
  return vls >= 4 && missing.cables.empty() &&
         std::ranges::all_of(missing.switches, [&](Cell cell) {
           return column(cell) == column(missing.switches.front());
         });
}

std::vector<std::string> notes_about(const RoutingInput& input, const Grid& grid,
                                     const Missing& missing) {
  std::vector<std::string> notes;
  for (const Cell cell : missing.switches)
    notes.push_back(fmt::format("torus-2QoS: no switch at {}", grid.shape.place(cell)));
  for (const auto& [cell, direction] : missing.cables)
    notes.push_back(fmt::format("torus-2QoS: no cable from {} to {}", name_at(input, grid, cell),
                                name_at(input, grid, grid.shape.next(cell, direction))));
  const auto stray = std::ranges::count(grid.direction, kNoDirection) / 2;
  if (stray > 0)
    notes.push_back(fmt::format(
        "torus-2QoS: {} cables join switches that are not next to each other and stay unused",
        stray));
  if (const std::size_t shown = input.options.torus.max_changes; notes.size() > shown) {
    const std::size_t more = notes.size() - shown;
    notes.resize(shown);
    notes.push_back(fmt::format("torus-2QoS: and {} more such losses", more));
  }
  return notes;
}

}  // namespace
}  // namespace torus

tl::expected<RoutingResult, Refusal> torus_2qos(const RoutingInput& input) {
  using namespace torus;
  if (auto refusal = refuse_shape(input.options.torus)) return tl::unexpected(std::move(*refusal));
  const auto grid = place_switches(input);
  if (!grid) return tl::unexpected(grid.error());
  const auto ways = Ways::make(input, *grid);
  if (!ways) return tl::unexpected(ways.error());
  const Missing missing = missing_of(input, *grid);
  const std::string absent =
      missing.switches.empty()
          ? ""
          : fmt::format(", with no switch at {}", places(grid->shape, missing.switches));
  if (const auto lost = missing.switches.empty() ? std::nullopt : first_lost(*grid, *ways))
    return tl::unexpected(Refusal{fmt::format("dimension order leads nowhere from {} to {}{}",
                                              name_at(input, *grid, lost->first),
                                              name_at(input, *grid, lost->second), absent)});
  auto tree = multicast_tree(input, *grid, *ways);
  if (!tree)
    return tl::unexpected(Refusal{fmt::format(
        "no tree for multicast reaches all switches without closing circles{}", absent)});

  const unsigned vls = data_vls(input);
  RoutingResult result(sm::ForwardingTables(input.graph.switches(), input.lids.lid_top));
  fill_tables(input, *grid, *ways, result.lfts);
  result.sls = path_sls(*grid);
  result.sl_to_vl = sl_to_vl(input, *grid, vls, end_port_vls(input));
  result.vls = vls_used(vls);
  if (!known_to_be_safe(grid->shape, missing, vls)) {
    const CreditLoops loops =
        find_credit_loops(input.graph, input.lids, result.lfts, {result.sls, result.sl_to_vl},
                          Traffic::all, tree_dependencies(input, *tree, result.sl_to_vl));
    if (!loops.ok())
      return tl::unexpected(Refusal{
          fmt::format("{} virtual lanes do not keep packets from waiting for each other{}: {}", vls,
                      absent, text(loops.loops.front(), input.fabric, input.graph))});
  }
  result.multicast_up = std::move(*tree);
  result.notes = notes_about(input, *grid, missing);
  return result;
}

}  // namespace routing
