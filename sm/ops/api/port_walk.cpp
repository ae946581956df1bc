#include "sm/ops/api/port_walk.h"

#include <algorithm>

#include "config/value.h"
#include "mad/format.h"

namespace sm::api {

std::optional<PortPlace> read_port_place(std::string_view cursor) {
  if (cursor.size() != 18) return std::nullopt;
  const auto guid = config::parse_number(cursor.substr(0, 16), 16),
             port = config::parse_number(cursor.substr(16), 16);
  if (!guid || !port) return std::nullopt;
  return PortPlace{{*guid}, static_cast<unsigned>(*port)};
}

std::string text(const PortPlace& place) {
  return fmt::format("{:016x}{:02x}", place.node.value, place.port);
}

PortWalk::PortWalk(const Snapshot& snapshot, const std::optional<PortPlace>& after)
    : snapshot_(snapshot) {
  if (!after) return;
  const Fabric& fabric = snapshot.subnet->fabric;
  const auto& nodes = snapshot.nodes_by_guid;
  const auto at = std::ranges::lower_bound(nodes, after->node, {},
                                           [&](NodeIndex node) { return fabric.nodes[node].guid; });
  node_ = static_cast<std::size_t>(at - nodes.begin());
  if (at == nodes.end() || fabric.nodes[*at].guid != after->node) return;
  for (const Port& port : fabric.node_ports(*at))
    if (port.number.value <= after->port) ++port_;
}

PortIndex PortWalk::next() {
  const Fabric& fabric = snapshot_.subnet->fabric;
  for (; node_ < snapshot_.nodes_by_guid.size(); ++node_, port_ = 0) {
    const NodeIndex node = snapshot_.nodes_by_guid[node_];
    if (port_ < fabric.node_ports(node).size()) return fabric.nodes[node].first_port + port_++;
  }
  return kNoIndex;
}

PortPlace PortWalk::place() const {
  const Fabric& fabric = snapshot_.subnet->fabric;
  const Node& node = fabric.nodes[snapshot_.nodes_by_guid[node_]];
  return {node.guid, fabric.ports[node.first_port + (port_ - 1)].number.value};
}

}  // namespace sm::api
