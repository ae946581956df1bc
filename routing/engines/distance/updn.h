#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Up*/Down*: paths go up towards the roots, then down (up_down.h).
/// Roots:  root_guid_file; else, in a layered fabric, the switches whose neighbours are all closer
/// to the hosts; else, as in OpenSM, the switches with nearly all hosts at one distance (over 90 %
/// of the hosts at one distance, over 5 % at no other), of these the nearest.
/// Guarantees: no credit loop between hosts on one VL, on any topology. Legal paths only: the
/// shortest downward path, or without one the shortest legal path; not always a shortest path.
/// Errors: refuses without roots, and if hosts have no legal path to each other. LIDs of switches
/// that have no legal path are left out, unless connect_roots.
/// Source: Schroeder et al., Autonet, IEEE JSAC 9(8), 1991; OpenSM's "updn" for the roots.
tl::expected<RoutingResult, Refusal> updn(const RoutingInput& input);

/// Dn*/Up*: as updn() with the order reversed: paths first go away from the hosts, without roots.
/// Guarantees as updn(). Errors: refuses without hosts, and as updn(). Source: OpenSM's "dnup".
tl::expected<RoutingResult, Refusal> dnup(const RoutingInput& input);

}  // namespace routing
