// Bounds the load of shift permutations from below, whatever the tables are.
#include <algorithm>
#include <map>
#include <numeric>

#include "routing/graph/hops.h"
#include "routing/quality/quality.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

/// Divides the switches into sets: `set_of` by switch; kNoSet for those that are left out.
struct Division {
  std::vector<std::uint32_t> set_of;
  std::vector<Cut> cuts;  // by set
};

constexpr std::uint32_t kNoSet = 0xFFFFFFFFu;

Division divide(const fabric::SwitchGraph& graph, std::vector<std::uint32_t> set_of,
                std::span<const OrderedHost> hosts) {
  Division out{std::move(set_of), {}};
  for (const SwitchIndex sw : graph.all_switches()) {
    const std::uint32_t set = out.set_of[sw];
    if (set == kNoSet) continue;
    if (set >= out.cuts.size()) out.cuts.resize(set + std::size_t{1});
    Cut& cut = out.cuts[set];
    if (cut.switches++ == 0) cut.first = sw;
    for (const SwitchIndex other : graph.neighbours(sw)) cut.links += out.set_of[other] != set;
  }
  for (const OrderedHost& host : hosts)
    if (out.set_of[host.sw] != kNoSet) ++out.cuts[out.set_of[host.sw]].hosts;
  return out;
}

std::vector<Division> divisions(const fabric::SwitchGraph& graph,
                                std::span<const std::uint32_t> level,
                                std::span<const OrderedHost> hosts) {
  std::vector<Division> out;
  std::vector<std::uint32_t> own(graph.switches());
  std::iota(own.begin(), own.end(), std::uint32_t{0});
  out.push_back(divide(graph, std::move(own), hosts));
  std::uint32_t top = 0;  // of switches that are connected to a leaf
  for (const std::uint32_t of_switch : level)
    if (of_switch != kUnreachable) top = std::max(top, of_switch);
  for (std::uint32_t highest = 1; highest < top; ++highest) {
    std::vector<bool> above(graph.switches());
    for (const SwitchIndex sw : graph.all_switches()) above[sw] = level[sw] > highest;
    std::vector<std::uint32_t> set_of = components(graph, above);
    for (const SwitchIndex sw : graph.all_switches())
      if (above[sw]) set_of[sw] = kNoSet;
    out.push_back(divide(graph, std::move(set_of), hosts));
  }
  return out;
}

}  // namespace

CutBound cut_bound(const fabric::SwitchGraph& graph, std::span<const std::uint32_t> level,
                   std::span<const OrderedHost> hosts, std::size_t step) {
  const std::vector<Division> all = divisions(graph, level, hosts);
  const std::vector<std::uint32_t> component = components(graph);
  CutBound out;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> times;  // by division and set
  std::size_t permutations = 0;
  std::vector<std::uint32_t> leaving;
  for (std::size_t shift = 1; shift < hosts.size(); shift += step, ++permutations) {
    std::size_t highest = 0;
    std::pair<std::size_t, std::uint32_t> by{0, kNoSet};
    for (std::size_t d = 0; d < all.size(); ++d) {
      leaving.assign(all[d].cuts.size(), 0);
      for (std::size_t i = 0; i < hosts.size(); ++i) {
        const fabric::SwitchIndex to = hosts[(i + shift) % hosts.size()].sw;
        const std::uint32_t from = all[d].set_of[hosts[i].sw];
        if (from != kNoSet && from != all[d].set_of[to] && component[hosts[i].sw] == component[to])
          ++leaving[from];
      }
      for (std::uint32_t set = 0; set < leaving.size(); ++set) {
        const std::size_t links = all[d].cuts[set].links;
        if (links == 0 || leaving[set] == 0) continue;
        const std::size_t least = (leaving[set] + links - 1) / links;
        if (least <= highest) continue;
        highest = least;
        by = {d, set};
      }
    }
    out.mean += static_cast<double>(highest);
    if (by.second != kNoSet) ++times[by];
  }
  if (permutations > 0) out.mean /= static_cast<double>(permutations);
  if (!times.empty()) {
    const auto most =
        std::ranges::max_element(times, {}, [](const auto& one) { return one.second; });
    out.cut = all[most->first.first].cuts[most->first.second];
  }
  return out;
}

}  // namespace routing
