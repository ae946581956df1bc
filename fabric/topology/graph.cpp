#include "fabric/topology/graph.h"

#include <algorithm>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/pending/queue.hpp>

#include "mad/format.h"

namespace topology {

namespace {

using SwitchesGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;

/// Returns the graph of all nodes with only the cables between switches.
SwitchesGraph graph_of_switches(const Topology& topology) {
  SwitchesGraph graph(topology.nodes.size());
  for (const Link& link : topology.links) {
    if (topology.nodes[link.a.node].type == NodeType::switch_ &&
        topology.nodes[link.b.node].type == NodeType::switch_)
      boost::add_edge(link.a.node, link.b.node, graph);
  }
  return graph;
}

/// Adds the switches that it visits to the last subnet.
struct SubnetVisitor : boost::default_bfs_visitor {
  SubnetVisitor(std::vector<Subnet>& all, std::vector<std::size_t>& by_node)
      : subnets(&all), subnet_index(&by_node) {}
  void discover_vertex(std::size_t node, const SwitchesGraph&) const {
    subnets->back().switches.push_back(node);
    (*subnet_index)[node] = subnets->size() - 1;
  }
  std::vector<Subnet>* subnets;
  std::vector<std::size_t>* subnet_index;
};

}  // namespace

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
  const SwitchesGraph graph = graph_of_switches(topology);
  std::vector<boost::default_color_type> colour(topology.nodes.size(), boost::white_color);
  std::vector<std::size_t> subnet_index(topology.nodes.size(), kNone);
  std::vector<Subnet> found;
  for (std::size_t first = 0; first < topology.nodes.size(); ++first) {
    if (topology.nodes[first].type != NodeType::switch_ || colour[first] != boost::white_color)
      continue;
    found.emplace_back();
    boost::queue<std::size_t> queue;
    boost::breadth_first_visit(
        graph, first, queue, SubnetVisitor(found, subnet_index),
        boost::make_iterator_property_map(colour.begin(), boost::get(boost::vertex_index, graph)));
  }
  for (const Link& link : topology.links) {
    const std::size_t of_a = subnet_index[link.a.node], of_b = subnet_index[link.b.node];
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
  const SwitchesGraph graph = graph_of_switches(topology);
  const auto by_vertex = boost::get(boost::vertex_index, graph);
  unsigned diameter = 0;
  for (std::size_t start = 0; start < topology.nodes.size(); ++start) {
    if (topology.nodes[start].type != NodeType::switch_) continue;
    std::vector<unsigned> distance(topology.nodes.size(), 0);  // stays 0 in other subnets
    boost::breadth_first_search(graph, start,
                                boost::visitor(boost::make_bfs_visitor(boost::record_distances(
                                    boost::make_iterator_property_map(distance.begin(), by_vertex),
                                    boost::on_tree_edge()))));
    diameter = std::max(diameter, std::ranges::max(distance));
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

}  // namespace topology
