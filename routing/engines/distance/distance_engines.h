#pragma once
#include "routing/core/engine.h"

namespace routing {

/// Routes every fabric by shortest paths, balanced per switch.
/// Shape:  a table per switch with each LID of an end port that is attached to a switch, and of
/// each switch's port 0; 0xFF for all others, for LIDs that are not connected, and for LIDs from
/// the switch's LinearFDBCap on.
/// Choice: each switch gives a LID to the candidate (port on a shortest path) with the fewest LIDs
/// so far. Order of the destinations: guid_routing_order, then by switch (most hosts first), then
/// the LIDs of the switches. Equal candidates: see scan_start() in switch_table_router.cpp.
/// LMC:    the LIDs of one port take different systems, then different switches, then different
/// links, as far as these exist.
/// Guarantees: shortest paths, in hops or hop weights; credit loops are not excluded. A table
/// depends only on GUIDs, LIDs, links and options, neither on discovery nor on other tables.
/// Errors: none.
/// Source: OpenSM's routing engine "minhop", except for the choice between equal candidates.
tl::expected<RoutingResult, Refusal> minhop(const RoutingInput& input);

/// Routes by dimension order on meshes and hypercubes that are cabled alike everywhere (Dally and
/// Seitz 1987), with OpenSM's rule: of the shortest paths, it takes the path out of the lowest
/// port, or of the first in port_search_ordering. It distributes load only over parallel links to
/// the same switch.
/// Guarantees: shortest paths in hop weights. Credit loops are excluded on meshes and hypercubes
/// only; a torus has them.
/// Errors: none; routes every fabric.
tl::expected<RoutingResult, Refusal> dor(const RoutingInput& input);

/// Routes by Up*/Down*: paths go up towards the roots, then down (up_down.h).
/// Roots:  root_guid_file; otherwise, in a layered fabric, the switches whose neighbours are all
/// closer to the hosts; otherwise, as in OpenSM, the nearest of the switches with nearly all hosts
/// at one distance (over 90 % of the hosts at one distance, over 5 % at no other).
/// Guarantees: no credit loop between hosts on one VL, on any topology. Legal paths only: the
/// shortest downward path, or without one the shortest legal path; not always a shortest path.
/// Errors: refuses without roots, and if hosts have no legal path to each other. LIDs of switches
/// that have no legal path are left out, unless connect_roots.
/// Source: Schroeder et al., Autonet, IEEE JSAC 9(8), 1991; OpenSM's "updn" for the roots.
tl::expected<RoutingResult, Refusal> updn(const RoutingInput& input);

/// Routes by Dn*/Up*, the reverse of updn(): paths first go away from the hosts, without roots.
/// Guarantees as updn(). Errors: refuses without hosts, and as updn(). Source: OpenSM's "dnup".
tl::expected<RoutingResult, Refusal> dnup(const RoutingInput& input);

/// Uses recorded tables (RoutingOptions::lfts). If a port has another LID now, its entries move to
/// this LID. minhop routes LIDs without any entry in the file. If there are only hop counts
/// (RoutingOptions::hops), it balances as minhop does over the ports with the fewest hops.
/// Guarantees: none; nothing is adapted to the fabric, and verify() reports invalid entries.
/// Errors: refuses without either file, or if the tables are not of the fabric's switches. Source:
/// OpenSM's routing engine "file".
tl::expected<RoutingResult, Refusal> file(const RoutingInput& input);

}  // namespace routing
