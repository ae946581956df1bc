#pragma once
#include "routing/core/engine.h"

namespace routing {

/// Trees, complete or degraded, in closed form: hosts are numbered along the tree, and the digits
/// of the number give the path to a host. Where links are missing, only destinations whose digits
/// name a missing one take other paths.
/// LMC:    the LIDs of one port take different switches, then different links, as far as these
/// exist.
/// Roots:  root_guid_file; else levels are counted from the hosts (tree_levels.h).
/// Guarantees: Up*/Down* paths (up_down.h), so no credit loop between hosts on one VL. On a
/// complete parallel generalised fat tree, shortest paths, and no link carries two flows of a shift
/// permutation with numbers as in ca_order.
/// Errors: refuses what is not a tree, and hosts without a legal path to each other. LIDs of
/// switches may be left out, as with updn.
/// Source: D-mod-k (Rodriguez et al., CLUSTER 2009; Zahavi, JPDC 2012); Dmodc (Gliksberg et al.,
/// HOTI 2019 and IEEE Micro 2020).
tl::expected<RoutingResult, Refusal> dmodc(const RoutingInput& input);

/// Fat trees by counters: in the order of the tree, each host takes the downward path that the
/// fewest hosts before it took, and all switches route up towards that path. Missing hosts are
/// counted as well.
/// Hosts:  compute nodes (cn_guid_file; else all that are not in io_guid_file) come first and make
/// up ca_order; they are attached to switches of one level.
/// Roots:  root_guid_file; else levels are counted from the switches of the compute nodes, and all
/// switches of a level must have the same number of links. Degraded trees need root_guid_file, or
/// dmodc; but a tree that loses links while it is routed stays one.
/// Guarantees: as dmodc. With max_reverse_hops, hosts without a legal path to each other (both on
/// top switches) get paths that go down that many times before they go up, and may_deadlock is set.
/// Errors: refuses LMC above 0, 1 or more than 8 levels, compute nodes on several levels, uneven
/// levels without root_guid_file, what is not a tree, and hosts without a path.
/// Source: Zahavi, Fat-tree routing and node ordering providing contention free traffic for MPI
/// global collectives, JPDC 2012. quasi_ftree_indexing has no effect: switches are identified by
/// their links (tree_columns.h), not by the order of indexing.
tl::expected<RoutingResult, Refusal> ftree(const RoutingInput& input);

}  // namespace routing
