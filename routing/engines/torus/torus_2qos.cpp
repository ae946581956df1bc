#include "routing/engines/torus/torus_2qos.h"

#include <algorithm>
#include <array>
#include <tuple>

#include <fmt/ranges.h>

#include "fabric/parallel.h"
#include "mad/attributes/port_info.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "routing/engines/torus/dimension_order.h"
#include "routing/engines/torus/grid.h"
#include "routing/engines/torus/tree.h"
#include "routing/graph/destinations.h"
#include "routing/qos/operational_vls.h"
#include "routing/verify/credit_loops.h"

namespace routing::torus {

inline constexpr unsigned kEndPorts = kDimensions;  // class of ports without a dimension
inline constexpr std::uint8_t kQosBit = 8;          // of the SL: the QoS level

/// Returns the number of VLs that sl_to_vl() uses.
constexpr unsigned vls_used(unsigned vls) { return vls >= 8 ? 8 : vls >= 4 ? 4 : vls >= 2 ? 2 : 1; }

using fabric::kNoIndex;
using fabric::SwitchIndex;

/// Maps SLs to VLs. VL bit 0 is the SL's bit for the dimension of the output port, so that paths
/// that cross the dateline have their own VL. Bit 1: the packet turns from a later to an earlier
/// dimension, as happens next to a missing switch. Bit 2: the QoS level. With 2 VLs of `vls` only
/// bit 0 is used, with 4 bits 0 and 1, with 8 all three. `end_port_vls`: on links to hosts and
/// routers, the QoS level selects one of two VLs, if there are two.
SlToVl sl_to_vl(const RoutingInput& input, const Grid& grid, unsigned vls, unsigned end_port_vls) {
  const fabric::SwitchGraph& graph = input.graph;
  SlToVl result = SlToVl::by_class(graph.switches(), kDimensions + 1);
  for (const SwitchIndex sw : graph.all_switches()) {
    for (unsigned port = 0; port < 256; ++port)
      result.set_port_class(sw, mad::PortNum{static_cast<std::uint8_t>(port)}, kEndPorts);
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      if (grid.direction[channel] != kNoDirection)
        result.set_port_class(sw, graph.port[channel], dimension_of(grid.direction[channel]));
  }
  for (unsigned sl = 0; sl < 16; ++sl) {
    const bool level = (sl & kQosBit) != 0;
    for (unsigned in = 0; in <= kEndPorts; ++in) {
      for (unsigned out = 0; out < kEndPorts; ++out) {
        const unsigned turns_back = in != kEndPorts && in > out ? 2 : 0;
        result.row(in, out)[sl] = static_cast<std::uint8_t>(
            ((sl >> out & 1u) | turns_back | (level ? 4u : 0u)) & (vls_used(vls) - 1));
      }
      result.row(in, kEndPorts)[sl] = level && end_port_vls > 1 ? 1 : 0;
    }
  }
  result.of_end_ports = result.row(kEndPorts, kEndPorts);
  return result;
}

/// Returns the number of data VLs that all links between switches and end ports have.
unsigned end_port_vls(const RoutingInput& input) {
  const fabric::Fabric& fabric = input.fabric;
  unsigned vls = std::clamp(input.options.vls_max, 1u, 15u);
  for (const fabric::SwitchGraph::EndPort& end : input.graph.end_ports) {
    if (end.out == mad::PortNum{0}) continue;
    for (const fabric::PortIndex port : {end.port, fabric.ports[end.port].peer})
      vls = std::min(vls, usable_data_vls(fabric, port));
  }
  return vls;
}

/// Returns the SLs of all pairs of switches.
PathSls path_sls(const Grid& grid) {
  const std::size_t switches = grid.cell_of.size();
  PathSls sls = PathSls::by_switch_pair(switches);
  std::vector<Coordinates> at(switches);
  for (SwitchIndex sw{0}; sw < switches; ++sw)
    if (grid.cell_of[sw] != kNoIndex) at[sw] = grid.shape.coordinates(grid.cell_of[sw]);
  for (SwitchIndex from{0}; from < switches; ++from) {
    if (grid.cell_of[from] == kNoIndex) continue;
    const auto row = sls.row(from);
    for (SwitchIndex to{0}; to < switches; ++to)
      if (grid.cell_of[to] != kNoIndex) row[to] = service_level(grid.shape, at[from], at[to]);
  }
  sls.free_bits = kQosBit;
  return sls;
}

}  // namespace routing::torus

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace torus {
namespace {

constexpr unsigned kRadixMax = 255;

std::optional<Refusal> refuse_shape(const TorusOptions& options) {
  std::size_t cells = 1;
  for (const TorusOptions::Dimension& dimension : options.dimensions) {
    if (dimension.radix == 0)
      return Refusal{
          "no torus_config was read: it needs a line such as 'torus 5 5 4', and xp_link, yp_link "
          "and zp_link of one switch"};
    cells *= std::min(dimension.radix, kRadixMax + 1);
    if (dimension.radix > kRadixMax || cells > mad::kUnicastLidMax.value)
      return Refusal{fmt::format(
          "a torus of {} x {} x {} is too large: at most {} per dimension and {} switches",
          options.dimensions[0].radix, options.dimensions[1].radix, options.dimensions[2].radix,
          kRadixMax, mad::kUnicastLidMax.value)};
  }
  return std::nullopt;
}

// Lists LIDs by the switch that they are attached to, hosts first, in the order in which they are
// distributed over parallel links.
struct Destinations {
  struct Entry {
    std::uint16_t lid;
    std::uint8_t out;  // port of their switch
  };
  std::vector<Entry> entries;
  std::vector<std::uint32_t> first;  // by switch, and one more

  explicit Destinations(const RoutingInput& input) : first(input.graph.switches() + 1, 0) {
    const std::vector<mad::PortNum>& order = input.options.torus.port_order;
    std::array<std::size_t, 256> search_position{};
    for (std::size_t port = 0; port < search_position.size(); ++port) {
      const auto listed =
          std::ranges::find(order, mad::PortNum{static_cast<std::uint8_t>(port)}) - order.begin();
      search_position[port] = port == 0                     ? 2 * search_position.size()
                              : listed == std::ssize(order) ? search_position.size() + port
                                                            : static_cast<std::size_t>(listed);
    }
    std::vector<Target> all = targets(input);
    std::ranges::sort(all, {}, [&](const Target& target) {
      return std::tuple(target.end->sw, search_position[target.end->out.value], target.lids.base);
    });
    for (const Target& target : all) {
      first[target.end->sw + 1] += target.lids.count();
      for (unsigned i = 0; i < target.lids.count(); ++i)
        entries.push_back(
            {static_cast<std::uint16_t>(target.lids.base.value + i), target.end->out.value});
    }
    for (const SwitchIndex sw : input.graph.all_switches()) first[sw + 1] += first[sw];
  }
  std::span<const Entry> of(SwitchIndex sw) const {
    return std::span(entries).subspan(first[sw], first[sw + 1] - first[sw]);
  }
};

// Distributes LIDs over the links of each direction, separately for hosts and switches.
class TableFiller {
 public:
  TableFiller(const RoutingInput& input, const Grid& grid, SwitchIndex sw,
              std::span<std::uint8_t> out)
      : out_(out.first(
            std::min<std::size_t>(out.size(), input.fabric.switches[sw].info.linear_fdb_cap()))) {
    for (const fabric::ChannelIndex channel : input.graph.channels(sw))
      if (grid.direction[channel] != kNoDirection)
        ports_[grid.direction[channel]].push_back(input.graph.port[channel].value);
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

void fill_tables(const RoutingInput& input, const Grid& grid, const DimensionOrder& order,
                 fabric::ForwardingTables& lfts) {
  const Destinations destinations(input);
  std::vector<SwitchIndex> in_order;  // by cell, so that tables do not depend on switch indices
  std::vector<Coordinates> at;
  for (const SwitchIndex sw : grid.switch_at) {
    if (sw == kNoIndex) continue;
    in_order.push_back(sw);
    at.push_back(grid.shape.coordinates(grid.cell_of[sw]));
  }
  fabric::in_parallel(grid.cell_of.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
      TableFiller table(input, grid, sw, lfts.writable_row(sw));
      table.own(destinations.of(sw));
      const Cell cell = grid.cell_of[sw];
      if (cell == kNoIndex) continue;
      const Coordinates here = grid.shape.coordinates(cell);
      for (std::size_t i = 0; i < in_order.size(); ++i) {
        const Direction direction = order.next(cell, here, at[i]);
        if (direction != kNoDirection) table.leave(direction, destinations.of(in_order[i]));
      }
    }
  });
}

// Returns the first pair of cells (from, to) whose path ends early or is a loop.
std::optional<std::pair<Cell, Cell>> first_lost(const Grid& grid, const DimensionOrder& order) {
  const Shape& shape = grid.shape;
  constexpr std::uint8_t kUnknown = 0, kOnPath = 1, kArrives = 2;
  std::vector<std::uint8_t> state(shape.cells());
  std::vector<Cell> path;
  for (const Cell to : shape.all_cells()) {
    if (grid.switch_at[to] == kNoIndex) continue;
    std::ranges::fill(state, kUnknown);
    state[to] = kArrives;
    const Coordinates target = shape.coordinates(to);
    for (const Cell from : shape.all_cells()) {
      if (grid.switch_at[from] == kNoIndex) continue;
      path.clear();
      Cell cell = from;
      while (state[cell] == kUnknown) {
        state[cell] = kOnPath;
        path.push_back(cell);
        const Direction direction = order.next(cell, shape.coordinates(cell), target);
        if (direction == kNoDirection) return std::pair(from, to);
        cell = shape.next(cell, direction);
      }
      if (state[cell] == kOnPath) return std::pair(from, to);
      for (const Cell passed : path) state[passed] = kArrives;
    }
  }
  return std::nullopt;
}

std::string texts_of(const Shape& shape, const std::vector<Cell>& cells) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kShown, cells.size()); ++i)
    names.push_back(shape.text_of(cells[i]));
  return fmt::format(
      "{}{}", fmt::join(names, ", "),
      cells.size() > kShown ? fmt::format(" and {} more", cells.size() - kShown) : "");
}

