#include "routing/graph/link_groups.h"

#include <algorithm>

namespace routing {

LinkGroups::LinkGroups(const fabric::SwitchGraph& graph, std::span<const std::uint32_t> index) {
  std::vector<fabric::ChannelIndex> channels;
  ports_.reserve(graph.port.size());
  for (const fabric::SwitchIndex sw : graph.all_switches()) {
    offsets_.push_back(static_cast<std::uint32_t>(groups_.size()));
    channels.clear();
    for (const fabric::ChannelIndex channel : graph.channels(sw)) channels.push_back(channel);
    std::ranges::sort(channels, {}, [&](fabric::ChannelIndex channel) {
      return std::pair(index[graph.neighbour[channel]], channel);
    });
    for (const fabric::ChannelIndex channel : channels) {
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
