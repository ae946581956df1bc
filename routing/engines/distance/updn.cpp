#include "routing/engines/distance/distance_engines.h"

#include <algorithm>

#include "mad/format.h"
#include "routing/balance/balance.h"
#include "routing/graph/hops.h"
#include "routing/graph/roots.h"
#include "routing/graph/up_down.h"

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

// Names the first two connected switches with hosts that have no legal path.
std::optional<std::string> missing_path(const RoutingInput& input,
                                        const HopTable<std::uint8_t>& distances) {
  const std::vector<std::uint32_t> component = components(input.graph);
  std::vector<SwitchIndex> leaves;
  for (const Target& target : targets(input))
    if (!target.is_switch() && (leaves.empty() || leaves.back() != target.end->sw))
      leaves.push_back(target.end->sw);
  for (const SwitchIndex from : leaves)
    for (const SwitchIndex to : leaves)
      if (distances.row(from)[to] == HopTable<std::uint8_t>::kNoPath &&
          component[from] == component[to])
        return fmt::format("no Up*/Down* path from {} to {}; both have hosts",
                           input.fabric.name(input.fabric.switches[from].node),
                           input.fabric.name(input.fabric.switches[to].node));
  return std::nullopt;
}

tl::expected<RoutingResult, Refusal> route_up_down(const RoutingInput& input,
                                                   const UpDownOrder& order,
                                                   fabric::ConditionList& notes) {
  // Switches without a legal path to hosts only send management packets there, such as traps, which
  // have to be delivered.
  std::vector<std::uint8_t> complete(input.graph.switches(), input.options.connect_roots ? 1 : 0);
  for (const Target& target : targets(input))
    if (!target.is_switch()) complete[target.end->sw] = 1;
  const std::optional<CandidatesBefore> before = candidates_before(input);
  auto found = up_down_distances_since(input, before, order, complete);
  if (!found)
    return tl::unexpected(Refusal{fmt::format("a path is longer than {} hops", kLongestUpDown)});
  const auto distances = std::make_shared<const UpDownDistances>(std::move(*found));
  if (auto missing = missing_path(input, distances->legal))
    return tl::unexpected(Refusal{std::move(*missing)});
  if (!input.options.hop_weights.empty())
    notes.add("hop_weights_file is ignored: paths follow the order of the switches");
  const ChannelSettings settings = channel_settings(input, notes);
  RoutingResult result;
  route_tables(input, settings, make_plan(input), UpDownCandidates(input.graph, order, distances),
               before, result);
  result.candidates = UpDownCandidates::make_legal(input.graph, order, distances);
  result.conditions = notes.take();
  return result;
}

}  // namespace

tl::expected<RoutingResult, Refusal> updn(const RoutingInput& input) {
  fabric::ConditionList notes(fabric::ConditionId::routing_note);
  std::vector<SwitchIndex> roots = named_roots(input, notes);
  if (roots.empty()) {
    FoundRoots found = find_roots(input);
    if (found.roots.empty()) return tl::unexpected(Refusal{std::move(found.how)});
    roots = std::move(found.roots);
    notes.add(fmt::format("updn: {} root switches, such as {}: {}", roots.size(),
                          input.fabric.name(input.fabric.switches[roots.front()].node), found.how));
  }
  const Identities ids = identities(input);
  std::vector<mad::Guid> root_guids;
  root_guids.reserve(roots.size());
  for (const SwitchIndex root : roots) root_guids.push_back(mad::Guid{ids.guid[root]});
  std::ranges::sort(root_guids);
  root_every_component(input.graph, roots, [&](SwitchIndex a, SwitchIndex b) {
    return std::pair(ids.id[a], ids.guid[a]) < std::pair(ids.id[b], ids.guid[b]);
  });
  auto result =
      route_up_down(input, order_by_rank(hops_from(input.graph, roots), ids.id, ids.guid), notes);
  if (result) result->roots = std::move(root_guids);
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
  fabric::ConditionList notes(fabric::ConditionId::routing_note);
  return route_up_down(input, order_by_rank(rank, ids.id, ids.guid), notes);
}

}  // namespace routing