// Returns the last dimension with more than one switch.
unsigned last_dimension(const Shape& shape) {
  return shape.radix(2) > 1 ? 2 : shape.radix(1) > 1 ? 1 : 0;
}

// True for faults with which the VLs are known to exclude credit loops; for other faults, the
// tables are verified.
bool known_to_be_safe(const Shape& shape, const Missing& missing, unsigned vls) {
  if (missing.switches.empty()) return vls >= 2;
  const auto column = [&](Cell cell) {
    Coordinates at = shape.coordinates(cell);
    at[last_dimension(shape)] = 0;
    return shape.cell(at);
  };
  return vls >= 4 && missing.links.empty() && std::ranges::all_of(missing.switches, [&](Cell cell) {
           return column(cell) == column(missing.switches.front());
         });
}

std::vector<fabric::Condition> notes_about(const RoutingInput& input, const Grid& grid,
                                           const Missing& missing) {
  fabric::ConditionList notes(kRoutingConditions.routing_note, input.options.torus.max_changes);
  for (const Cell cell : missing.switches)
    notes.add(fmt::format("torus-2QoS: no switch at {}", grid.shape.text_of(cell)));
  for (const auto& [cell, direction] : missing.links)
    notes.add(fmt::format("torus-2QoS: no link from {} to {}", name_at(input, grid, cell),
                          name_at(input, grid, grid.shape.next(cell, direction))));
  const auto unused_links = std::ranges::count(grid.direction, kNoDirection) / 2;
  if (unused_links > 0)
    notes.add(
        fmt::format("torus-2QoS: {} links connect switches that are not neighbours in the torus "
                    "and are not used",
                    unused_links));
  return notes.take();
}

}  // namespace
}  // namespace torus

