#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Ways on any fabric and any number of lanes, free of credit loops between hosts: it never refuses
/// for want of lanes (Domke, Hoefler, Matsuoka: Routing on the dependency graph, HPDC 2016).
/// Destinations are dealt out to nue_max_num_vls lanes. On each, one after the other takes the
/// shortest, least loaded ways among those that close no circle with the ways that the lane has;
/// where that leaves a switch with hosts without any, the destination goes over the lane's spanning
/// tree, which all others keep clear of. Shortest ways where there are such, else detours. Switches
/// as sources and destinations are as safe as hosts with nue_include_switches only. Otherwise LIDs
/// of switches without hosts come last, and who could reach one only by closing a circle does not.
tl::expected<RoutingResult, Refusal> nue(const RoutingInput& input);

}  // namespace routing
