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
/// Hosts without a legal path to each other turn in one leaf (up_down.h). Errors: refuses what is
/// not a tree. LIDs of switches may be left out, as with updn.
/// Source: D-mod-k (Rodriguez et al., CLUSTER 2009; Zahavi, JPDC 2012); Dmodc (Gliksberg et al.,
/// HOTI 2019 and IEEE Micro 2020).
tl::expected<RoutingResult, Refusal> dmodc(const RoutingInput& input);

/// Fat trees by counters: in the order of the tree, each host takes the downward path that the
/// fewest hosts before it took, and all switches route up towards that path. Missing hosts are
/// counted as well.
/// Hosts:  compute nodes (cn_guid_file; else all that are not in io_guid_file) say which switches
/// are leaves; those on leaves come first and make up ca_order.
/// Roots:  root_guid_file; else levels are counted from the leaves (tree_levels.h). Switches of one
/// level may have different numbers of links.
/// Guarantees: as dmodc.
/// Errors: refuses LMC above 0, and what is not a tree.
/// Source: Zahavi, Fat-tree routing and node ordering providing contention free traffic for MPI
/// global collectives, JPDC 2012. quasi_ftree_indexing has no effect: switches are identified by
/// their links (tree_columns.h), not by the order of indexing.
tl::expected<RoutingResult, Refusal> ftree(const RoutingInput& input);

}  // namespace routing
