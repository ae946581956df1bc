#include "routing/graph/cable_groups.h"

#include <algorithm>

namespace routing {

CableGroups::CableGroups(const sm::SwitchGraph& graph, std::span<const std::uint32_t> place) {
  std::vector<std::uint32_t> slots;
  ports_.reserve(graph.port.size());
  for (sm::SwitchIndex sw = 0; sw < graph.switches(); ++sw) {
    offsets_.push_back(static_cast<std::uint32_t>(groups_.size()));
    slots.clear();
    for (std::uint32_t slot = graph.offsets[sw]; slot < graph.offsets[sw + 1]; ++slot)
      slots.push_back(slot);
    std::ranges::sort(slots, {}, [&](std::uint32_t slot) {
      return std::pair(place[graph.neighbour[slot]], slot);
    });
    for (const std::uint32_t slot : slots) {
      if (groups_.size() == offsets_.back() || groups_.back().to != graph.neighbour[slot])
        groups_.push_back(
            {graph.neighbour[slot], slot, static_cast<std::uint32_t>(ports_.size()), 0});
      ++groups_.back().cables;
      ports_.push_back(graph.port[slot].value);
    }
  }
  offsets_.push_back(static_cast<std::uint32_t>(groups_.size()));
}

}  // namespace routing
