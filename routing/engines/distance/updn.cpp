#include "routing/engines/distance/distance_engines.h"

#include <algorithm>

#include "mad/format.h"
#include "routing/balance/balance.h"
#include "routing/core/routing_conditions.h"
#include "routing/graph/hops.h"
#include "routing/graph/roots.h"
#include "routing/graph/up_down.h"
#include "routing/trees/tree_levels.h"
#include "routing/trees/turning.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

struct Identities {
  std::vector<std::uint64_t> guid, id;  // per switch
};

Identities identities(const RoutingInput& input) {
  Identities out;
  for (const fabric::Switch& sw : input.fabric.switches)
    out.guid.push_back(input.fabric.nodes[sw.node].guid.value);
  out.id = out.guid;
  for (const NodeId& entry : input.options.node_ids) {
    const auto node = input.fabric.node_of_guid.find(entry.node);
    if (node != input.fabric.node_of_guid.end() && input.fabric.nodes[node->second].is_switch())
      out.id[input.fabric.nodes[node->second].switch_index] = entry.id;
  }
  return out;
}

/// Orders the switches by their distance from the roots; a component without any gets one.
UpDownOrder order_from(const RoutingInput& input, std::vector<SwitchIndex> roots,
                       const Identities& ids) {
  root_every_component(input.graph, roots, [&](SwitchIndex a, SwitchIndex b) {
    return std::pair(ids.id[a], ids.guid[a]) < std::pair(ids.id[b], ids.guid[b]);
  });
  return order_by_rank(hops_from(input.graph, roots), ids.id, ids.guid);
}

/// Counts pairs of connected hosts that have no legal path.
std::uint64_t pairs_without_path(const RoutingInput& input, const UpDownOrder& order) {
  const UpDownNeeds needs = up_down_needs(input);
  const auto distances = up_down_distances(input.graph, order, needs);
  if (!distances) return ~std::uint64_t{0};
  constexpr std::uint8_t kNoPath = HopTable<std::uint8_t>::kNoPath;
  std::uint64_t pairs = 0;
  for (const SwitchIndex from : input.graph.all_switches())
    for (const SwitchIndex to : input.graph.all_switches())
      if (distances->legal.row(from)[to] == kNoPath &&
          distances->completed.row(from)[to] != kNoPath)
        pairs += std::uint64_t{needs.hosts[from]} * needs.hosts[to];
  return pairs;
}

struct OwnOrder {
  std::vector<SwitchIndex> roots;
  UpDownOrder order;
  std::string how;
};

/// Finds roots by the distances of the hosts. Without roots, or if some hosts have no legal path
/// then, the order follows the levels of a tree, if fewer hosts lack a path by these. Errors: the
/// reason why there are no roots.
tl::expected<OwnOrder, Refusal> own_order(const RoutingInput& input, const Identities& ids) {
  FoundRoots found = find_roots(input);
  OwnOrder out{std::move(found.roots), {}, std::move(found.how)};
  std::uint64_t without = ~std::uint64_t{0};
  if (!out.roots.empty()) {
    out.order = order_from(input, out.roots, ids);
    without = pairs_without_path(input, out.order);
    if (without == 0) return out;
  }
  const auto tree = tree_levels(input, {});
  if (tree && tree->pairs_without_path < without) {
    out.order = tree->order;
    out.how = "the top of the levels, counted from the leaves";
    out.roots.clear();
    for (const SwitchIndex sw : input.graph.all_switches())
      if (std::ranges::none_of(input.graph.neighbours(sw),
                               [&](SwitchIndex other) { return out.order[other] < out.order[sw]; }))
        out.roots.push_back(sw);
  }
  if (out.order.empty()) return tl::unexpected(Refusal{std::move(out.how)});
  return out;
}

tl::expected<RoutingResult, Refusal> route_up_down(const RoutingInput& input, UpDownOrder levels,
                                                   fabric::ConditionList& notes) {
  const UpDownOrder order = order_by_rule(input, std::move(levels), notes);
  const std::optional<CandidatesBefore> before = candidates_before(input);
  auto found = up_down_distances_since(input, before, order, up_down_needs(input));
  if (!found)
    return tl::unexpected(Refusal{fmt::format("a path is longer than {} hops", kLongestUpDown)});
  const auto distances = std::make_shared<const UpDownDistances>(std::move(*found));
  if (!input.options.hop_weights.empty())
    notes.add("hop_weights_file is ignored: paths follow the order of the switches");
  const ChannelSettings settings = channel_settings(input, notes);
  RoutingResult result;
  route_tables(input, settings, make_plan(input), UpDownCandidates(input.graph, order, distances),
               before, result);
  result.turns = note_turning_pairs(input, *distances, notes);
  result.candidates = UpDownCandidates::make_legal(input.graph, order, distances);
  result.conditions = notes.take();
  return result;
}

}  // namespace

tl::expected<RoutingResult, Refusal> updn(const RoutingInput& input) {
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  const Identities ids = identities(input);
  NamedRoots named = named_roots(input);
  if (!named.refusal.empty()) return tl::unexpected(Refusal{std::move(named.refusal)});
  std::vector<SwitchIndex> roots = std::move(named.roots);
  UpDownOrder order;
  if (roots.empty()) {
    auto found = own_order(input, ids);
    if (!found) return tl::unexpected(std::move(found.error()));
    roots = std::move(found->roots);
    order = std::move(found->order);
    notes.add(fmt::format("updn: {} root switches, such as {}: {}", roots.size(),
                          input.fabric.name(input.fabric.switches[roots.front()].node),
                          found->how));
  } else {
    order = order_from(input, roots, ids);
  }
  auto result = route_up_down(input, std::move(order), notes);
  if (!result) return result;
  for (const SwitchIndex root : roots) result->roots.push_back(mad::Guid{ids.guid[root]});
  std::ranges::sort(result->roots);
  return result;
}

tl::expected<RoutingResult, Refusal> dnup(const RoutingInput& input) {
  const std::vector<std::uint32_t> level = hops_to_leaf(input.graph);
  if (std::ranges::all_of(level, [](std::uint32_t hops) { return hops == kUnreachable; }))
    return tl::unexpected(Refusal{"no hosts are attached to switches"});
  const Identities ids = identities(input);
  // The top of each component is a switch furthest from hosts, among these the one with the most
  // links. The distance from the top orders switches at the same distance from hosts: by id alone,
  // a switch without a higher neighbour could disconnect hosts.
  const auto preferred = [&](SwitchIndex a, SwitchIndex b) {
    const auto key = [&](SwitchIndex sw) {
      return std::tuple(level[sw] == kUnreachable ? 0 : ~level[sw], ~input.graph.degree(sw),
                        ids.id[sw], ids.guid[sw]);
    };
    return key(a) < key(b);
  };
  std::vector<SwitchIndex> tops;
  root_every_component(input.graph, tops, preferred);
  const std::vector<std::uint32_t> from_top = hops_from(input.graph, tops);
  std::vector<std::uint32_t> rank(input.graph.switches());
  for (SwitchIndex sw{0}; sw < rank.size(); ++sw) {
    const std::uint32_t distance =
        level[sw] == kUnreachable ? 0xFFFF : std::min(level[sw], 0xFFFFu);
    rank[sw] = (0xFFFF - distance) << 16 | std::min(from_top[sw], 0xFFFFu);
  }
  fabric::ConditionList notes(kRoutingConditions.routing_note);
  return route_up_down(input, order_by_rank(rank, ids.id, ids.guid), notes);
}

}  // namespace routing
