#pragma once
// Actions about vports: their hosts, and the firmware of their ports.

#include <span>

#include "sim/scenario/actions.h"

namespace sim {

std::span<const Action> vport_actions();

}  // namespace sim
