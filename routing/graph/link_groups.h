#pragma once
// Groups of parallel links between two switches.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// The usable links from one switch to another.
struct LinkGroup {
  fabric::SwitchIndex to;
  fabric::ChannelIndex channel;  // the first of its channels in the graph
  std::uint32_t first;           // index into LinkGroups::ports
  std::uint32_t links;
};

/// All groups of all switches. The groups of one switch are in the order of `position` of the
/// neighbour (any numbers, all different), the ports of a group in ascending order.
class LinkGroups {
 public:
  LinkGroups(const fabric::SwitchGraph& graph, std::span<const std::uint32_t> position);

  std::size_t first_of(fabric::SwitchIndex sw) const { return offsets_[sw]; }
  std::span<const LinkGroup> of(fabric::SwitchIndex sw) const {
    return {groups_.data() + offsets_[sw], offsets_[sw + 1] - offsets_[sw]};
  }
  std::span<const std::uint8_t> ports(const LinkGroup& group) const {
    return {ports_.data() + group.first, group.links};
  }
  std::size_t size() const { return groups_.size(); }

 private:
  std::vector<std::uint32_t> offsets_;
  std::vector<LinkGroup> groups_;
  std::vector<std::uint8_t> ports_;
};

}  // namespace routing
