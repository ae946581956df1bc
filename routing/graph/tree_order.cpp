#include "routing/graph/tree_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "routing/graph/hops.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

class Distances {
 public:
  Distances(const fabric::SwitchGraph& graph, const std::vector<bool>& excluded)
      : graph_(graph), excluded_(excluded) {}

  /// Searches breadth first from all of `from`; `hops` is kUnreachable if a switch is not
  /// connected. `met`: the switches in the order in which they were reached.
  void spread(std::span<const SwitchIndex> from, std::vector<std::uint32_t>& hops,
              std::vector<SwitchIndex>& met) const {
    met.assign(from.begin(), from.end());
    for (const SwitchIndex sw : from) hops[sw] = 0;
    for (std::size_t i = 0; i < met.size(); ++i) {
      if (excluded_[met[i]]) continue;
      for (const SwitchIndex next : graph_.neighbours(met[i])) {
        if (excluded_[next] || hops[next] != kUnreachable) continue;
        hops[next] = hops[met[i]] + 1;
        met.push_back(next);
      }
    }
  }

 private:
  const fabric::SwitchGraph& graph_;
  const std::vector<bool>& excluded_;
};

/// Returns the level of each switch, its distance to the nearest switch with many hosts. Returns an
/// empty list unless nearly all links connect neighbouring levels: with a single other link, a fat
/// tree is still a tree.
std::vector<std::uint32_t> levels(const fabric::SwitchGraph& graph,
                                  const std::vector<bool>& excluded, const Distances& distances) {
  std::vector<std::uint32_t> hosts(graph.switches(), 0);
  for (const auto& end : graph.end_ports) hosts[end.sw] += end.is_host() && !excluded[end.sw];
  const std::vector<SwitchIndex> leaves = well_populated(hosts);
  std::vector<SwitchIndex> met;
  std::vector<std::uint32_t> level(graph.switches(), kUnreachable);
  distances.spread(leaves, level, met);
  constexpr std::size_t kOdd = 10;  // at most one link in this number connects other levels
  std::size_t links = 0, odd = 0;
  for (const SwitchIndex sw : graph.all_switches()) {
    for (const SwitchIndex next : graph.neighbours(sw)) {
      if (excluded[sw] || excluded[next]) continue;
      ++links;
      odd += level[sw] + 1 != level[next] && level[next] + 1 != level[sw];
    }
  }
  if (odd * kOdd > links) return {};
  return level;
}

}  // namespace

TreeOrder tree_order(const fabric::SwitchGraph& graph, std::span<const mad::Guid> node_guid,
                     const std::vector<bool>& excluded,
                     std::span<const mad::Guid> previous_centres) {
  const std::size_t switches = graph.switches();
  const Distances distances(graph, excluded);
  TreeOrder order;
  std::vector<std::uint32_t> height = levels(graph, excluded, distances);  // larger: further up
  order.by_levels = !height.empty() || switches == 0;
  if (order.by_levels) {
    for (std::uint32_t& level : height) level = level == kUnreachable ? 0 : level;
  } else {
    height.assign(switches, 0);
    std::vector<std::uint32_t> hops(switches, kUnreachable), from_centre(switches, kUnreachable);
    std::vector<SwitchIndex> component, met;
    for (SwitchIndex first{0}; first < switches; ++first) {
      if (from_centre[first] != kUnreachable) continue;
      distances.spread(std::span(&first, 1), from_centre, component);
      const auto was_centre = [&](SwitchIndex sw) {
        return std::ranges::find(previous_centres, node_guid[sw]) != previous_centres.end();
      };
      const bool keep = std::ranges::any_of(component, was_centre);
      std::tuple<std::uint32_t, mad::Guid, SwitchIndex> best{kUnreachable, {}, first};
      for (const SwitchIndex sw : component) {
        if (keep && !was_centre(sw)) continue;
        distances.spread(std::span(&sw, 1), hops, met);
        best = std::min(best, {hops[met.back()], node_guid[sw], sw});
        for (const SwitchIndex seen : met) hops[seen] = kUnreachable;
      }
      const SwitchIndex centre = std::get<2>(best);
      order.centres.push_back(node_guid[centre]);
      for (const SwitchIndex sw : component) from_centre[sw] = kUnreachable;
      distances.spread(std::span(&centre, 1), from_centre, met);
      for (const SwitchIndex sw : met)
        height[sw] = static_cast<std::uint32_t>(switches) - from_centre[sw];
    }
  }
  std::vector<SwitchIndex> sorted(switches);
  std::iota(sorted.begin(), sorted.end(), SwitchIndex{0});
  std::ranges::sort(sorted, [&](SwitchIndex a, SwitchIndex b) {
    return std::tuple(height[b], node_guid[a], a) < std::tuple(height[a], node_guid[b], b);
  });
  order.position.resize(switches);
  for (std::uint32_t i = 0; i < switches; ++i) order.position[sorted[i]] = i;
  return order;
}

std::vector<std::uint32_t> climbing_ranks(const fabric::SwitchGraph& graph,
                                          std::span<const std::uint32_t> position) {
  const auto switches = static_cast<std::uint32_t>(graph.switches());
  std::vector<std::uint32_t> ranks(graph.port.size());
  for (const SwitchIndex sw : graph.all_switches())
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      ranks[channel] = position[graph.neighbour[channel]] < position[sw] ? switches - position[sw]
                                                                         : switches + position[sw];
  return ranks;
}

std::vector<fabric::ChannelIndex> climbing_first(const fabric::SwitchGraph& graph,
                                                 std::span<const std::uint32_t> position) {
  const std::vector<std::uint32_t> ranks = climbing_ranks(graph, position);
  std::vector<fabric::ChannelIndex> channels(graph.port.size());
  std::iota(channels.begin(), channels.end(), fabric::ChannelIndex{0});
  std::ranges::sort(channels, {}, [&](fabric::ChannelIndex channel) {
    return std::pair(ranks[channel], channel);
  });
  return channels;
}

}  // namespace routing
