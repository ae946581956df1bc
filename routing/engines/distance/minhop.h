#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Shortest paths, balanced per switch; routes every fabric.
/// Shape:  a table per switch with each LID of an end port that is attached to a switch, and of
/// each switch's port 0; 0xFF for all others, for LIDs that are not connected, and for LIDs from
/// the switch's LinearFDBCap on.
/// Choice: each switch gives a LID to the candidate (port on a shortest path) with the fewest LIDs
/// so far. Order of the destinations: guid_routing_order, then by switch (most hosts first), then
/// the LIDs of the switches. Equal candidates: see scan_start() in row_router.cpp.
/// LMC:    the LIDs of one port take different systems, then different switches, then different
/// links, as far as these exist.
/// Guarantees: shortest paths, in hops or hop weights; credit loops are not excluded. A table
/// depends only on GUIDs, LIDs, links and options, neither on discovery nor on other tables.
/// Errors: none.
/// Source: OpenSM's routing engine "minhop", except for the choice between equal candidates.
tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input);

}  // namespace routing
