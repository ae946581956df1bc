#include <algorithm>

#include "mad/attributes/port_info.h"
#include "routing/qos/data_vls.h"

namespace routing {

unsigned data_vls(const RoutingInput& input) {
  const sm::SwitchGraph& graph = input.graph;
  if (graph.port.empty()) return 1;  // no links between switches
  unsigned vls = std::clamp(input.options.vls_max, 1u, 15u);
  for (const sm::SwitchIndex sw : graph.all_switches()) {
    const sm::Node& node = input.fabric.nodes[input.fabric.switches[sw].node];
    // A reserved code counts as 1: every port has VL 0.
    for (const mad::PortNum port : graph.out_ports(sw))
      vls = std::min(
          vls, std::max(1u, mad::data_vls(
                                input.fabric.ports[node.first_port + port.value].info.vl_cap())));
  }
  return vls;
}

}  // namespace routing
