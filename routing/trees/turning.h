#pragma once
// Pairs of switches without an Up*/Down* path: what engines need to route them, and what is said of
// them.

#include "fabric/condition.h"
#include "routing/core/engine.h"
#include "routing/graph/up_down.h"

namespace routing {

/// Every switch needs a path to each switch with end ports; with connect_roots, to each switch.
/// Switches without a legal path to hosts only send management packets there, such as traps, which
/// have to be delivered.
UpDownNeeds up_down_needs(const RoutingInput& input);

/// Returns the order itself, or by TurnRule::no_pair the one of with_one_top(), and notes its top.
UpDownOrder order_by_rule(const RoutingInput& input, UpDownOrder order,
                          fabric::ConditionList& notes);

/// Notes how many pairs of switches with end ports have no legal path, the first of them, and where
/// their packets turn. Returns whether there are such pairs.
bool note_turning_pairs(const RoutingInput& input, const UpDownDistances& distances,
                        fabric::ConditionList& notes);

}  // namespace routing
