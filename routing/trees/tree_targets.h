#pragma once
// Lists the destinations of a tree in the order in which hosts are numbered.

#include <cstdint>
#include <functional>
#include <vector>

#include "routing/core/engine.h"
#include "routing/graph/destinations.h"
#include "routing/graph/ordered_hosts.h"
#include "routing/trees/tree_columns.h"
#include "routing/trees/tree_levels.h"

namespace routing {

/// Returns the switches: leaves first, leaves of one subtree adjacent; then the others. Neighbours
/// are ordered by their own LIDs, which follow the topology and persist.
std::vector<fabric::SwitchIndex> switches_along_tree(const RoutingInput& input,
                                                     const TreeLevels& tree,
                                                     const LinkGroups& groups);

/// Returns the hosts, without CAs inside of switches: leaf by leaf along the tree (the order of MPI
/// ranks with which neighbours talk), by port on a leaf. If the fabric is not a tree, they are
/// ordered by LID.
std::vector<OrderedHost> hosts_along_tree(const RoutingInput& input);

/// Numbers hosts along the tree: leaf by leaf, leaves of one subtree adjacent, by port on a leaf.
/// There are no gaps, so that any hosts in sequence have numbers in sequence, however many hosts
/// the leaves have. Hosts above the leaves come last, then CAs inside of switches.
struct TreeTargets {
  struct Run {  // LIDs of one switch in sequence
    fabric::SwitchIndex sw;
    std::uint32_t begin, hosts_end, end;  // indices of entries: hosts, then the switch itself
    bool consecutive;                     // each host's LID is one above its predecessor
  };
  std::vector<Run> runs;  // those of hosts selected by `first` come first   // By entry, that is by
                          // LID; LIDs of one port are adjacent.
  std::vector<std::uint16_t> lid;
  std::vector<std::uint32_t>
      number;  // of the host; further LIDs of a port have the numbers that follow
  std::vector<std::uint8_t> out;        // port of the run's switch
  std::vector<std::uint8_t> lid_index;  // index among the LIDs of its port
  std::vector<std::uint8_t> lid_count;  // number of LIDs of its port

  std::vector<mad::Guid>
      order;  // PortGUIDs of the hosts of `first`, by leaf; 0: the leaf has fewer than the fullest
  std::size_t entries() const { return lid.size(); }
};

/// Numbers the hosts. `first` selects the hosts that are numbered first: those of `order`.
TreeTargets tree_targets(const RoutingInput& input, const TreeLevels& tree,
                         const LinkGroups& groups, const std::function<bool(const Target&)>& first);

}  // namespace routing
