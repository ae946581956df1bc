#include "sm/sweep/changes.h"

#include <algorithm>
#include <iterator>

#include "mad/format.h"

namespace sm {
namespace {

/// For every node of `of` its index in `in`; kNoIndex if it is not there.
std::vector<NodeIndex> places(const Fabric& of, const Fabric& in) {
  std::vector<NodeIndex> places;
  places.reserve(of.nodes.size());
  for (const Node& node : of.nodes) {
    const auto found = in.node_of_guid.find(node.guid);
    places.push_back(found == in.node_of_guid.end() ? kNoIndex : found->second);
  }
  return places;
}

/// "leaf-1" (0x...) port 3, the first port of another node that a cable joins to this one; "" if
/// there is none.
std::string neighbour(const Fabric& fabric, NodeIndex node) {
  for (const Port& port : fabric.ports_of(node)) {
    if (port.peer != kNoIndex && fabric.ports[port.peer].node != node)
      return fabric.port_name(port.peer);
  }
  return "";
}

/// The nodes and links of `here` that `there` does not have.
void missing(const Fabric& here, const Fabric& there, bool loss, std::vector<Change>& nodes,
             std::vector<Change>& links) {
  const std::vector<NodeIndex> place = places(here, there);
  for (const NodeIndex node : here.nodes.indices()) {
    if (place[node] != kNoIndex) continue;
    const std::string where = neighbour(here, node);
    nodes.push_back({loss, fmt::format("{} is {}{}{}", here.name(node), loss ? "gone" : "new",
                                       where.empty() ? ""
                                       : loss        ? "; it was behind "
                                                     : ", behind ",
                                       where)});
  }
  for (const PortIndex port : here.ports.indices()) {
    const PortIndex peer = here.ports[port].peer;
    if (peer == kNoIndex || peer < port || !here.is_link_up(port)) continue;
    const NodeIndex a = place[here.ports[port].node], b = place[here.ports[peer].node];
    if (a == kNoIndex || b == kNoIndex) continue;
    const mad::PortNum number = here.ports[port].number, far_number = here.ports[peer].number;
    const bool ports_exist =
        number.value <= there.nodes[a].num_ports && far_number.value <= there.nodes[b].num_ports;
    const bool joined = ports_exist && there.is_link_up(there.port(a, number)) &&
                        there.ports[there.port(a, number)].peer == there.port(b, far_number);
    if (!joined)
      links.push_back({loss, fmt::format("link {}: {} to {}", loss ? "lost" : "up",
                                         here.port_name(port), here.port_name(peer))});
  }
}

}  // namespace

std::vector<Change> changes(const Fabric& before, const Fabric& after) {
  std::vector<Change> nodes, links;
  missing(before, after, true, nodes, links);
  missing(after, before, false, nodes, links);
  std::ranges::move(links, std::back_inserter(nodes));
  return nodes;
}

}  // namespace sm
