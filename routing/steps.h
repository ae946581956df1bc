#pragma once
#include "routing/core/engine.h"

namespace routing {

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

}  // namespace routing
