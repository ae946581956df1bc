#include "routing/graph/shortest_dag.h"

#include <array>

namespace routing {

using fabric::SwitchIndex;

ShortestDag::ShortestDag(const fabric::SwitchGraph& graph, const HopTable<std::uint8_t>& hops,
                         std::span<const std::uint8_t> open, std::vector<SwitchIndex> order)
    : hops_(hops), order_(std::move(order)) {
  for (const SwitchIndex sw : graph.all_switches()) {
    first_.push_back(static_cast<std::uint32_t>(open_.size()));
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      if (open[channel] != 0)
        open_.push_back({channel, static_cast<std::uint16_t>(graph.neighbour[channel]),
                         graph.port[channel].value});
  }
  first_.push_back(static_cast<std::uint32_t>(open_.size()));
  candidates_.resize(open_.size() + 1);
}

void ShortestDag::find(SwitchIndex to) {
  const std::uint8_t* const distance = hops_.row(to);  // the same in both directions
  std::array<std::uint32_t, 257>
      index{};  // first source of each distance; distance 0 and unconnected switches are left out
  for (const SwitchIndex sw : order_) ++index[distance[sw] + 1u];
  index[1] = 0;
  for (std::size_t i = 2; i < index.size(); ++i) index[i] += index[i - 1];
  sources_.resize(index[255]);
  for (const SwitchIndex sw : order_)
    if (distance[sw] != 0 && distance[sw] != HopTable<std::uint8_t>::kNoPath)
      sources_[index[distance[sw]]++].sw = sw;
  Hop* next = candidates_.data();
  for (Source& source : sources_) {
    source.begin = static_cast<std::uint32_t>(next - candidates_.data());
    const unsigned nearer = distance[source.sw] - 1u;
    for (std::uint32_t k = first_[source.sw]; k < first_[source.sw + 1]; ++k) {
      *next = open_[k];
      next += distance[open_[k].to] == nearer
                  ? 1
                  : 0;  // without a branch, which would be mispredicted half of the time
    }
    source.end = static_cast<std::uint32_t>(next - candidates_.data());
  }
}

}  // namespace routing
