#include "routing/graph/link_groups.h"

#include <algorithm>

namespace routing {

LinkGroups::LinkGroups(const sm::SwitchGraph& graph, std::span<const std::uint32_t> index) {
  std::vector<std::uint32_t> channels;
  ports_.reserve(graph.port.size());
  for (sm::SwitchIndex sw = 0; sw < graph.switches(); ++sw) {
    offsets_.push_back(static_cast<std::uint32_t>(groups_.size()));
    channels.clear();
    for (std::uint32_t channel = graph.offsets[sw]; channel < graph.offsets[sw + 1]; ++channel)
      channels.push_back(channel);
    std::ranges::sort(channels, {}, [&](std::uint32_t channel) {
      return std::pair(index[graph.neighbour[channel]], channel);
    });
    for (const std::uint32_t channel : channels) {
      if (groups_.size() == offsets_.back() || groups_.back().to != graph.neighbour[channel])
        groups_.push_back(
            {graph.neighbour[channel], channel, static_cast<std::uint32_t>(ports_.size()), 0});
      ++groups_.back().links;
      ports_.push_back(graph.port[channel].value);
    }
  }
  offsets_.push_back(static_cast<std::uint32_t>(groups_.size()));
}

}  // namespace routing
