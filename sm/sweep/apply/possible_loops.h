#pragma once
// Groups that may get further ports although some switch forwards otherwise than it should.

#include <functional>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/fabric.h"

namespace sm {

using fabric::Fabric;
using fabric::SwitchIndex;

/// Returns the ports to which a switch may forward packets.
using PossiblePorts = std::function<fabric::PortSet(SwitchIndex)>;

/// True if a packet that takes any of these ports at each switch may come to a switch twice. Ports
/// whose link is down, or leads to no switch, end its way.
bool may_loop(const Fabric& fabric, const PossiblePorts& ports);

}  // namespace sm
