#pragma once
// Whether a subnet has converged, and the checks of what it then promises.

#include <string>
#include <vector>

#include "sim/laboratory.h"
#include "soak/clients.h"

namespace soak {

using Managers = std::vector<laboratory::Instance*>;  // null: not started yet

/// The first thing that is not as it shall be: of managers, hardware, P_Keys, groups. "" if
/// nothing.
std::string complaint(const laboratory::Laboratory& lab, const Managers& managers,
                      const Clients& clients);

/// What a client is answered about all paths, against what packets do; channel dependencies of
/// these paths, if the engine in use promises that they have no cycle; reports to subscribers. Runs
/// the clock. "" if all is well.
std::string deep_complaint(laboratory::Laboratory& lab, const Managers& managers, Clients& clients);

}  // namespace soak
