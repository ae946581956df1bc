#pragma once
// How soon after its last fault a phase must have converged, in virtual time: what an operator
// would accept, fault by fault.

#include <span>
#include <string_view>

#include "soak/draw.h"

namespace soak {

struct Bound {
  std::string_view fault;  // a kind of sim::random_kinds(), or the name of an Act
  mad::Duration time;
  std::string_view why;
};
/// A row for every kind and every act.
std::span<const Bound> bounds();
mad::Duration bound_of(std::string_view fault);

/// What this phase may take: the longest bound of its faults, which end together, and after it the
/// longest of its steps. If a manager ended, or may have lost its master out of sight, the time
/// after which a standby takes over comes on top.
mad::Duration bound_of(const Draw& draw, const Phase& phase);

}  // namespace soak
