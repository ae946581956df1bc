#pragma once
// Groups that need no verification, since the previous ones allowed every choice that they allow.

#include "routing/core/engine.h"

namespace routing {

/// True if every choice of ports that `result` allows is one that the previous routing allowed and
/// that was verified: after a loss groups have fewer members, after a return the members that they
/// had before it. A part of the choices has no other paths and no other channel dependencies than
/// all of them. Costs what differs between the rows of the switches.
/// False: not known, and groups have to be verified. Precondition: `result` has groups, and all
/// destination switches have one.
bool are_verified_choices(const RoutingInput& input, const RoutingResult& result);

}  // namespace routing
