#pragma once

#include <cstdint>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// From (switch, port) to the slot of the graph: what turns entries of tables into cables.
class SlotTable {
 public:
  static constexpr std::uint8_t kNoPlace = 0xFF;  // a switch has 254 slots at most
  explicit SlotTable(const sm::SwitchGraph& graph)
      : graph_(graph), place_(graph.switches() * kPorts, kNoPlace) {
    for (sm::SwitchIndex sw = 0; sw < graph.switches(); ++sw)
      for (std::uint32_t slot = graph.offsets[sw]; slot < graph.offsets[sw + 1]; ++slot)
        place_[sw * kPorts + graph.port[slot].value] =
            static_cast<std::uint8_t>(slot - graph.offsets[sw]);
  }
  /// Places of all ports of a switch among its slots, by port number; kNoPlace for ports that lead
  /// to no switch.
  const std::uint8_t* places(sm::SwitchIndex sw) const { return place_.data() + sw * kPorts; }
  /// sm::kNoIndex if the port leads to no switch.
  std::uint32_t slot(sm::SwitchIndex sw, std::uint8_t port) const {
    const std::uint8_t place = places(sw)[port];
    return place == kNoPlace ? sm::kNoIndex : graph_.offsets[sw] + place;
  }

 private:
  static constexpr std::size_t kPorts = 256;
  const sm::SwitchGraph& graph_;
  std::vector<std::uint8_t> place_;
};

}  // namespace routing
