#include "routing/graph/one_top.h"

#include <algorithm>
#include <queue>
#include <utility>

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchGraph;
using fabric::SwitchIndex;

namespace {

// Counts, by switch, the tops to which links lead up from there.
std::vector<std::uint32_t> tops_above(const SwitchGraph& graph, const UpDownOrder& order) {
  std::vector<std::uint32_t> count(graph.switches(), 0);
  std::vector<SwitchIndex> found;
  std::vector<SwitchIndex> met_by(graph.switches(), kNoIndex);
  for (const SwitchIndex top : graph.all_switches()) {
    if (std::ranges::any_of(graph.neighbours(top),
                            [&](SwitchIndex other) { return order[other] < order[top]; }))
      continue;
    met_by[top] = top;
    found.assign(1, top);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ++count[found[i]];
      for (const SwitchIndex other : graph.neighbours(found[i]))
        if (order[other] > order[found[i]] && std::exchange(met_by[other], top) != top)
          found.push_back(other);
    }
  }
  return count;
}

// Returns the top of each component with hosts.
std::vector<SwitchIndex> choose_tops(const SwitchGraph& graph, const UpDownOrder& order,
                                     std::span<const std::uint32_t> hosts) {
  const std::vector<std::uint32_t> component = components(graph);
  const std::vector<std::uint32_t> reach = tops_above(graph, order);
  const auto key = [&](SwitchIndex sw) { return std::pair(reach[sw], order[sw]); };
  std::vector<SwitchIndex> best(graph.switches(), kNoIndex);  // by component
  for (const SwitchIndex sw : graph.all_switches()) {
    SwitchIndex& top = best[component[sw]];
    if (hosts[sw] > 0 && (top == kNoIndex || key(sw) > key(top))) top = sw;
  }
  std::erase(best, kNoIndex);
  return best;
}

}  // namespace

UpDownOrder with_one_top(const SwitchGraph& graph, const UpDownOrder& order,
                         std::span<const std::uint32_t> hosts) {
  const auto is_lower = [&](SwitchIndex a, SwitchIndex b) { return order[a] > order[b]; };
  std::priority_queue<SwitchIndex, std::vector<SwitchIndex>, decltype(is_lower)> next(is_lower);
  std::vector<SwitchIndex> placed;  // highest first
  std::vector<std::uint8_t> is_placed(graph.switches(), 0);
  const auto place = [&](SwitchIndex sw) {
    if (std::exchange(is_placed[sw], std::uint8_t{1}) == 0) placed.push_back(sw);
  };
  for (const SwitchIndex top : choose_tops(graph, order, hosts)) {
    std::size_t at = placed.size();
    place(top);
    for (; at < placed.size(); ++at)  // what lies above the top so far, nearest first
      for (const SwitchIndex other : graph.neighbours(placed[at])) {
        if (order[other] < order[placed[at]]) place(other);
        next.push(other);
      }
    for (; !next.empty();) {
      const SwitchIndex sw = next.top();
      next.pop();
      if (is_placed[sw] != 0) continue;
      place(sw);
      for (const SwitchIndex other : graph.neighbours(sw)) next.push(other);
    }
  }
  std::vector<SwitchIndex> rest;
  for (const SwitchIndex sw : graph.all_switches())
    if (is_placed[sw] == 0) rest.push_back(sw);
  std::ranges::sort(rest, {}, [&](SwitchIndex sw) { return order[sw]; });
  for (const SwitchIndex sw : rest) place(sw);
  UpDownOrder out(graph.switches());
  for (std::uint32_t position = 0; position < placed.size(); ++position)
    out[placed[position]] = position;
  return out;
}

}  // namespace routing
