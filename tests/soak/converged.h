#pragma once
// Tests whether a subnet has converged, and the invariants that then hold.

#include <string>
#include <vector>

#include "sim/laboratory.h"
#include "soak/clients.h"

namespace soak {

using Managers = std::vector<laboratory::Instance*>;  // null: not started yet

/// The first violation: of managers, hardware, P_Keys, groups, and `vports` if there are any; a
/// reachable port that the master does not know. "" if there is none.
std::string complaint(const laboratory::Laboratory& lab, const Managers& managers,
                      const Clients& clients, bool vports);

/// Compares the active conditions of each manager that runs with the state of the world, and the
/// engines that they say refuse the fabric with a routing of it. "" if they agree.
std::string conditions_complaint(const laboratory::Laboratory& lab, const Managers& managers,
                                 bool vports);

/// Compares all path records of a client with the paths of packets. Runs the clock. Only after
/// complaint(): there is one master.
std::string paths_complaint(const laboratory::Laboratory& lab, const Managers& managers,
                            Clients& clients);

/// Compares all path records of a client with the paths of packets; checks channel dependencies of
/// these paths, if the engine in use excludes cycles, and reports to subscribers. Runs the clock.
/// "" if there is no violation.
std::string deep_complaint(laboratory::Laboratory& lab, const Managers& managers, Clients& clients);

}  // namespace soak
