#include "routing/graph/hops.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/connected_components.hpp>

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchGraph;
using fabric::SwitchIndex;

namespace {

// Lists the neighbours of each switch once, regardless of parallel links.
struct Neighbours {
  std::vector<std::uint32_t> offsets;
  std::vector<SwitchIndex> of;
};

// Counts only open channels; if `open` is empty, all channels.
Neighbours distinct_neighbours(const SwitchGraph& graph, std::span<const std::uint8_t> open) {
  Neighbours out;
  std::vector<SwitchIndex> seen_from(graph.switches(), kNoIndex);
  for (const SwitchIndex sw : graph.all_switches()) {
    out.offsets.push_back(static_cast<std::uint32_t>(out.of.size()));
    for (const fabric::ChannelIndex channel : graph.channels(sw)) {
      const SwitchIndex other = graph.neighbour[channel];
      if (seen_from[other] == sw || (!open.empty() && open[channel] == 0)) continue;
      seen_from[other] = sw;
      out.of.push_back(other);
    }
  }
  out.offsets.push_back(static_cast<std::uint32_t>(out.of.size()));
  return out;
}

std::optional<HopTable<std::uint8_t>> breadth_first(const SwitchGraph& graph,
                                                    const Neighbours& neighbours) {
  constexpr std::size_t kChunk = 4;  // words that are collected in registers
  const std::size_t switches = graph.switches(),
                    words = (switches + 64 * kChunk - 1) / (64 * kChunk) * kChunk;
  HopTable<std::uint8_t> hops(switches);
  // Bit j of a switch's words means that the search from the switch reaches j. `edge`: first
  // reached at the previous level, `next`: at this level.
  std::vector<std::uint64_t> seen(switches * words), edge(switches * words), next(switches * words);
  std::vector<std::size_t> left(switches, switches - 1);
  for (SwitchIndex sw{0}; sw < switches; ++sw) {
    seen[sw * words + sw / 64] = edge[sw * words + sw / 64] = std::uint64_t{1} << sw % 64;
    hops.row(sw)[sw] = 0;
  }
  for (unsigned level = 1;; ++level) {
    bool any = false;
    for (SwitchIndex sw{0}; sw < switches; ++sw) {
      const std::span<const SwitchIndex> others(
          neighbours.of.data() + neighbours.offsets[sw],
          neighbours.offsets[sw + 1] - neighbours.offsets[sw]);
      std::size_t found = 0;
      for (std::size_t w = 0; w < words; w += kChunk) {
        std::array<std::uint64_t, kChunk> fresh{};
        if (left[sw] > 0) {
          for (const SwitchIndex other : others) {
            const std::uint64_t* const theirs = edge.data() + other * words + w;
            for (std::size_t i = 0; i < kChunk; ++i) fresh[i] |= theirs[i];
          }
        }
        for (std::size_t i = 0; i < kChunk; ++i) {
          std::uint64_t& known = seen[sw * words + w + i];
          const std::uint64_t bits_new = fresh[i] & ~known;
          known |= bits_new;
          next[sw * words + w + i] = bits_new;
          std::uint8_t* const row = hops.row(sw) + (w + i) * 64;
          for (std::uint64_t bits = bits_new; bits != 0; bits &= bits - 1, ++found)
            row[std::countr_zero(bits)] = static_cast<std::uint8_t>(level);
        }
      }
      left[sw] -= found;
      any |= found > 0;
    }
    if (!any) return hops;
    if (level >= HopTable<std::uint8_t>::kNoPath) return std::nullopt;
    std::swap(edge, next);
  }
}

}  // namespace

std::optional<HopTable<std::uint8_t>> unit_hops(const SwitchGraph& graph) {
  return breadth_first(graph, distinct_neighbours(graph, {}));
}

std::optional<HopTable<std::uint8_t>> unit_hops_over(const SwitchGraph& graph,
                                                     std::span<const std::uint8_t> open) {
  return breadth_first(graph, distinct_neighbours(graph, open));
}

LinkChanges link_changes(const SwitchGraph& before, const SwitchGraph& now,
                         const Correspondence& was) {
  LinkChanges out;
  std::vector<bool> known(now.port.size(), false);
  for (const fabric::ChannelIndex channel : before.port.indices()) {
    const fabric::ChannelIndex current = was.current_channel[channel];
    if (current != kNoIndex) {
      known[current] = true;
      continue;
    }
    const SwitchIndex from = was.current_switch[before.neighbour[before.reverse[channel]]],
                      to = was.current_switch[before.neighbour[channel]];
    if (from != kNoIndex && to != kNoIndex) out.lost.emplace_back(from, to);
  }
  for (const fabric::ChannelIndex channel : now.port.indices())
    if (!known[channel])
      out.added.emplace_back(now.neighbour[now.reverse[channel]], now.neighbour[channel]);
  return out;
}

