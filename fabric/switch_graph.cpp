#include "fabric/switch_graph.h"

#include <algorithm>

namespace fabric {

bool is_inside_switch(const Node& node, const Node& sw) {
  const mad::Guid system = sw.info.system_image_guid();
  return !node.is_switch() && system != mad::Guid{} && node.info.system_image_guid() == system;
}

SwitchGraph make_switch_graph(const Fabric& fabric) {
  SwitchGraph graph;
  graph.offsets.reserve(fabric.switches.size() + 1);
  IndexVector<PortIndex, ChannelIndex> channel_of_port(fabric.ports.size(), kNoIndex);
  for (const SwitchIndex sw : fabric.switches.indices()) {
    graph.offsets.push_back(graph.port.next_index());
    const Node& node = fabric.nodes[fabric.switches[sw].node];
    for (unsigned number = 0; number <= node.num_ports; ++number) {
      const PortIndex port = node.first_port + number;
      if (number == 0) {
        graph.end_ports.push_back({port, sw, mad::PortNum{0}});
        continue;
      }
      if (!fabric.is_link_up(port)) continue;
      const PortIndex peer = fabric.ports[port].peer;
      if (const SwitchIndex other = fabric.owning_node(peer).switch_index; other != kNoIndex) {
        if (fabric.is_kept_out(port)) continue;
        channel_of_port[port] = graph.port.next_index();
        graph.neighbour.push_back(other);
        graph.port.push_back(fabric.ports[port].number);
      } else if (fabric.is_end_port(peer)) {
        graph.end_ports.push_back({peer, sw, fabric.ports[port].number,
                                   is_inside_switch(fabric.owning_node(peer), node)});
      }
    }
  }
  if (std::ranges::none_of(graph.end_ports, &SwitchGraph::EndPort::is_host))
    for (SwitchGraph::EndPort& end : graph.end_ports) end.is_inside = false;
  graph.offsets.push_back(graph.port.next_index());

  graph.reverse.resize(graph.port.size());
  for (const SwitchIndex sw : fabric.switches.indices()) {
    for (const ChannelIndex channel : graph.channels(sw)) {
      const PortIndex port = fabric.port(fabric.switches[sw].node, graph.port[channel]);
      graph.reverse[channel] = channel_of_port[fabric.ports[port].peer];
    }
  }
  return graph;
}

}  // namespace fabric
