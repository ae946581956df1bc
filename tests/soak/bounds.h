#pragma once
// The time in which a phase must converge after its last fault, in virtual time: a bound for each
// fault that an operator would accept.

#include <span>
#include <string_view>

#include "soak/draw.h"

namespace soak {

struct Bound {
  std::string_view fault;  // a kind of sim::random_kinds(), or the name of an Act
  mad::Duration time;
  std::string_view why;
};
/// A row for each kind and each act.
std::span<const Bound> bounds();
mad::Duration bound_of(std::string_view fault);

/// The bound of this phase: the longest bound of its faults, which end together, plus the longest
/// of its steps. If a manager ended, or a standby may have lost contact with its master, the time
/// until a standby takes over, and its clients have registered again, is added.
mad::Duration bound_of(const Draw& draw, const Phase& phase);

}  // namespace soak
