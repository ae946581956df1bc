#pragma once
// Lists the engines by name, and runs the chain: it tries engines in order until the tables of one
// are verified.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "routing/adaptive/form_groups.h"
#include "routing/core/engine.h"
#include "routing/core/routing_state.h"
#include "routing/verify/credit_loops.h"
#include "routing/verify/verify.h"

namespace routing {

/// Says how an engine uses tables that were found on the fabric (RoutingInput::adopt).
enum class FoundTables : std::uint8_t {
  routed_from,  // route() itself keeps entries that it could have chosen, as with previous tables
  kept,         // entries with the guarantees stay (changed_tables.h), route() gives the others
  replaced,     // SLs and VLs fit only the engine's own paths: no entry stays
};

/// Says how an engine uses input.previous_routing if only end ports have changed. Engines that keep
/// entries after other changes do so in route().
enum class SameGraph : std::uint8_t {
  routed_from,      // route() itself computes only what a change affects
  sibling_columns,  // LIDs that are new get the paths of others at their switch (sibling_columns.h)
};

struct Engine {
  std::string_view name;  // the value of routing_engine
  RoutingFunction route;
  bool promises_no_credit_loops =
      false;  // between hosts: tables with one are refused (unless RoutingResult::may_deadlock).
              // For other engines a credit loop is reported only
  bool may_withhold_switch_lids =
      promises_no_credit_loops;  // see VerifyRules; not with connect_roots
  FoundTables found = FoundTables::routed_from;
  bool promises_shortest_paths = false;  // to hosts: paths that are kept are no longer than its
                                         // own. Read where tables are kept
  VlFunction choose_vls = nullptr;       // for tables that are kept. Null: they need one VL
  SameGraph same_graph = SameGraph::routed_from;
  GroupRule groups = GroupRule::none;  // with a rule: groups are formed after routing; tables where
                                       // some choice of members does not arrive, or may be part of
                                       // a credit loop, are refused (verify_groups.h)
  bool removes_conflicts = false;      // see ConflictRemoval
  bool may_have_gaps = false;          // VerifyRules::switches_without_hosts_may_drop
};

std::span<const Engine> engines();
/// Returns null if no engine has this exact name.
const Engine* find_engine(std::string_view name, std::span<const Engine> among = engines());

/// Routing chains, the engine "chain": an engine for each part of the fabric.
/// Shape:  the steps of RoutingOptions::chain_steps in turn. An engine gets the part as a fabric of
/// its own, and what it gives for the LIDs of end ports of the part replaces what steps before gave
/// on the switches of the part. LIDs that it does not route on all switches of the part (those of
/// switches, with updn) keep the routes of the steps before: a path that enters the part thus ends
/// within it.
/// Refusals: in place of a step whose engine refuses its part, its fallbacks are tried. Where none
/// routes it, a condition says so, and the part keeps its routes.
/// Guarantees: shortest paths and freedom of credit loops within the parts, as their engines have
/// them; none for paths through several parts. All routes are chosen again at each change.
/// Errors: refuses without steps, and if the first is refused or leaves out a part of the fabric.
/// Source: NVIDIA's documentation of UFM, "Routing Chains".
tl::expected<RoutingResult, Refusal> route_in_steps(const RoutingInput& input);

struct ChainResult {
  RoutingResult routing;
  VerifyReport verification;  // no problems; limits of the fabric are listed
  CreditLoops credit_loops;   // between hosts; empty if the engine excludes them
  std::vector<std::string>
      refusals;            // of the engines tried before: "ftree: leaf S12 has 17 up-links, ..."
  bool fell_back = false;  // to minhop, which was not configured
  std::shared_ptr<const RoutingState> memory;  // not null; for PreviousRouting, with `routing`
  bool incremental =
      false;  // input.previous_routing was used: only what changed was computed and verified
};

/// Tries the engines in order. Takes the first engine whose tables verify() accepts, that needs at
/// most data_vls() VLs, and that has no credit loop if it guarantees this. The last engine is
/// minhop, unless `no_fallback`. A credit loop of an engine without the guarantee becomes a note.
/// "auto" stands for the engines that suit the topology (topology_kind.h); a note names it. Empty
/// `names` mean minhop. With `adopt`, and after a routing that adopted tables, an engine first
/// tries tables with what was found (FoundTables). If these are not verified, it chooses all routes
/// again, and a note gives the reason. Errors: the refusals of all engines, joined by "; ".
tl::expected<ChainResult, Refusal> route_with_chain(std::span<const std::string> names,
                                                    bool no_fallback, const RoutingInput& input,
                                                    std::span<const Engine> among = engines());

}  // namespace routing
