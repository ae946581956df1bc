#include "routing/topology_kind.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/ranges.h>

#include "mad/format.h"
#include "routing/engines/trees/tree_routes.h"
#include "routing/graph/grid_shape.h"
#include "routing/graph/hops.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

constexpr double kSiblingsMax =
    0.1;  // share of a tree's links that may connect switches of one level

// Counts a tree's up-links as if no link were missing: every switch has the largest number of
// parents and of parallel links of its level.
struct UpLinks {
  std::size_t links = 0, missing = 0, siblings = 0;
  std::size_t of_leaf = 0;
};

UpLinks up_links(const TreePlan& plan) {
  UpLinks out;
  const auto by_level = switches_by_level(plan.levels);
  for (std::uint32_t level = 0; level < by_level.size(); ++level) {
    std::map<std::size_t, std::size_t> sizes;  // number of groups
    std::vector<std::size_t> links;
    std::size_t parents_max = 0, siblings = 0;
    for (const SwitchIndex sw : by_level[level]) {
      std::size_t parents = 0, count = 0;
      for (const LinkGroup& group : plan.groups.of(sw)) {
        if (plan.levels.level[group.to] == level) siblings += group.links;
        if (plan.levels.level[group.to] != level + 1 || plan.levels.idle[group.to] != 0) continue;
        ++parents;
        ++sizes[group.links];
        count += group.links;
      }
      links.push_back(count);
      parents_max = std::max(parents_max, parents);
    }
    out.siblings += siblings / 2;
    if (sizes.empty()) continue;
    const std::size_t usual =
        std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; })->first;
    const std::size_t full = std::max(parents_max * usual, std::ranges::max(links));
    for (const std::size_t count : links) {
      out.links += count;
      out.missing += full - count;
    }
    if (level == 0) out.of_leaf = full;
  }
  return out;
}

std::optional<std::string> tree(const RoutingInput& input) {
  auto levels = tree_levels(input, {});
  if (!levels) return std::nullopt;
  const TreePlan plan(input, std::move(*levels));
  const UpLinks links = up_links(plan);
  if (static_cast<double>(links.siblings) >
      kSiblingsMax * static_cast<double>(links.links + links.siblings)) {
    if (plan.levels.height > 1) return std::nullopt;
    return "a tree of a few switches";
  }
  if (plan.levels.height == 1) return "switches that are not connected";
  std::string what = fmt::format("a fat tree of {} levels, leaves with {} up-links",
                                 plan.levels.height, links.of_leaf);
  if (links.missing > 0) {
    const double percent = 100.0 * static_cast<double>(links.missing) /
                           static_cast<double>(links.links + links.missing);
    what += percent < 1 ? fmt::format(", {} of its links missing", links.missing)
                        : fmt::format(", {:.0f} % of its links missing", percent);
  }
  return what;
}

// Detects groups of fully connected switches, with equally many links between any two groups.
std::optional<std::string> dragonfly(const fabric::SwitchGraph& graph) {
  const auto neighbours = distinct_neighbours(graph);
  const auto are_cabled = [&](SwitchIndex a, SwitchIndex b) {
    return std::ranges::binary_search(neighbours[a], b);
  };
  // A link inside a group is an edge of a triangle.
  std::vector<std::vector<SwitchIndex>> groups;
  std::vector<std::size_t> group_of(graph.switches(), graph.switches());
  for (const SwitchIndex first : graph.all_switches()) {
    if (group_of[first] != graph.switches()) continue;
    std::vector<SwitchIndex> group{first};
    for (const SwitchIndex other : neighbours[first])
      if (std::ranges::any_of(neighbours[first], [&](SwitchIndex third) {
            return third != other && are_cabled(third, other);
          }))
        group.push_back(other);
    for (const SwitchIndex member : group) {
      if (group_of[member] != graph.switches()) return std::nullopt;
      group_of[member] = groups.size();
      if (!std::ranges::all_of(group, [&](SwitchIndex other) {
            return other == member || are_cabled(member, other);
          }))
        return std::nullopt;
    }
    groups.push_back(std::move(group));
  }
  const std::size_t size = groups.empty() ? 0 : groups.front().size();
  if (groups.size() < 2 || size < 2 ||
      std::ranges::any_of(groups, [&](const auto& group) { return group.size() != size; }))
    return std::nullopt;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> between;
  for (const SwitchIndex sw : graph.all_switches())
    for (const SwitchIndex other : neighbours[sw])
      if (group_of[sw] < group_of[other]) ++between[{group_of[sw], group_of[other]}];
  if (between.size() != groups.size() * (groups.size() - 1) / 2) return std::nullopt;
  return fmt::format("a dragonfly of {} groups with {} switches each", groups.size(), size);
}

}  // namespace

Topology recognise(const RoutingInput& input) {
  const fabric::SwitchGraph& graph = input.graph;
  if (graph.switches() == 0) return {TopologyKind::no_switches, "no switches"};
  if (graph.switches() == 1) return {TopologyKind::one_switch, "one switch"};
  if (auto what = tree(input)) return {TopologyKind::tree, std::move(*what)};
  if (const auto radices = grid_shape(graph)) {
    if (std::ranges::all_of(*radices,
                            [](const GridDimension& dimension) { return dimension.radix == 2; }))
      return {TopologyKind::hypercube,
              fmt::format("a hypercube of {} dimensions", radices->size())};
    const bool wraps = std::ranges::any_of(*radices, &GridDimension::wraps);
    std::vector<unsigned> sizes;
    for (const GridDimension& dimension : *radices) sizes.push_back(dimension.radix);
    return {TopologyKind::torus,
            fmt::format("a {} of {} switches", wraps ? "torus" : "mesh", fmt::join(sizes, " x "))};
  }
  if (auto what = dragonfly(graph)) return {TopologyKind::dragonfly, std::move(*what)};
  std::size_t fewest = ~std::size_t{0}, most = 0;
  for (const SwitchIndex sw : graph.all_switches()) {
    fewest = std::min(fewest, graph.degree(sw));
    most = std::max(most, graph.degree(sw));
  }
  return {TopologyKind::other,
          fmt::format("an unknown topology of {} switches with {} to {} links to others",
                      graph.switches(), fewest, most)};
}

std::vector<std::string_view> engines_for(const Topology& topology, const RoutingOptions& options) {
  switch (topology.kind) {
    case TopologyKind::no_switches:
    case TopologyKind::one_switch:
      return {"minhop"};
    case TopologyKind::tree:
      return {"dmodc", "updn", "dfsssp", "nue"};
    case TopologyKind::torus:
      if (options.torus.dimensions[0].radix > 0) return {"torus-2QoS", "dfsssp", "nue", "lash"};
      break;
    default:
      break;
  }
  return {"dfsssp", "nue", "lash", "updn", "dnup"};
}

}  // namespace routing
