#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Paths on the channel dependency graph, for any topology and any number of VLs. Destinations are
/// distributed over nue_max_num_vls VLs. On each VL, one destination after the other takes the
/// shortest, least loaded paths that close no cycle with the paths of the VL; detours where no
/// shortest path does. If a switch with hosts gets no path, the destination uses the escape paths
/// of the VL, a spanning tree with which no path closes a cycle. LIDs of switches without hosts
/// come last; switches that could reach such a LID only by closing a cycle get no entry.
/// Guarantees: no credit loop between hosts, on any number of VLs from 1 on; for paths of switches
/// only with nue_include_switches. Paths may be longer than the shortest; a note gives the number
/// of detours.
/// Errors: refuses if some distance is above 254 hops; never for lack of VLs.
/// Source: Domke, Hoefler, Matsuoka, Routing on the dependency graph: a new approach to
/// deadlock-free high-performance routing, HPDC 2016.
tl::expected<RoutingResult, Refusal> nue(const RoutingInput& input);

}  // namespace routing
