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

}  // namespace routing
