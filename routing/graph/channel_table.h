#pragma once

#include <cstdint>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// Maps (switch, output port) to the channel of the graph.
class ChannelTable {
 public:
  static constexpr std::uint8_t kNoChannel = 0xFF;  // a switch has at most 254 channels
  explicit ChannelTable(const fabric::SwitchGraph& graph)
      : graph_(graph), index_(graph.switches() * kPorts, kNoChannel) {
    for (const fabric::SwitchIndex sw : graph.all_switches())
      for (const fabric::ChannelIndex channel : graph.channels(sw))
        index_[sw * kPorts + graph.port[channel].value] =
            static_cast<std::uint8_t>(channel - graph.offsets[sw]);
  }
  /// By port number: the index of the port's channel among those of the switch; kNoChannel for
  /// ports that lead to no switch.
  const std::uint8_t* channel_indices(fabric::SwitchIndex sw) const {
    return index_.data() + sw * kPorts;
  }
  /// fabric::kNoIndex: the port leads to no switch.
  fabric::ChannelIndex channel(fabric::SwitchIndex sw, std::uint8_t port) const {
    const std::uint8_t index = channel_indices(sw)[port];
    return index == kNoChannel ? fabric::kNoIndex : graph_.offsets[sw] + index;
  }

 private:
  static constexpr std::size_t kPorts = 256;
  const fabric::SwitchGraph& graph_;
  std::vector<std::uint8_t> index_;
};

}  // namespace routing
