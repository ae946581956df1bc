#pragma once

#include "routing/core/engine.h"

namespace routing {

/// Shortest ways, balanced per switch. Routes every fabric; not free of credit loops in general.
/// Shape:  a row per switch: every LID of an end port that hangs on a switch, and of every switch's
/// port 0; 0xFF for all others,
///         for LIDs that no way leads to, and for LIDs from the switch's LinearFDBCap on.
/// Choice: each switch gives a LID to the candidate (port on a shortest way) with the fewest LIDs
/// so far. Destinations come in the order
///         of guid_routing_order, then switch by switch (most hosts first), then the switches' own
///         LIDs. Where ties start to be looked for is what keeps switches from all choosing alike:
///         see scan_start() in balance.cpp.
/// LMC:    the LIDs of one port take different systems, then different switches, then different
/// cables, as far as there are. A row depends only on GUIDs, LIDs, cables and options, neither on
/// the order of discovery nor on other rows.
tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input);

}  // namespace routing
