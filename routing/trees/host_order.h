#pragma once
// Orders the hosts of a fabric along its tree.

#include <vector>

#include "routing/core/engine.h"
#include "routing/graph/link_groups.h"
#include "routing/graph/ordered_hosts.h"
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

}  // namespace routing
