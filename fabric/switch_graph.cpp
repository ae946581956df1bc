#include "fabric/switch_graph.h"

namespace sm {

SwitchGraph make_switch_graph(const Fabric& fabric) {
  SwitchGraph graph;
  graph.offsets.reserve(fabric.switches.size() + 1);
  std::vector<std::uint32_t> channel_of_port(fabric.ports.size(), kNoIndex);
  for (SwitchIndex sw = 0; sw < fabric.switches.size(); ++sw) {
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.port.size()));
    const Node& node = fabric.nodes[fabric.switches[sw].node];
    for (unsigned number = 0; number <= node.num_ports; ++number) {
      const PortIndex port = node.first_port + number;
      if (number == 0) {
        graph.end_ports.push_back({port, sw, mad::PortNum{0}});
        continue;
      }
      if (!fabric.is_link_up(port)) continue;
      const PortIndex peer = fabric.ports[port].peer;
      if (const SwitchIndex other = fabric.node_of(peer).switch_index; other != kNoIndex) {
        channel_of_port[port] = static_cast<std::uint32_t>(graph.port.size());
        graph.neighbour.push_back(other);
        graph.port.push_back(fabric.ports[port].number);
      } else if (fabric.is_end_port(peer)) {
        graph.end_ports.push_back({peer, sw, fabric.ports[port].number});
      }
    }
  }
  graph.offsets.push_back(static_cast<std::uint32_t>(graph.port.size()));

  graph.reverse.resize(graph.port.size());
  for (SwitchIndex sw = 0; sw < fabric.switches.size(); ++sw) {
    for (std::uint32_t channel = graph.offsets[sw]; channel < graph.offsets[sw + 1]; ++channel) {
      const PortIndex port = fabric.port(fabric.switches[sw].node, graph.port[channel]);
      graph.reverse[channel] = channel_of_port[fabric.ports[port].peer];
    }
  }
  return graph;
}

}  // namespace sm
