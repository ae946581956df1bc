#include "routing/graph/sub_fabric.h"

#include <algorithm>

namespace routing {
namespace {

using fabric::kNoIndex;
using fabric::NodeIndex;
using fabric::PortIndex;

/// Selects the nodes and ports that belong to a part.
struct Membership {
  fabric::IndexVector<NodeIndex, bool> nodes;
  fabric::IndexVector<PortIndex, bool> ports;
};

Membership membership(const fabric::Fabric& fabric, const FabricPart& part) {
  Membership in;
  in.nodes.resize(fabric.nodes.size());
  in.ports.resize(fabric.ports.size());
  for (const FabricPart::SwitchPorts& entry : part.switches) {
    const auto found = fabric.node_of_guid.find(entry.sw);
    if (found == fabric.node_of_guid.end()) continue;
    const fabric::Node& node = fabric.nodes[found->second];
    if (node.switch_index == kNoIndex) continue;
    in.nodes[found->second] = true;
    for (unsigned number = 0; number <= node.num_ports; ++number)
      in.ports[node.first_port + number] =
          number == 0 || entry.ports.empty() ||
          std::ranges::any_of(entry.ports, [&](mad::PortNum port) { return port.value == number; });
  }
  for (const mad::Guid guid : part.end_ports) {
    const auto found = fabric.port_of_guid.find(guid);
    if (found == fabric.port_of_guid.end()) continue;
    const PortIndex port = found->second, peer = fabric.ports[port].peer;
    if (fabric.owning_node(port).is_switch() || peer == kNoIndex) continue;
    if (!in.nodes[fabric.ports[peer].node]) continue;
    in.nodes[fabric.ports[port].node] = true;
    in.ports[port] = in.ports[peer] = true;
  }
  return in;
}

/// Copies the nodes of the part and their ports. Returns the new index of each port.
fabric::IndexVector<PortIndex, PortIndex> copy_nodes(const fabric::Fabric& from,
                                                     const Membership& in, SubFabric& to) {
  fabric::IndexVector<PortIndex, PortIndex> port_here(from.ports.size(), kNoIndex);
  fabric::Fabric& out = to.fabric;
  for (const NodeIndex index : from.nodes.indices()) {
    if (!in.nodes[index]) continue;
    fabric::Node node = from.nodes[index];
    const PortIndex first = node.first_port;
    node.first_port = out.ports.next_index();
    const NodeIndex here = out.nodes.next_index();
    for (unsigned i = 0; i < from.node_ports(index).size(); ++i) {
      port_here[first + i] = out.ports.next_index();
      out.ports.push_back(from.ports[first + i]);
      out.ports.back().node = here;
    }
    if (node.switch_index != kNoIndex) {
      to.original.push_back(node.switch_index);
      out.switches.push_back(from.switches[node.switch_index]);
      out.switches.back().node = here;
      node.switch_index = fabric::SwitchIndex(out.switches.size() - 1);
    }
    out.node_of_guid.emplace(node.guid, here);
    out.nodes.push_back(std::move(node));
  }
  return port_here;
}

}  // namespace

SubFabric sub_fabric(const fabric::Fabric& fabric, const fabric::LidMap& lids,
                     const FabricPart& part) {
  SubFabric sub;
  const Membership in = membership(fabric, part);
  const auto port_here = copy_nodes(fabric, in, sub);
  for (const PortIndex port : fabric.ports.indices()) {
    if (port_here[port] == kNoIndex) continue;
    const PortIndex peer = fabric.ports[port].peer;
    const bool is_linked = peer != kNoIndex && in.ports[port] && in.ports[peer];
    sub.fabric.ports[port_here[port]].peer = is_linked ? port_here[peer] : PortIndex(kNoIndex);
  }
  sub.fabric.p_key_blocks = fabric.p_key_blocks;
  sub.fabric.node_names = fabric.node_names;
  sub.lids.lid_top = lids.lid_top;
  sub.lids.port_of_lid.assign(lids.port_of_lid.size(), kNoIndex);
  for (const fabric::EndPortIndex end_port : fabric.end_ports.indices()) {
    const PortIndex port = fabric.end_ports[end_port];
    if (!in.ports[port]) continue;
    sub.fabric.end_ports.push_back(port_here[port]);
    sub.fabric.port_of_guid.emplace(fabric.ports[port].guid, port_here[port]);
    const fabric::LidMap::Range range = lids.of_end_port[end_port];
    sub.lids.of_end_port.push_back(range);
    for (unsigned i = 0; i < range.count(); ++i)
      sub.lids.port_of_lid[range.base.value + i] = port_here[port];
  }
  return sub;
}

}  // namespace routing
