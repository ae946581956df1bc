#pragma once
// Trees of what came back.

#include "fabric/fabric.h"
#include "fabric/multicast_tables.h"
#include "fabric/switch_graph.h"
#include "routing/core/routing_state.h"

namespace routing {

/// `current`, where the entries of each MLID become those of `remembered` whose tree there used a
/// link that the fabric of `before` does not have, and has all its links now. Others stay. Pure.
/// Shape: `current` has the switches of `graph`, `remembered` those of `then`; members are not
/// compared: MulticastRouter adds and prunes what has changed. `before`: of the routing that
/// `current` was made with.
fabric::MulticastTables with_returned_trees(const fabric::Fabric& fabric,
                                            const fabric::SwitchGraph& graph,
                                            fabric::MulticastTables current,
                                            const fabric::MulticastTables& remembered,
                                            const TableState& then, const TableState& before);

}  // namespace routing
