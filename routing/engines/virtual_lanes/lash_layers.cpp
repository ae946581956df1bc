#include "routing/engines/virtual_lanes/lash_layers.h"

#include <algorithm>
#include <numeric>

#include "mad/format.h"
#include "routing/core/mix.h"

namespace routing {

using fabric::SwitchIndex;

LashLayers::LashLayers(const fabric::SwitchGraph& graph, LashPaths paths,
                       std::span<const std::uint32_t> hosts, std::span<const SwitchIndex> order,
                       std::vector<fabric::ChannelIndex> channels, std::vector<AcyclicChannels> vls,
                       std::vector<std::uint8_t> mapped_vl)
    : graph_(graph),
      paths_(std::move(paths)),
      hosts_(hosts),
      order_(order),
      switches_(graph.switches()),
      channels_(std::move(channels)),
      vls_(std::move(vls)),
      vl_of_(std::move(mapped_vl)) {
  vl_of_.resize(paths_.trees() * switches_ * switches_, 0);
}

/// Calls allow(channel, index of the next channel) for all dependencies of both directions; stops
/// when it returns false.
template <class Allow>
bool LashLayers::path_fits(const Pair& pair, Allow&& allow) const {
  const auto one_direction = [&](SwitchIndex from, SwitchIndex to) {
    fabric::ChannelIndex channel = paths_.channel(pair.tree, from, to);
    for (SwitchIndex sw = graph_.neighbour[channel]; sw != to;) {
      const std::uint8_t position = paths_.position(pair.tree, sw, to);
      if (!allow(channel, position)) return false;
      channel = graph_.offsets[sw] + position;
      sw = graph_.neighbour[channel];
    }
    return true;
  };
  return one_direction(pair.a, pair.b) && one_direction(pair.b, pair.a);
}

// A pair that does not fit leaves no dependencies on the VL.
bool LashLayers::fits(std::size_t vl, const Pair& pair) {
  AcyclicChannels& channels = vls_[vl];
  channels.start_log();
  const bool fit = path_fits(pair, [&](fabric::ChannelIndex from, std::uint8_t position) {
    return channels.allow(from, position);
  });
  if (!fit) channels.remove_logged_unless([](fabric::ChannelIndex, unsigned) { return false; });
  return fit;
}

void LashLayers::put(const Pair& pair, std::size_t vl) {
  const std::size_t tree = pair.tree * switches_;
  vl_of_[(tree + pair.a) * switches_ + pair.b] = vl_of_[(tree + pair.b) * switches_ + pair.a] =
      static_cast<std::uint8_t>(vl);
}

void LashLayers::assign(std::size_t vls_max) {
  std::vector<std::uint8_t> hops;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (std::size_t k = i + 1; k < order_.size(); ++k) {
      const SwitchIndex a = order_[i], b = order_[k];
      if (hosts_[a] == 0 || hosts_[b] == 0) continue;
      for (unsigned tree = 0; tree < paths_.trees(); ++tree) {
        const Pair pair{a, b, static_cast<std::uint8_t>(tree)};
        if (has_path(pair)) pairs_.push_back(pair);
      }
    }
  }
  const auto length = [&](const Pair& pair) {
    unsigned count = 0;
    for (SwitchIndex sw = pair.a; sw != pair.b; ++count)
      sw = graph_.neighbour[paths_.channel(pair.tree, sw, pair.b)];
    return count;
  };
  std::vector<std::pair<unsigned, std::uint32_t>> keys;
  keys.reserve(pairs_.size());
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) keys.emplace_back(~length(pairs_[i]), i);
  std::ranges::sort(keys);
  for (const auto& [key, number] : keys) {
    std::size_t vl = 0;
    while (!fits(vl, pairs_[number])) {
      if (++vl < vls_.size()) continue;
      if (vl == vls_max) return;
      vls_.emplace_back(graph_, channels_);
    }
    put(pairs_[number], vl);
  }
  complete_ = true;
}

bool LashLayers::assign_again(const Pair& pair, std::size_t vls_max) {
  const std::size_t before = vl(pair.tree, pair.a, pair.b);
  if (before < vls_.size() && fits(before, pair)) return true;
  for (std::size_t vl = 0; vl < vls_max; ++vl) {
    if (vl == vls_.size()) vls_.emplace_back(graph_, channels_);
    if (!fits(vl, pair)) continue;
    put(pair, vl);
    return true;
  }
  return false;
}

bool LashLayers::assign_other(const Pair& pair) {
  for (std::size_t vl = 0; vl < vls_.size(); ++vl) {
    const bool fits = path_fits(pair, [&](fabric::ChannelIndex from, std::uint8_t position) {
      return vls_[vl].allow_at_once(from, position);
    });
    if (!fits) continue;
    put(pair, vl);
    return true;
  }
  put(pair, 0);
  return false;
}

std::size_t LashLayers::pairs_beyond(std::size_t vls) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      pairs_, [&](const Pair& pair) { return vl(pair.tree, pair.a, pair.b) >= vls; }));
}

const LashLayers::Pair& LashLayers::first_beyond(std::size_t vls) const {
  return *std::ranges::find_if(
      pairs_, [&](const Pair& pair) { return vl(pair.tree, pair.a, pair.b) >= vls; });
}

void LashLayers::balance() {
  if (vls_.size() < 2) return;
  const auto weight = [&](const Pair& pair) {
    return std::uint64_t{hosts_[pair.a]} * hosts_[pair.b];
  };
  std::vector<std::uint64_t> share(vls_.size(), 0);
  std::vector<std::pair<std::uint64_t, std::uint32_t>>
      keys;  // pseudo-random, so that no part of the fabric comes first
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    share[vl(pairs_[i].tree, pairs_[i].a, pairs_[i].b)] += weight(pairs_[i]);
    keys.emplace_back(mix(i), i);
  }
  std::ranges::sort(keys);
  const std::uint64_t fair =
      std::accumulate(share.begin(), share.end(), std::uint64_t{0}) / share.size();
  std::vector<std::size_t> emptiest(vls_.size());
  std::iota(emptiest.begin(), emptiest.end(), std::size_t{0});
  for (const auto& [key, number] : keys) {
    const Pair& pair = pairs_[number];
    const std::size_t from = vl(pair.tree, pair.a, pair.b);
    if (share[from] <= fair) continue;
    std::ranges::sort(emptiest, {}, [&](std::size_t vl) { return std::pair(share[vl], vl); });
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
      for (unsigned tree = 0; tree < paths_.trees(); ++tree) {
        const Pair pair{a, b, static_cast<std::uint8_t>(tree)};
        if (has_path(pair) && !assign_other(pair)) ++unsafe;
      }
    }
  }
  return unsafe;
}

}  // namespace routing
