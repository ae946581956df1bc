#pragma once
// Parallel cables taken together: what a switch has to choose between first.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// The usable cables between two switches, as one of them sees them.
struct CableGroup {
  sm::SwitchIndex to;
  std::uint32_t slot;   // of the graph: of one of them
  std::uint32_t first;  // of CableGroups::ports
  std::uint32_t cables;
};

/// All groups of all switches; those of one switch from the neighbour that comes first in `place`
/// (any numbers without ties) on, its ports in ascending order.
class CableGroups {
 public:
  CableGroups(const sm::SwitchGraph& graph, std::span<const std::uint32_t> place);

  std::size_t first_of(sm::SwitchIndex sw) const { return offsets_[sw]; }
  std::span<const CableGroup> of(sm::SwitchIndex sw) const {
    return {groups_.data() + offsets_[sw], offsets_[sw + 1] - offsets_[sw]};
  }
  std::span<const std::uint8_t> ports(const CableGroup& group) const {
    return {ports_.data() + group.first, group.cables};
  }
  std::size_t size() const { return groups_.size(); }

 private:
  std::vector<std::uint32_t> offsets_;
  std::vector<CableGroup> groups_;
  std::vector<std::uint8_t> ports_;
};

}  // namespace routing
