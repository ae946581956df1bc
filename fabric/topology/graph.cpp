#include "fabric/topology/graph.h"

#include <algorithm>
#include <deque>
#include <numeric>

#include "mad/format.h"

namespace sim {

std::vector<std::vector<std::size_t>> switch_neighbours(const Topology& topology) {
  std::vector<std::vector<std::size_t>> neighbours(topology.nodes.size());
  for (const Link& link : topology.links) {
    if (topology.nodes[link.a.node].type != NodeType::switch_ ||
        topology.nodes[link.b.node].type != NodeType::switch_)
      continue;
    neighbours[link.a.node].push_back(link.b.node);
    if (link.a.node != link.b.node) neighbours[link.b.node].push_back(link.a.node);
  }
  return neighbours;
}

std::vector<Subnet> subnets(const Topology& topology) {
  constexpr auto kNone = static_cast<std::size_t>(-1);
  const auto neighbours = switch_neighbours(topology);
  std::vector<std::size_t> subnet_of(topology.nodes.size(), kNone);
  std::vector<Subnet> found;
  for (std::size_t first = 0; first < topology.nodes.size(); ++first) {
    if (topology.nodes[first].type != NodeType::switch_ || subnet_of[first] != kNone) continue;
    Subnet& subnet = found.emplace_back();
    subnet_of[first] = found.size() - 1;
    subnet.switches.push_back(first);
    for (std::size_t next = 0; next < subnet.switches.size(); ++next) {
      for (const std::size_t peer : neighbours[subnet.switches[next]]) {
        if (subnet_of[peer] != kNone) continue;
        subnet_of[peer] = subnet_of[first];
        subnet.switches.push_back(peer);
      }
    }
  }
  for (const Link& link : topology.links) {
    const std::size_t of_a = subnet_of[link.a.node], of_b = subnet_of[link.b.node];
    if (of_a == kNone && of_b == kNone) {
      found.push_back({{}, {link.a, link.b}});
    } else if (of_a == kNone) {
      found[of_b].ends.push_back(link.a);
    } else if (of_b == kNone) {
      found[of_a].ends.push_back(link.b);
    }
  }
  return found;
}

unsigned switch_diameter(const Topology& topology) {
  const auto neighbours = switch_neighbours(topology);
  unsigned diameter = 0;
  std::vector<unsigned> distance(topology.nodes.size());
  std::vector<std::size_t> seen_from(topology.nodes.size(), static_cast<std::size_t>(-1));
  for (std::size_t start = 0; start < topology.nodes.size(); ++start) {
    if (topology.nodes[start].type != NodeType::switch_) continue;
    std::deque<std::size_t> queue{start};
    distance[start] = 0;
    seen_from[start] = start;
    while (!queue.empty()) {
      const std::size_t node = queue.front();
      queue.pop_front();
      diameter = std::max(diameter, distance[node]);
      for (const std::size_t peer : neighbours[node]) {
        if (seen_from[peer] == start) continue;
        seen_from[peer] = start;
        distance[peer] = distance[node] + 1;
        queue.push_back(peer);
      }
    }
  }
  return diameter;
}

void require_lid_space(const Topology& topology) {
  for (const Node& node : topology.nodes) {
    if (node.port_count > mad::kPortNumMax)
      throw TopologyError(
          fmt::format("{} would need more than {} ports", node.name, mad::kPortNumMax));
  }
  for (const Subnet& subnet : subnets(topology)) {
    if (subnet.lids() > mad::kUnicastLidMax.value) {
      throw TopologyError(fmt::format(
          "one subnet would need {} LIDs ({} switches, {} end ports), and there are {} unicast "
          "LIDs",
          subnet.lids(), subnet.switches.size(), subnet.ends.size(), mad::kUnicastLidMax.value));
    }
  }
}

}  // namespace sim
