#pragma once
// The destinations of a tree in the order in which neighbours send to neighbours.

#include <cstdint>
#include <functional>
#include <vector>

#include "routing/engines/trees/tree_levels.h"
#include "routing/graph/cable_groups.h"
#include "routing/graph/destinations.h"

namespace routing {

/// Numbers hosts along the tree: leaf by leaf, leaves of one subtree adjacent, by port on a leaf.
/// All leaves have as many numbers; if they have their hosts on the same ports, one that lacks a
/// host leaves its number out, so that no other number changes when it comes back. Hosts above the
/// leaves come last.
struct TreeTargets {
  struct Run {  // LIDs of one switch, one after the other
    sm::SwitchIndex sw;
    std::uint32_t begin, hosts_end, end;  // of the entries: hosts, then the switch itself
    bool consecutive;                     // each host's LID is one above the one before
  };
  std::vector<Run> runs;  // first those of the hosts that were asked for
  // By entry, that is by LID; LIDs of one port are adjacent.
  std::vector<std::uint16_t>
      lid;  // 0: a host that is not there (with keep_gaps, only among those asked for)
  std::vector<std::uint32_t>
      number;  // of the host; further LIDs of a port go on as if they were those of the next hosts
  std::vector<std::uint8_t> out;        // port of the run's switch
  std::vector<std::uint8_t> lid_place;  // among the LIDs of its port
  std::vector<std::uint8_t> lid_count;  // of its port

  std::vector<mad::Guid>
      order;  // port GUIDs by number, of the hosts that were asked for; 0 where nobody is
  std::uint32_t slots = 0;  // numbers that a leaf has
  std::size_t entries() const { return lid.size(); }
};

/// `first` says which hosts get their numbers first: those of `order`.
TreeTargets tree_targets(const RoutingInput& input, const TreeLevels& tree,
                         const CableGroups& groups, const std::function<bool(const Target&)>& first,
                         bool keep_gaps);

}  // namespace routing
