#include <algorithm>

#include "routing/qos/data_vls.h"
#include "routing/qos/operational_vls.h"

namespace routing {

unsigned data_vls(const RoutingInput& input) {
  const fabric::SwitchGraph& graph = input.graph;
  if (graph.port.empty()) return 1;  // no links between switches
  unsigned vls = std::clamp(input.options.vls_max, 1u, 15u);
  for (const fabric::SwitchIndex sw : graph.all_switches()) {
    const fabric::Node& node = input.fabric.nodes[input.fabric.switches[sw].node];
    for (const mad::PortNum port : graph.out_ports(sw))
      vls = std::min(vls, usable_data_vls(input.fabric, node.first_port + port.value));
  }
  return vls;
}

}  // namespace routing
