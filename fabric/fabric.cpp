#include "fabric/fabric.h"

#include <algorithm>

#include "mad/format.h"

namespace fabric {

std::optional<mad::DirectedRoute> Fabric::route_to(PortIndex port) const {
  const Node& node = owning_node(port);
  if (node.is_switch() || port == sm_port) return node.route;
  const PortIndex peer = ports[port].peer;
  if (peer == kNoIndex) {
    // The node's own route may enter it by another port, which would answer in place of this one.
    const auto enters = [](const Port& other) { return other.peer != kNoIndex; };
    const bool is_own = sm_port != kNoIndex && ports[sm_port].node == ports[port].node;
    if (is_own || std::ranges::any_of(node_ports(ports[port].node), enters)) return std::nullopt;
    return node.route;
  }
  return owning_node(peer).route.extended(ports[peer].number);
}

std::string Fabric::description(NodeIndex node) const {
  if (node_names != nullptr) {
    if (const auto named = node_names->find(nodes[node].guid); named != node_names->end())
      return named->second;
  }
  return nodes[node].description.text();
}

std::string Fabric::name(NodeIndex node) const {
  return fmt::format("\"{}\" ({})", description(node), nodes[node].guid);
}

std::optional<std::span<const std::uint8_t, mad::kAttributeBytes>> Fabric::attribute(
    mad::AttributeId id, PortIndex port, std::size_t p_key_block) const {
  switch (id) {
    case mad::AttributeId::node_info:
      return owning_node(port).info.bytes();
    case mad::AttributeId::node_description:
      return owning_node(port).description.bytes();
    case mad::AttributeId::switch_info:
      return switches[owning_node(port).switch_index].info.bytes();
    case mad::AttributeId::port_info:
      return ports[port].info.bytes();
    case mad::AttributeId::p_key_table:
      return p_keys(port)[p_key_block].bytes();
    default:
      return std::nullopt;
  }
}

std::string Fabric::port_name(PortIndex port) const {
  return fmt::format("{} port {}", name(ports[port].node), ports[port].number);
}

}  // namespace fabric
