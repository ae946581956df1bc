#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Up*/Down*: packets climb towards the roots, then descend. Free of credit loops between hosts on
/// one lane, on any fabric that it routes. Roots:  root_guid_file; else, in a layered fabric, the
/// switches that are furthest above the hosts in their neighbourhood; else, as in OpenSM, those
/// that see
///         nearly all hosts at one distance (over 90 % of them in one column of the histogram, and
///         over 5 % in no other), of these the nearest.
/// Refuses: no roots; hosts without a legal way to each other. LIDs of switches that have no legal
/// way are left out, unless connect_roots.
tl::expected<RoutingResult, Refusal> updn(const RoutingInput& input);

/// The same with the order turned round: packets first go away from the hosts, whatever is a root.
tl::expected<RoutingResult, Refusal> dnup(const RoutingInput& input);

}  // namespace routing
