#pragma once
#include "routing/core/engine.h"

namespace routing {

/// One shortest path for each pair of switches, in layers whose channel dependency graphs have no
/// cycle; a layer is a VL. Both directions of a pair use one VL, so that responses can use the SL
/// of the request. The number of VLs is as small as can be found, from lash_start_vl on; then pairs
/// of hosts are balanced over them. LIDs are distributed over parallel links. Of the LIDs of one
/// port (LMC), the first four have paths of their own if the VLs suffice. With do_mesh_analysis,
/// paths along the dimensions of meshes and tori are tried as well.
/// Guarantees: shortest paths in hops; no credit loop between hosts on the VLs used.
/// Errors: refuses if there are more layers than data VLs from lash_start_vl on, or if some
/// distance is above 254 hops.
/// Source: Skeie, Lysne, Theiss, Layered shortest path (LASH) routing in irregular system area
/// networks, IPDPS 2002.
tl::expected<RoutingResult, Refusal> lash(const RoutingInput& input);

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

/// Shortest paths, balanced over the whole fabric: each destination in sequence takes, of its
/// shortest paths, those with the smallest sum of loads (pairs of host LIDs over a channel).
/// Compute nodes come first, then I/O nodes, other hosts, switches. Links may be left out
/// (avoid_throttled_links). On large fabrics the destinations of two switches are routed at once on
/// the same loads, independent of the number of processors.
/// Guarantees: shortest paths in hops over the links used; credit loops are not excluded.
/// Errors: refuses if some distance is above 254 hops.
/// Source: Hoefler, Schneider, Lumsdaine, Optimized routing for large-scale InfiniBand networks,
/// HOTI 2009.
tl::expected<RoutingResult, Refusal> sssp(const RoutingInput& input);

/// The paths of sssp() with VLs that exclude credit loops: of each cycle of the channel dependency
/// graph, some paths are moved to another VL (qos/lanes.h). VLs that are left balance the load.
/// Guarantees: as sssp(); no credit loop between hosts on the VLs used.
/// Errors: as sssp(); refuses if more than data_vls() VLs are needed.
/// Source: Domke, Hoefler, Nagel, Deadlock-free oblivious routing for arbitrary topologies, IPDPS
/// 2011.
tl::expected<RoutingResult, Refusal> dfsssp(const RoutingInput& input);

/// VLs for tables that another routing made, with which the guarantees of lash(), nue() and
/// dfsssp() on credit loops hold. Errors: more VLs are needed than the engine may use;
/// lash_start_vl, nue_include_switches.
tl::expected<void, Refusal> choose_lash_vls(const RoutingInput& input, RoutingResult& result);
tl::expected<void, Refusal> choose_nue_vls(const RoutingInput& input, RoutingResult& result);
tl::expected<void, Refusal> choose_dfsssp_vls(const RoutingInput& input, RoutingResult& result);

}  // namespace routing
