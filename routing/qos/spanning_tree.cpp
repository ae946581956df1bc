#include "routing/qos/spanning_tree.h"

#include <algorithm>
#include <tuple>

#include "routing/graph/hops.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

SpanningTree spanning_tree(const fabric::SwitchGraph& graph, std::span<const std::uint8_t> open,
                           std::span<const SwitchIndex> order,
                           std::span<const std::uint32_t> used) {
  SpanningTree tree;
  tree.up.assign(graph.switches(), kNoIndex);
  fabric::IndexVector<SwitchIndex, std::uint32_t> hops(graph.switches(), kUnreachable);
  for (const SwitchIndex root : order) {
    if (hops[root] != kUnreachable) continue;
    hops[root] = 0;
    std::size_t next = tree.top_first.size();
    for (tree.top_first.push_back(root); next < tree.top_first.size(); ++next) {
      const SwitchIndex sw = tree.top_first[next];
      for (const fabric::ChannelIndex channel : graph.channels(sw)) {
        const SwitchIndex other = graph.neighbour[channel];
        if (open[channel] == 0) continue;
        if (hops[other] == kUnreachable) {
          hops[other] = hops[sw] + 1;
          tree.top_first.push_back(other);
        }
        if (hops[other] != hops[sw] + 1) continue;
        fabric::ChannelIndex& up = tree.up[other];
        const fabric::ChannelIndex back = graph.reverse[channel];
        if (up == kNoIndex || std::tuple(used[back], back) < std::tuple(used[up], up)) up = back;
      }
    }
  }
  return tree;
}

std::optional<SpanningTree> spanning_tree_within(AcyclicChannels& channels,
                                                 const fabric::SwitchGraph& graph,
                                                 std::span<const std::uint8_t> open,
                                                 std::span<const SwitchIndex> order) {
  SpanningTree tree;
  tree.up.assign(graph.switches(), kNoIndex);
  std::vector<bool> reached(graph.switches(), false);
  fabric::IndexVector<SwitchIndex, std::vector<fabric::ChannelIndex>> branches(
      graph.switches());  // per switch: its channels on the tree
  const auto allow = [&](fabric::ChannelIndex from, fabric::ChannelIndex to) {
    return channels.allow(from, to - graph.offsets[graph.neighbour[from]]);
  };
  for (const SwitchIndex root : order) {
    if (reached[root]) continue;
    reached[root] = true;
    std::size_t next = tree.top_first.size();
    for (tree.top_first.push_back(root); next < tree.top_first.size(); ++next) {
      const SwitchIndex sw = tree.top_first[next];
      for (const fabric::ChannelIndex channel : graph.channels(sw)) {
        const SwitchIndex other = graph.neighbour[channel];
        const fabric::ChannelIndex back = graph.reverse[channel];
        if (open[channel] == 0 || reached[other]) continue;
        if (!std::ranges::all_of(branches[sw], [&](fabric::ChannelIndex branch) {
              return allow(graph.reverse[branch], channel) && allow(back, branch);
            }))
          continue;
        reached[other] = true;
        tree.up[other] = back;
        branches[sw].push_back(channel);
        branches[other].push_back(back);
        tree.top_first.push_back(other);
      }
    }
    // If an open link leads to a switch that was not reached, the switch did not fit.
    for (const SwitchIndex sw : tree.top_first)
      for (const fabric::ChannelIndex channel : graph.channels(sw))
        if (open[channel] != 0 && !reached[graph.neighbour[channel]]) return std::nullopt;
  }
  return tree;
}

fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> SpanningTree::towards(
    const fabric::SwitchGraph& graph, SwitchIndex last_switch) const {
  fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> out = up;
  for (SwitchIndex sw = last_switch; up[sw] != kNoIndex; sw = graph.neighbour[up[sw]])
    out[graph.neighbour[up[sw]]] = graph.reverse[up[sw]];
  out[last_switch] = kNoIndex;
  return out;
}

TreeOrder tree_order_of(const RoutingInput& input) {
  std::vector<mad::Guid> guids;
  for (const fabric::Switch& sw : input.fabric.switches)
    guids.push_back(input.fabric.nodes[sw.node].guid);
  return tree_order(input.graph, guids, std::vector<bool>(guids.size(), false), {});
}

bool allows_shared_multicast_vl(const AcyclicChannels& channels, const fabric::SwitchGraph& graph,
                                const TreeOrder& order) {
  if (!order.by_levels) return false;
  const auto climbs = [&](fabric::ChannelIndex channel) {
    return order.position[graph.neighbour[channel]] <
           order.position[graph.neighbour[graph.reverse[channel]]];
  };
  for (const fabric::ChannelIndex channel : graph.port.indices()) {
    const SwitchIndex sw = graph.neighbour[channel];
    for (const fabric::ChannelIndex next : graph.channels(sw))
      if (!climbs(channel) && climbs(next) && channels.has(channel, next - graph.offsets[sw]))
        return false;
  }
  return true;
}

std::vector<Dependency> dependencies_on(const fabric::SwitchGraph& graph, const SpanningTree& tree,
                                        std::span<const std::uint32_t> senders,
                                        std::span<const std::uint32_t> destinations) {
  struct Ends {
    bool senders = false, destinations = false;
  };
  struct Count {
    std::uint64_t senders = 0, destinations = 0;
    Ends ends() const { return {senders > 0, destinations > 0}; }
  };
  std::vector<Count> below(graph.switches()), all(graph.switches());  // all: of the whole tree
  for (const SwitchIndex sw : graph.all_switches()) below[sw] = {senders[sw], destinations[sw]};
  const auto parent = [&](SwitchIndex sw) { return graph.neighbour[tree.up[sw]]; };
  for (std::size_t i = tree.top_first.size(); i-- > 0;) {
    const SwitchIndex sw = tree.top_first[i];
    if (tree.up[sw] == kNoIndex) continue;
    below[parent(sw)].senders += below[sw].senders;
    below[parent(sw)].destinations += below[sw].destinations;
  }
  // The end ports behind each link of a switch on the tree.
  struct Branch {
    fabric::ChannelIndex channel;
    Ends ends;
  };
  std::vector<std::vector<Branch>> branches(graph.switches());
  for (const SwitchIndex sw : tree.top_first) {
    all[sw] = tree.up[sw] == kNoIndex ? below[sw] : all[parent(sw)];
    if (tree.up[sw] == kNoIndex) continue;
    branches[parent(sw)].push_back({graph.reverse[tree.up[sw]], below[sw].ends()});
    branches[sw].push_back(
        {tree.up[sw],
         {all[sw].senders > below[sw].senders, all[sw].destinations > below[sw].destinations}});
  }
  std::vector<Dependency> out;
  for (const std::vector<Branch>& of_switch : branches)
    for (const Branch& from : of_switch)
      for (const Branch& to : of_switch)
        if (from.channel != to.channel && from.ends.senders && to.ends.destinations)
          out.push_back({{graph.reverse[from.channel], 0}, {to.channel, 0}});
  return out;
}

}  // namespace routing
