#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/fabric.h"

namespace sm {

/// What routing needs of a Fabric, packed: the usable cables between switches as compressed sparse
/// rows, and where each end port hangs. A cable is usable when both ends are up and it joins two
/// different switches. Slots of a switch are in port order.
struct SwitchGraph {
  struct EndPort {  // a CA or router port behind a switch, or the switch's own port 0
    PortIndex port;
    SwitchIndex sw;
    mad::PortNum out;  // the switch's port towards it; 0 for the switch itself
  };
  std::vector<std::uint32_t> offsets;  // switches + 1
  std::vector<SwitchIndex> neighbour;  // per slot
  std::vector<mad::PortNum> port;      // per slot: the local port
  std::vector<std::uint32_t> reverse;  // per slot: the slot of the same cable at the other end
  std::vector<EndPort> end_ports;  // only those that hang on a switch; by switch and port number, a
                                   // switch's port 0 first

  std::size_t switches() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::size_t degree(SwitchIndex sw) const { return offsets[sw + 1] - offsets[sw]; }
  std::span<const SwitchIndex> neighbours(SwitchIndex sw) const {
    return {neighbour.data() + offsets[sw], degree(sw)};
  }
  std::span<const mad::PortNum> out_ports(SwitchIndex sw) const {
    return {port.data() + offsets[sw], degree(sw)};
  }
};

SwitchGraph make_switch_graph(const Fabric& fabric);

}  // namespace sm
