#include "routing/topology_kind.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/ranges.h>

#include "config/engine_names.h"
#include "mad/format.h"
#include "routing/graph/destinations.h"
#include "routing/graph/grid_shape.h"
#include "routing/graph/hops.h"
#include "routing/trees/tree_routes.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

constexpr double kSiblingsMax =
    0.1;  // share of a tree's links that may connect switches of one level

constexpr std::size_t kFewSiblings = 2;  // such links in any tree

struct UpLinks {
  std::size_t links = 0, missing = 0, siblings = 0;
  std::size_t of_leaf = 0;  // of most leaves
};

/// Returns the value that most have; of several, the greatest.
std::size_t usual(const std::vector<std::size_t>& values) {
  std::map<std::size_t, std::size_t> times;
  for (const std::size_t value : values) ++times[value];
  std::size_t best = 0, most = 0;
  for (const auto& [value, count] : times)
    if (count >= most) {
      best = value;
      most = count;
    }
  return best;
}

// Counts a tree's up-links. In each subtree, all switches of a level should have as many as most.
UpLinks up_links(const TreePlan& plan) {
  UpLinks out;
  const auto by_level = switches_by_level(plan.levels);
  std::vector<std::uint64_t> number(plan.levels.level.size());
  std::iota(number.begin(), number.end(), std::uint64_t{0});
  for (std::uint32_t level = 0; level < by_level.size(); ++level) {
    Clusters subtrees(number);
    for_each_pair(plan.levels, plan.groups, level, by_level[level],
                  [&](SwitchIndex lower, SwitchIndex upper) { subtrees.join(lower, upper); });
    std::map<std::uint64_t, std::vector<std::size_t>> counts;  // by subtree
    std::vector<std::size_t> all;
    for (const SwitchIndex sw : by_level[level]) {
      std::size_t count = 0;
      for (const LinkGroup& group : plan.groups.of(sw)) {
        if (plan.levels.level[group.to] == level) out.siblings += group.links;
        if (plan.levels.level[group.to] == level + 1 && plan.levels.idle[group.to] == 0)
          count += group.links;
      }
      if (count == 0) continue;  // at the top, or outside
      counts[subtrees.key(sw)].push_back(count);
      all.push_back(count);
    }
    for (const auto& [subtree, some] : counts) {
      const std::size_t full = usual(some);
      for (const std::size_t count : some) {
        out.links += count;
        out.missing += full - std::min(full, count);
      }
    }
    if (level == 0) out.of_leaf = usual(all);
  }
  out.siblings /= 2;
  return out;
}

/// Returns the switches with hosts that have no link to the next level: leaves behind leaves.
std::vector<SwitchIndex> switches_outside(const TreePlan& plan) {
  const std::vector<std::uint32_t> hosts = hosts_per_switch(plan.input);
  std::vector<SwitchIndex> out;
  for (const SwitchIndex sw : plan.input.graph.all_switches()) {
    if (hosts[sw] == 0 || plan.levels.level[sw] > 0) continue;
    if (std::ranges::none_of(plan.groups.of(sw), [&](const LinkGroup& group) {
          return plan.levels.level[group.to] == 1;
        }))
      out.push_back(sw);
  }
  return out;
}

std::optional<std::string> tree(const RoutingInput& input) {
  constexpr std::size_t kNamed = 3;
  auto levels = tree_levels(input, {});
  if (!levels) return std::nullopt;
  const TreePlan plan(input, std::move(*levels));
  const UpLinks links = up_links(plan);
  // Cables join two trees below their tops; many of them are another topology, such as a
  // dragonfly+.
  const auto siblings_max = plan.levels.has_one_top
                                ? 0.0
                                : kSiblingsMax * static_cast<double>(links.links + links.siblings);
  if (links.siblings > kFewSiblings && static_cast<double>(links.siblings) > siblings_max) {
    if (plan.levels.height > 1) return std::nullopt;
    return "a tree of a few switches";
  }
  if (plan.levels.height == 1) return "switches that are not connected";
  std::string what = fmt::format("a fat tree of {} levels, leaves with {} up-links",
                                 plan.levels.height, links.of_leaf);
  if (links.missing > 0) what += fmt::format(", {} of its links missing", links.missing);
  const std::vector<SwitchIndex> outside = switches_outside(plan);
  for (std::size_t i = 0; i < std::min(kNamed, outside.size()); ++i)
    what += fmt::format("{} {}", i == 0 ? ", outside of it" : ",",
                        input.fabric.name(input.fabric.switches[outside[i]].node));
  if (outside.size() > kNamed) what += fmt::format(" and {} more", outside.size() - kNamed);
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
  using config::AutoRank;
  switch (topology.kind) {
    case TopologyKind::no_switches:
    case TopologyKind::one_switch:
      return config::auto_engines(&AutoRank::one_switch);
    case TopologyKind::tree:
      return config::auto_engines(&AutoRank::tree);
    case TopologyKind::torus:
      if (options.torus.dimensions[0].radix > 0) return config::auto_engines(&AutoRank::torus);
      break;
    default:
      break;
  }
  return config::auto_engines(&AutoRank::other);
}

}  // namespace routing
