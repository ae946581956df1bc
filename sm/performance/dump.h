#pragma once

#include <cstdint>
#include <ostream>

#include "fabric/fabric.h"
#include "sm/performance/counters.h"

namespace sm {

enum class DumpShape : std::uint8_t {
  lines,  // for people: a counter a line
  table,  // a port a line, separated by tabs (OpenSM's "mach")
};

/// The counters of all ports that were read, in the format of OpenSM's opensm_port_counters.log, in
/// order of NodeGUIDs. Times are local. Counters that a port does not have are 0. Nodes that are
/// not in `fabric` are inactive.
void write_port_counters(std::ostream& out, const PortCounterTable& table, const Fabric& fabric,
                         DumpShape shape);

}  // namespace sm
