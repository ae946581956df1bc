#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Fat trees after Zahavi: one host after the other, along the tree, takes the way down that the
/// fewest hosts before it took; everybody climbs towards that way. On a complete tree no cable then
/// carries two flows of a shift, numbers as in ca_order. Absent hosts are counted with the others,
/// as gaps. Hosts:   compute nodes (cn_guid_file; else all that are not in io_guid_file) come first
/// and make up ca_order; they hang on switches of one level. Roots:   root_guid_file; else levels
/// are counted from the switches of the compute nodes, and all switches of a level must have the
/// same cables: trees that
///          lost some need a root_guid_file, or dmodc.
/// Legal:   as with dmodc. With max_reverse_hops, hosts that have no such way to each other (both
/// on top switches) get ways that descend so many times before
///          they climb, and may_deadlock is set.
/// quasi_ftree_indexing changes nothing: switches are told apart by what they join
/// (tree_columns.h), not by the order in which they are met. Refuses: LMC above 0, 1 or more than 8
/// levels, compute nodes on several levels, uneven levels without root_guid_file, what is no tree,
/// hosts without a way.
tl::expected<RoutingResult, Refusal> ftree(const RoutingInput& input);

}  // namespace routing
