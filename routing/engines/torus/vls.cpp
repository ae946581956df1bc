#include "routing/engines/torus/vls.h"

#include <algorithm>

#include "mad/attributes/port_info.h"
#include "routing/engines/torus/dimension_order.h"
#include "routing/qos/operational_vls.h"

namespace routing::torus {

using fabric::kNoIndex;
using fabric::SwitchIndex;

SlToVl sl_to_vl(const RoutingInput& input, const Grid& grid, unsigned vls, unsigned end_port_vls) {
  const fabric::SwitchGraph& graph = input.graph;
  SlToVl result = SlToVl::by_class(graph.switches(), kDimensions + 1);
  for (const SwitchIndex sw : graph.all_switches()) {
    for (unsigned port = 0; port < 256; ++port)
      result.set_port_class(sw, mad::PortNum{static_cast<std::uint8_t>(port)}, kEndPorts);
    for (const fabric::ChannelIndex channel : graph.channels(sw))
      if (grid.direction[channel] != kNoDirection)
        result.set_port_class(sw, graph.port[channel], dimension_of(grid.direction[channel]));
  }
  for (unsigned sl = 0; sl < 16; ++sl) {
    const bool level = (sl & kQosBit) != 0;
    for (unsigned in = 0; in <= kEndPorts; ++in) {
      for (unsigned out = 0; out < kEndPorts; ++out) {
        const unsigned turns_back = in != kEndPorts && in > out ? 2 : 0;
        result.row(in, out)[sl] = static_cast<std::uint8_t>(
            ((sl >> out & 1u) | turns_back | (level ? 4u : 0u)) & (vls_used(vls) - 1));
      }
      result.row(in, kEndPorts)[sl] = level && end_port_vls > 1 ? 1 : 0;
    }
  }
  result.of_end_ports = result.row(kEndPorts, kEndPorts);
  return result;
}

unsigned end_port_vls(const RoutingInput& input) {
  const fabric::Fabric& fabric = input.fabric;
  unsigned vls = std::clamp(input.options.vls_max, 1u, 15u);
  for (const fabric::SwitchGraph::EndPort& end : input.graph.end_ports) {
    if (end.out == mad::PortNum{0}) continue;
    for (const fabric::PortIndex port : {end.port, fabric.ports[end.port].peer})
      vls = std::min(vls, usable_data_vls(fabric, port));
  }
  return vls;
}

PathSls path_sls(const Grid& grid) {
  const std::size_t switches = grid.cell_of.size();
  PathSls sls = PathSls::by_switch_pair(switches);
  std::vector<Coordinates> at(switches);
  for (SwitchIndex sw{0}; sw < switches; ++sw)
    if (grid.cell_of[sw] != kNoIndex) at[sw] = grid.shape.coordinates(grid.cell_of[sw]);
  for (SwitchIndex from{0}; from < switches; ++from) {
    if (grid.cell_of[from] == kNoIndex) continue;
    const auto row = sls.row(from);
    for (SwitchIndex to{0}; to < switches; ++to)
      if (grid.cell_of[to] != kNoIndex) row[to] = service_level(grid.shape, at[from], at[to]);
  }
  sls.free_bits = kQosBit;
  return sls;
}

}  // namespace routing::torus