tl::expected<RoutingResult, Refusal> torus_2qos(const RoutingInput& input) {
  using namespace torus;
  if (auto refusal = refuse_shape(input.options.torus)) return tl::unexpected(std::move(*refusal));
  const auto grid = place_switches(input);
  if (!grid) return tl::unexpected(grid.error());
  const auto order = DimensionOrder::make(input, *grid);
  if (!order) return tl::unexpected(order.error());
  const Missing missing = missing_of(input, *grid);
  const std::string absent =
      missing.switches.empty()
          ? ""
          : fmt::format(", with no switch at {}", texts_of(grid->shape, missing.switches));
  if (const auto lost = missing.switches.empty() ? std::nullopt : first_lost(*grid, *order))
    return tl::unexpected(Refusal{fmt::format("no dimension-order path from {} to {}{}",
                                              name_at(input, *grid, lost->first),
                                              name_at(input, *grid, lost->second), absent)});
  auto tree = multicast_tree(input, *grid, *order);
  if (!tree)
    return tl::unexpected(Refusal{
        fmt::format("no multicast tree reaches all switches without a credit loop{}", absent)});

  const unsigned vls = data_vls(input);
  RoutingResult result(fabric::ForwardingTables(input.graph.switches(), input.lids.lid_top));
  fill_tables(input, *grid, *order, result.lfts);
  result.sls = path_sls(*grid);
  result.sl_to_vl = sl_to_vl(input, *grid, vls, end_port_vls(input));
  result.vls = vls_used(vls);
  if (!known_to_be_safe(grid->shape, missing, vls)) {
    const CreditLoops loops =
        find_credit_loops(input.graph, input.lids, result.lfts, {result.sls, result.sl_to_vl},
                          Traffic::all, tree_dependencies(input, *tree, result.sl_to_vl));
    if (!loops.ok())
      return tl::unexpected(
          Refusal{fmt::format("credit loops not excluded with {} VLs{}: {}", vls, absent,
                              text(loops.loops.front(), input.fabric, input.graph))});
  }
  result.multicast_up = std::move(*tree);
  result.conditions = notes_about(input, *grid, missing);
  return result;
}

}  // namespace routing
