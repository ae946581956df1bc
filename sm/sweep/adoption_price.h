#pragma once
// What it costs that tables found on the fabric were kept.

#include <memory>
#include <optional>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "routing/core/routing_state.h"
#include "sm/context/sweep_context.h"
#include "sm/sweep/kept_lids.h"

namespace sm {

/// Compares the tables of a subnet with those that the engine would choose. Pure; takes as long as
/// a routing. nullopt: no difference. `kept`: LIDs that are routed besides those of the subnet.
/// Precondition: the subnet has tables and a routing, whose state is `state`.
std::optional<Condition> price_of_adoption(const SweepContext& context, const Subnet& subnet,
                                           const KeptLids& kept,
                                           const routing::RoutingState& state);

/// The same state, of tables that are the engine's own choice.
std::shared_ptr<const routing::RoutingState> without_adoption(const routing::RoutingState& state);

}  // namespace sm
