#include "routing/graph/shortest_dag.h"

#include <array>

namespace routing {

using sm::SwitchIndex;

ShortestDag::ShortestDag(const sm::SwitchGraph& graph, const HopTable<std::uint8_t>& hops,
                         std::span<const std::uint8_t> open, std::vector<SwitchIndex> order)
    : hops_(hops), order_(std::move(order)) {
  for (SwitchIndex sw = 0; sw < graph.switches(); ++sw) {
    first_.push_back(static_cast<std::uint32_t>(open_.size()));
    for (std::uint32_t slot = graph.offsets[sw]; slot < graph.offsets[sw + 1]; ++slot)
      if (open[slot] != 0)
        open_.push_back(
            {slot, static_cast<std::uint16_t>(graph.neighbour[slot]), graph.port[slot].value});
  }
  first_.push_back(static_cast<std::uint32_t>(open_.size()));
  candidates_.resize(open_.size() + 1);
}

void ShortestDag::find(SwitchIndex to) {
  const std::uint8_t* const distance = hops_.row(to);  // the same both ways
  std::array<std::uint32_t, 257> place{};  // of the first source at each distance; those at
                                           // distance 0 and without a way are left out
  for (const SwitchIndex sw : order_) ++place[distance[sw] + 1u];
  place[1] = 0;
  for (std::size_t i = 2; i < place.size(); ++i) place[i] += place[i - 1];
  sources_.resize(place[255]);
  for (const SwitchIndex sw : order_)
    if (distance[sw] != 0 && distance[sw] != HopTable<std::uint8_t>::kNoPath)
      sources_[place[distance[sw]]++].sw = sw;
  Hop* next = candidates_.data();
  for (Source& source : sources_) {
    source.begin = static_cast<std::uint32_t>(next - candidates_.data());
    const unsigned nearer = distance[source.sw] - 1u;
    for (std::uint32_t k = first_[source.sw]; k < first_[source.sw + 1]; ++k) {
      *next = open_[k];
      next += distance[open_[k].to] == nearer
                  ? 1
                  : 0;  // no branch: half of them would go the other way
    }
    source.end = static_cast<std::uint32_t>(next - candidates_.data());
  }
}

}  // namespace routing
