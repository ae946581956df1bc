#include "routing/engines/virtual_lanes/lash_layers.h"

#include <algorithm>
#include <numeric>

#include "mad/format.h"
#include "routing/core/mix.h"

namespace routing {

using sm::SwitchIndex;

std::vector<std::uint32_t> slots_in_order(const sm::SwitchGraph& graph,
                                          std::span<const SwitchIndex> order) {
  std::vector<std::uint32_t> slots;
  slots.reserve(graph.port.size());
  for (const SwitchIndex sw : order)
    for (std::uint32_t slot = graph.offsets[sw]; slot < graph.offsets[sw + 1]; ++slot)
      slots.push_back(slot);
  return slots;
}

LashLayers::LashLayers(const sm::SwitchGraph& graph, LashWays ways,
                       std::span<const std::uint32_t> hosts, std::span<const SwitchIndex> order,
                       AcyclicChannels first)
    : graph_(graph),
      ways_(std::move(ways)),
      hosts_(hosts),
      order_(order),
      switches_(graph.switches()),
      slots_(slots_in_order(graph, order)),
      lane_of_(ways_.trees() * switches_ * switches_, 0) {
  lanes_.push_back(std::move(first));
}

/// allow(from slot, place of the next) for all dependencies of both ways, as long as that is true.
template <class Allow>
bool LashLayers::way_fits(const Pair& pair, Allow&& allow) const {
  const auto one_way = [&](SwitchIndex from, SwitchIndex to) {
    std::uint32_t slot = ways_.slot(pair.tree, from, to);
    for (SwitchIndex sw = graph_.neighbour[slot]; sw != to;) {
      const std::uint8_t place = ways_.place(pair.tree, sw, to);
      if (!allow(slot, place)) return false;
      slot = graph_.offsets[sw] + place;
      sw = graph_.neighbour[slot];
    }
    return true;
  };
  return one_way(pair.a, pair.b) && one_way(pair.b, pair.a);
}

// What does not fit as a whole leaves nothing in the lane.
bool LashLayers::fits(std::size_t lane, const Pair& pair) {
  AcyclicChannels& channels = lanes_[lane];
  channels.start_log();
  const bool fit = way_fits(
      pair, [&](std::uint32_t from, std::uint8_t place) { return channels.allow(from, place); });
  if (!fit) channels.take_out_unless([](std::uint32_t, unsigned) { return false; });
  return fit;
}

void LashLayers::put(const Pair& pair, std::size_t lane) {
  const std::size_t tree = pair.tree * switches_;
  lane_of_[(tree + pair.a) * switches_ + pair.b] = lane_of_[(tree + pair.b) * switches_ + pair.a] =
      static_cast<std::uint8_t>(lane);
}

void LashLayers::assign(std::size_t lanes_max) {
  std::vector<std::uint8_t> hops;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (std::size_t k = i + 1; k < order_.size(); ++k) {
      const SwitchIndex a = order_[i], b = order_[k];
      if (hosts_[a] == 0 || hosts_[b] == 0) continue;
      for (unsigned tree = 0; tree < ways_.trees(); ++tree) {
        const Pair pair{a, b, static_cast<std::uint8_t>(tree)};
        if (has_way(pair)) pairs_.push_back(pair);
      }
    }
  }
  const auto length = [&](const Pair& pair) {
    unsigned count = 0;
    for (SwitchIndex sw = pair.a; sw != pair.b; ++count)
      sw = graph_.neighbour[ways_.slot(pair.tree, sw, pair.b)];
    return count;
  };
  std::vector<std::pair<unsigned, std::uint32_t>> keys;
  keys.reserve(pairs_.size());
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) keys.emplace_back(~length(pairs_[i]), i);
  std::ranges::sort(keys);
  for (const auto& [key, number] : keys) {
    std::size_t lane = 0;
    while (!fits(lane, pairs_[number])) {
      if (++lane < lanes_.size()) continue;
      if (lane == lanes_max) return;
      lanes_.emplace_back(graph_, slots_);
    }
    put(pairs_[number], lane);
  }
  complete_ = true;
}

std::size_t LashLayers::pairs_beyond(std::size_t lanes) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      pairs_, [&](const Pair& pair) { return lane(pair.tree, pair.a, pair.b) >= lanes; }));
}

const LashLayers::Pair& LashLayers::first_beyond(std::size_t lanes) const {
  return *std::ranges::find_if(
      pairs_, [&](const Pair& pair) { return lane(pair.tree, pair.a, pair.b) >= lanes; });
}

void LashLayers::balance() {
  if (lanes_.size() < 2) return;
  const auto weight = [&](const Pair& pair) {
    return std::uint64_t{hosts_[pair.a]} * hosts_[pair.b];
  };
  std::vector<std::uint64_t> share(lanes_.size(), 0);
  std::vector<std::pair<std::uint64_t, std::uint32_t>>
      keys;  // any sequence in which no part of the fabric comes first
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    share[lane(pairs_[i].tree, pairs_[i].a, pairs_[i].b)] += weight(pairs_[i]);
    keys.emplace_back(mix(i), i);
  }
  std::ranges::sort(keys);
  const std::uint64_t fair =
      std::accumulate(share.begin(), share.end(), std::uint64_t{0}) / share.size();
  std::vector<std::size_t> emptiest(lanes_.size());
  std::iota(emptiest.begin(), emptiest.end(), std::size_t{0});
  for (const auto& [key, number] : keys) {
    const Pair& pair = pairs_[number];
    const std::size_t from = lane(pair.tree, pair.a, pair.b);
    if (share[from] <= fair) continue;
    std::ranges::sort(emptiest, {}, [&](std::size_t lane) { return std::pair(share[lane], lane); });
    for (const std::size_t to : emptiest) {
      if (share[to] + weight(pair) > fair) break;
      if (!fits(to, pair)) continue;
      share[from] -= weight(pair);
      share[to] += weight(pair);
      put(pair, to);
      break;
    }
  }
}

std::size_t LashLayers::assign_others() {
  std::size_t unsafe = 0;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (std::size_t k = i + 1; k < order_.size(); ++k) {
      const SwitchIndex a = order_[i], b = order_[k];
      if (hosts_[a] > 0 && hosts_[b] > 0) continue;
      for (unsigned tree = 0; tree < ways_.trees(); ++tree) {
        const Pair pair{a, b, static_cast<std::uint8_t>(tree)};
        if (!has_way(pair)) continue;
        std::size_t lane = 0;
        while (lane < lanes_.size() && !way_fits(
                                           pair,
                                           [&](std::uint32_t from, std::uint8_t place) {
                                             return lanes_[lane].allow_at_once(from, place);
                                           }))
          ++lane;
        if (lane == lanes_.size()) ++unsafe;
        put(pair, lane == lanes_.size() ? 0 : lane);
      }
    }
  }
  return unsafe;
}

}  // namespace routing
