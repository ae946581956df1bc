#pragma once
// Lists the destinations of a tree in the order in which hosts are numbered.

#include <cstdint>
#include <functional>
#include <vector>

#include "routing/engines/trees/tree_levels.h"
#include "routing/graph/destinations.h"
#include "routing/graph/link_groups.h"

namespace routing {

/// The order in which switches have their numbers: NodeGUIDs, even of switches that have left.
struct TreePlaces {
  std::vector<mad::Guid> leaves;  // with hosts that are numbered first
  std::vector<mad::Guid> others;
};

/// Numbers hosts along the tree: leaf by leaf, leaves of one subtree adjacent, by port on a leaf.
/// Each leaf has the same count of numbers, even a leaf that has left, so that no number of another
/// leaf changes. If leaves have their hosts on the same ports, the number of a missing host stays
/// free, so that no other number changes when it appears. Hosts above the leaves come last.
struct TreeTargets {
  struct Run {  // LIDs of one switch in sequence
    fabric::SwitchIndex sw;
    std::uint32_t begin, hosts_end, end;  // indices of entries: hosts, then the switch itself
    bool consecutive;                     // each host's LID is one above its predecessor
  };
  std::vector<Run> runs;  // those of hosts selected by `first` come first   // By entry, that is by
                          // LID; LIDs of one port are adjacent.
  std::vector<std::uint16_t>
      lid;  // 0: a missing host (with keep_gaps, only among those of `first`)
  std::vector<std::uint32_t>
      number;  // of the host; further LIDs of a port have the numbers that follow
  std::vector<std::uint8_t> out;        // port of the run's switch
  std::vector<std::uint8_t> lid_index;  // index among the LIDs of its port
  std::vector<std::uint8_t> lid_count;  // number of LIDs of its port

  std::vector<mad::Guid>
      order;  // PortGUIDs by number, of the hosts of `first`; 0: no host has the number
  std::uint32_t numbers_per_leaf = 0;  // count of numbers of a leaf
  TreePlaces places;                   // of leaves: by number / numbers_per_leaf
  std::size_t entries() const { return lid.size(); }
};

/// Numbers the hosts. `first` selects the hosts that are numbered first: those of `order`.
/// `before`: the places in a previous routing; switches keep them, and a new switch takes the place
/// of one that has left. If it is null, or if there are more switches than places, all are numbered
/// along the tree.
TreeTargets tree_targets(const RoutingInput& input, const TreeLevels& tree,
                         const LinkGroups& groups, const std::function<bool(const Target&)>& first,
                         bool keep_gaps, const TreePlaces* before = nullptr);

}  // namespace routing
