#pragma once
#include "routing/core/engine.h"

namespace routing {

/// Chooses one shortest path for each pair of switches, in layers whose channel dependency graphs
/// have no cycle; a layer is a VL. Both directions of a pair use one VL, so that responses can use
/// the SL of the request. It uses as few VLs as it can find, from lash_start_vl on, then balances
/// pairs of hosts over them. LIDs are distributed over parallel links. The first four LIDs of one
/// port (LMC) have their own paths if the VLs suffice. With do_mesh_analysis, it also tries paths
/// along the dimensions of meshes and tori.
/// Guarantees: shortest paths in hops; no credit loop between hosts on the VLs used.
/// Errors: refuses if there are more layers than data VLs from lash_start_vl on, or if some
/// distance is above 254 hops.
/// Source: Skeie, Lysne, Theiss, Layered shortest path (LASH) routing in irregular system area
/// networks, IPDPS 2002.
tl::expected<RoutingResult, Refusal> lash(const RoutingInput& input);

/// Finds paths on the channel dependency graph, for any topology and any number of VLs. Distributes
/// destinations over nue_max_num_vls VLs. On each VL, one destination after the other takes the
/// shortest, least loaded paths that close no cycle with the paths of the VL, or detours if every
/// shortest path closes one. If a switch with hosts gets no path, the destination uses the escape
/// paths of the VL, a spanning tree with which no path closes a cycle. LIDs of switches without
/// hosts come last; switches that could reach such a LID only by closing a cycle get no entry.
/// Guarantees: no credit loop between hosts, on any number of VLs from 1 on; for paths of switches
/// only with nue_include_switches. Paths may be longer than the shortest; a note gives the number
/// of detours.
/// Errors: refuses if some distance is above 254 hops; never for lack of VLs.
/// Source: Domke, Hoefler, Matsuoka, Routing on the dependency graph: a new approach to
/// deadlock-free high-performance routing, HPDC 2016.
tl::expected<RoutingResult, Refusal> nue(const RoutingInput& input);

/// Balances shortest paths over the whole fabric: each destination in sequence takes the shortest
/// paths with the smallest sum of loads (pairs of host LIDs over a channel). Compute nodes come
/// first, then I/O nodes, other hosts, switches. Links may be left out (avoid_throttled_links). On
/// large fabrics the destinations of two switches are routed at once on the same loads, independent
/// of the number of processors.
/// Guarantees: shortest paths in hops over the links used; credit loops are not excluded.
/// Errors: refuses if some distance is above 254 hops.
/// Source: Hoefler, Schneider, Lumsdaine, Optimized routing for large-scale InfiniBand networks,
/// HOTI 2009.
tl::expected<RoutingResult, Refusal> sssp(const RoutingInput& input);

/// Uses the paths of sssp() with VLs that exclude credit loops: it moves some paths of each cycle
/// of the channel dependency graph to another VL (qos/vl_assignment.h). VLs that are left balance
/// the load.
/// Guarantees: as sssp(); no credit loop between hosts on the VLs used.
/// Errors: as sssp(); refuses if more than data_vls() VLs are needed.
/// Source: Domke, Hoefler, Nagel, Deadlock-free oblivious routing for arbitrary topologies, IPDPS
/// 2011.
tl::expected<RoutingResult, Refusal> dfsssp(const RoutingInput& input);

/// Chooses VLs for tables that another routing made, so that the guarantees of lash(), nue() and
/// dfsssp() on credit loops hold. Errors: more VLs are needed than the engine may use; the options
/// lash_start_vl and nue_include_switches are refused.
tl::expected<void, Refusal> choose_lash_vls(const RoutingInput& input, RoutingResult& result);
tl::expected<void, Refusal> choose_nue_vls(const RoutingInput& input, RoutingResult& result);
tl::expected<void, Refusal> choose_dfsssp_vls(const RoutingInput& input, RoutingResult& result);

}  // namespace routing