std::optional<HopTable<std::uint8_t>> unit_hops_after(const SwitchGraph& graph,
                                                      const HopTable<std::uint8_t>& before,
                                                      const LinkChanges& changes) {
  using Hops = HopTable<std::uint8_t>;
  constexpr std::size_t kShare = 8;  // of the switches, from which all are computed at once
  const std::size_t switches = graph.switches();
  std::vector<bool> affected(switches, false);
  // As long as each switch has a neighbour one hop nearer, no distance has grown; as long as no
  // neighbour is nearer than that, none has become less.
  for (const auto& [from, to] : changes.lost) {
    const std::uint8_t *const here = before.row(from), *const there = before.row(to);
    for (const SwitchIndex d : graph.all_switches()) {
      if (here[d] == Hops::kNoPath || here[d] != there[d] + 1 || affected[d]) continue;
      affected[d] = std::ranges::none_of(graph.neighbours(from), [&](SwitchIndex other) {
        return before.row(other)[d] + 1 == here[d];
      });
    }
  }
  for (const auto& [from, to] : changes.added)
    for (const SwitchIndex d : graph.all_switches())
      if (before.row(to)[d] != Hops::kNoPath && before.row(to)[d] + 1 < before.row(from)[d])
        affected[d] = true;
  if (static_cast<std::size_t>(std::ranges::count(affected, true)) * kShare > switches)
    return std::nullopt;
  Hops hops = before;
  for (const SwitchIndex d : graph.all_switches()) {
    if (!affected[d]) continue;
    const std::vector<std::uint32_t> from_d = hops_from(graph, {d});
    for (const SwitchIndex sw : graph.all_switches()) {
      if (from_d[sw] != kUnreachable && from_d[sw] >= Hops::kNoPath) return std::nullopt;
      const auto length =
          from_d[sw] == kUnreachable ? Hops::kNoPath : static_cast<std::uint8_t>(from_d[sw]);
      hops.row(sw)[d] = hops.row(d)[sw] = length;  // links are symmetrical
    }
  }
  return hops;
}

HopTable<std::uint16_t> weighted_hops(const SwitchGraph& graph,
                                      std::span<const std::uint8_t> channel_weights) {
  using Hops = HopTable<std::uint16_t>;
  Hops hops(graph.switches());
  std::vector<std::uint32_t> distance(graph.switches());
  std::array<std::vector<SwitchIndex>, 256>
      buckets;  // by distance modulo 256: a weight is at most 255
  std::vector<SwitchIndex> now;
  for (const SwitchIndex to : graph.all_switches()) {
    std::ranges::fill(distance, kUnreachable);
    distance[to] = 0;
    buckets[0].push_back(to);
    std::size_t waiting = 1;
    for (std::uint32_t at = 0; waiting > 0 && at <= kLongestWeighted; ++at) {
      now.clear();
      std::swap(now, buckets[at % 256]);
      waiting -= now.size();
      for (const SwitchIndex sw : now) {
        if (distance[sw] != at || hops.row(sw)[to] != Hops::kNoPath)
          continue;  // the search has found a shorter path since
        hops.row(sw)[to] = static_cast<std::uint16_t>(at);
        for (const fabric::ChannelIndex channel : graph.channels(sw)) {
          const SwitchIndex other =
              graph.neighbour[channel];  // the channel at the other end of the link
          const std::uint32_t length =
              at + std::max<std::uint32_t>(1, channel_weights[graph.reverse[channel]]);
          if (length >= distance[other]) continue;
          distance[other] = length;
          buckets[length % 256].push_back(other);
          ++waiting;
        }
      }
    }
    for (auto& bucket : buckets) bucket.clear();
  }
  return hops;
}

std::vector<std::uint32_t> hops_from(const SwitchGraph& graph, std::vector<SwitchIndex> from) {
  std::vector<std::uint32_t> hops(graph.switches(), kUnreachable);
  for (const SwitchIndex sw : from) hops[sw] = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const SwitchIndex other : graph.neighbours(from[i])) {
      if (hops[other] != kUnreachable) continue;
      hops[other] = hops[from[i]] + 1;
      from.push_back(other);
    }
  }
  return hops;
}

std::vector<SwitchIndex> nearest_first(const std::uint8_t* distance,
                                       std::span<const SwitchIndex> order) {
  std::array<std::uint32_t, 257> next{};
  for (const SwitchIndex sw : order) ++next[distance[sw] + 1u];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<SwitchIndex> out(next[HopTable<std::uint8_t>::kNoPath]);
  for (const SwitchIndex sw : order)
    if (distance[sw] != HopTable<std::uint8_t>::kNoPath) out[next[distance[sw]]++] = sw;
  return out;
}

std::vector<SwitchIndex> well_populated(std::span<const std::uint32_t> hosts, std::uint32_t share) {
  const std::uint32_t most = hosts.empty() ? 0 : *std::ranges::max_element(hosts);
  std::vector<SwitchIndex> out;
  for (SwitchIndex sw{0}; sw < hosts.size(); ++sw)
    if (hosts[sw] > 0 && hosts[sw] * share > most) out.push_back(sw);
  return out;
}

std::vector<std::uint32_t> hops_to_leaf(const SwitchGraph& graph) {
  std::vector<SwitchIndex> leaves;
  for (const SwitchGraph::EndPort& end : graph.end_ports)
    if (end.is_host() && (leaves.empty() || leaves.back() != end.sw)) leaves.push_back(end.sw);
  return hops_from(graph, std::move(leaves));
}

std::vector<std::uint32_t> components(const SwitchGraph& graph, const std::vector<bool>& without) {
  using Links =
      boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                         boost::no_property, std::uint32_t, std::size_t>;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> directions;  // of each link both
  directions.reserve(graph.neighbour.size());
  const auto counts = [&](SwitchIndex sw) { return without.empty() || !without[sw]; };
  for (const SwitchIndex sw : graph.all_switches())
    for (const SwitchIndex other : graph.neighbours(sw))
      if (counts(sw) && counts(other)) directions.emplace_back(sw, other);
  const Links links(boost::edges_are_sorted, directions.begin(), directions.end(),
                    static_cast<std::uint32_t>(graph.switches()));
  std::vector<std::uint32_t> component(graph.switches());
  boost::connected_components(
      links,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, links)));
  return component;
}

}  // namespace routing
