#include "sm/ctl/topology/decorate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>

#include "fabric/topology/graph.h"
#include "fabric/topology/random_source.h"
#include "mad/format.h"
#include "sm/ctl/topology/builder.h"

namespace topology {

namespace {

using WeightedGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                          boost::property<boost::edge_weight_t, std::size_t>>;

bool between_switches(const Topology& topology, const Link& link) {
  return topology.nodes[link.a.node].type == NodeType::switch_ &&
         topology.nodes[link.b.node].type == NodeType::switch_;
}

// Lists free ports of the nodes, lowest first.
class FreePorts {
 public:
  explicit FreePorts(const Topology& topology) {
    for (const Link& link : topology.links) {
      for (const PortRef& end : {link.a, link.b}) used_[end.node].insert(end.port.value);
    }
  }
  PortRef take(Topology& topology, std::size_t index) {
    std::set<unsigned>& used = used_[index];
    unsigned& next = next_[index];
    do ++next;
    while (used.contains(next));
    if (next > mad::kPortNumMax) {
      throw TopologyError(fmt::format("{} would need more than {} ports",
                                      topology.nodes[index].name, mad::kPortNumMax));
    }
    Node& node = topology.nodes[index];
    if (next > node.port_count) {
      node.port_count = next;
      node.port_guids.clear();  // those of the file are not enough any more
    }
    return {index, mad::PortNum{static_cast<std::uint8_t>(next)}};
  }

 private:
  std::map<std::size_t, std::set<unsigned>> used_;
  std::map<std::size_t, unsigned> next_;
};

// Returns the first GUID after all others of this type, so that no port GUID is used twice, either.
mad::Guid fresh_guid(const Topology& topology, NodeType type) {
  std::uint64_t last = type == NodeType::router ? 0x0002'c903'0000'0000 : 0x0002'c900'0000'0000;
  std::set<std::uint64_t> taken;
  for (const Node& node : topology.nodes) {
    for (unsigned port = 0; port <= node.port_count; ++port) {
      taken.insert(node.type == NodeType::switch_
                       ? node.guid.value
                       : node.port_guid({static_cast<std::uint8_t>(port)}).value);
    }
    taken.insert(node.guid.value);
  }
  const auto free_block = [&] {
    const auto it = taken.lower_bound(last);
    return it == taken.end() || *it >= last + 0x100;
  };
  while (!free_block()) last += 0x100;
  return mad::Guid{last};
}

std::string fresh_name(const Topology& topology, std::string_view prefix) {
  std::set<std::string, std::less<>> taken;
  for (const Node& node : topology.nodes) {
    taken.insert(node.name);
    taken.insert(node.key());
  }
  for (std::size_t number = 0;; ++number) {
    if (std::string name = fmt::format("{}{}", prefix, number); !taken.contains(name)) return name;
  }
}

}  // namespace

Topology degrade(const Topology& topology, double fraction, std::uint64_t seed,
                 Connectivity connectivity) {
  require(fraction >= 0 && fraction <= 1, "the fraction to remove must be 0 to 1");
  std::vector<std::size_t> between_links;
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    if (between_switches(topology, topology.links[i])) between_links.push_back(i);
  }
  const auto wanted =
      static_cast<std::size_t>(std::llround(fraction * static_cast<double>(between_links.size())));
  Random random(seed);
  random.shuffle(between_links);
  if (connectivity == Connectivity::keep) {
    // Links of a spanning forest go to the end of the list. The forest takes the last links of the
    // list first, so that a small fraction mostly removes the same links in both modes.
    WeightedGraph graph(topology.nodes.size());
    for (std::size_t i = 0; i < between_links.size(); ++i) {
      const Link& link = topology.links[between_links[i]];
      boost::add_edge(link.a.node, link.b.node, between_links.size() - i, graph);
    }
    std::vector<WeightedGraph::edge_descriptor> forest;
    boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(forest));
    std::vector<bool> needed(topology.links.size());
    for (const auto& edge : forest)
      needed[between_links[between_links.size() - boost::get(boost::edge_weight, graph, edge)]] =
          true;
    const std::size_t spare = between_links.size() - forest.size();
    if (wanted > spare) {
      throw TopologyError(fmt::format(
          "{} of {} links between switches cannot be removed without disconnecting the fabric; at "
          "most {} can",
          wanted, between_links.size(), spare));
    }
    std::vector<std::size_t> order;
    for (const bool keep : {false, true}) {
      std::ranges::copy_if(between_links, std::back_inserter(order),
                           [&](std::size_t link) { return needed[link] == keep; });
    }
    between_links = std::move(order);
  }
  std::vector<bool> removed(topology.links.size());
  for (std::size_t i = 0; i < wanted; ++i) removed[between_links[i]] = true;
  Topology left{topology.nodes, {}};
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    if (!removed[i]) left.links.push_back(topology.links[i]);
  }
  return left;
}

Topology add_routers(const Topology& topology, unsigned count, unsigned ports_in_one) {
  const std::vector<Subnet> all = subnets(topology);
  Topology result = topology;
  std::vector<std::vector<std::size_t>>
      order;  // per subnet: its switches, those with the fewest ports first
  for (const Subnet& subnet : all) {
    if (subnet.switches.empty()) continue;
    order.push_back(subnet.switches);
    std::ranges::sort(order.back(), {}, [&](std::size_t node) {
      return std::pair(topology.nodes[node].port_count, node);
    });
  }
  require(count == 0 || !order.empty(), "a router needs a switch with a free port");
  require(ports_in_one >= 1, "a router has at least one port");
  FreePorts free(result);
  for (unsigned number = 0; number < count; ++number) {
    const std::size_t router = result.nodes.size();
    result.nodes.push_back({.type = NodeType::router,
                            .name = fresh_name(result, "R"),
                            .guid = fresh_guid(result, NodeType::router)});
    const std::size_t ports = order.size() > 1 ? order.size() : ports_in_one;
    for (std::size_t port = 0; port < ports; ++port) {
      const std::vector<std::size_t>& switches = order[port % order.size()];
      const std::size_t position = order.size() > 1 ? number : number * ports + port;
      const PortRef own = free.take(result, router);
      result.links.push_back({own, free.take(result, switches[position % switches.size()])});
    }
  }
  require_lid_space(result);
  return result;
}

Topology multiply_cables(const Topology& topology, unsigned times) {
  require(times >= 1, "each link becomes at least one link");
  Topology result{topology.nodes, {}};
  FreePorts free(topology);
  for (const Link& link : topology.links) {
    result.links.push_back(link);
    for (unsigned i = 1; i < times && between_switches(topology, link); ++i) {
      const PortRef a = free.take(result, link.a.node);
      result.links.push_back({a, free.take(result, link.b.node), link.width, link.speed});
    }
  }
  return result;
}

Topology add_host_ports(const Topology& topology, unsigned ports_per_host) {
  require(ports_per_host >= 1 && ports_per_host <= 15, "a host has 1 to 15 ports");
  Topology result = topology;
  FreePorts free(topology);
  for (const Subnet& subnet : subnets(topology)) {
    std::set<std::size_t> leaf_set;
    std::map<std::size_t, std::size_t> leaf_of;
    std::map<std::size_t, unsigned> ports;
    std::map<std::size_t, Link> link_of;
    for (const Link& link : topology.links) {
      const bool first = topology.nodes[link.a.node].type == NodeType::ca;
      const PortRef& host = first ? link.a : link.b;
      const PortRef& leaf = first ? link.b : link.a;
      if (topology.nodes[host.node].type != NodeType::ca ||
          topology.nodes[leaf.node].type != NodeType::switch_)
        continue;
      if (std::ranges::find(subnet.ends, host) == subnet.ends.end()) continue;
      leaf_set.insert(leaf.node);
      leaf_of[host.node] = leaf.node;
      link_of[host.node] = link;
      ++ports[host.node];
    }
    const std::vector<std::size_t> leaves(leaf_set.begin(), leaf_set.end());
    for (const auto& [host, leaf] : leaf_of) {
      if (ports[host] != 1) continue;
      const auto leaf_index =
          static_cast<std::size_t>(std::ranges::find(leaves, leaf) - leaves.begin());
      for (unsigned port = 1; port < ports_per_host; ++port) {
        const PortRef own = free.take(result, host);
        result.links.push_back({own, free.take(result, leaves[(leaf_index + port) % leaves.size()]),
                                link_of[host].width, link_of[host].speed});
      }
    }
  }
  require_lid_space(result);
  return result;
}

Topology with_links(Topology topology, LinkWidth width, LinkSpeed speed) {
  for (Link& link : topology.links) {
    link.width = width;
    link.speed = speed;
  }
  return topology;
}

Topology drop_node(const Topology& topology, std::string_view name) {
  const std::size_t removed = topology.find(name);
  Topology result = topology;
  result.nodes.erase(result.nodes.begin() + static_cast<std::ptrdiff_t>(removed));
  std::erase_if(result.links,
                [&](const Link& link) { return link.a.node == removed || link.b.node == removed; });
  for (Link& link : result.links) {
    for (PortRef* end : {&link.a, &link.b}) end->node -= end->node > removed;
  }
  return result;
}

Topology drop_link(const Topology& topology, std::string_view name, mad::PortNum port) {
  const PortRef end{topology.find(name), port};
  Topology result = topology;
  if (std::erase_if(result.links,
                    [&](const Link& link) { return link.a == end || link.b == end; }) == 0) {
    throw TopologyError(fmt::format("port {} of {} has no link", port, name));
  }
  return result;
}

Topology add_host(const Topology& topology, std::string_view switch_name, std::string host_name) {
  Topology result = topology;
  std::size_t at_switch = topology.find(switch_name);
  if (topology.nodes[at_switch].type != NodeType::switch_)
    throw TopologyError(fmt::format("{} is not a switch", switch_name));
  if (host_name.empty()) host_name = fresh_name(topology, "H");
  for (const Node& node : topology.nodes) {
    if (node.key() == host_name || node.name == host_name)
      throw TopologyError(fmt::format("there is a node {} already", host_name));
  }
  const PortRef at = FreePorts(topology).take(result, at_switch);
  // New hosts follow the existing ones, so that hosts still come first.
  const auto position = static_cast<std::size_t>(
      std::ranges::find_if(result.nodes, [](const Node& n) { return n.type != NodeType::ca; }) -
      result.nodes.begin());
  result.nodes.insert(result.nodes.begin() + static_cast<std::ptrdiff_t>(position),
                      {.type = NodeType::ca,
                       .name = std::move(host_name),
                       .guid = fresh_guid(topology, NodeType::ca),
                       .port_count = 1});
  for (Link& link : result.links) {
    for (PortRef* end : {&link.a, &link.b}) end->node += end->node >= position;
  }
  result.links.push_back({{position, {1}}, {at.node + (at.node >= position), at.port}});
  require_lid_space(result);
  return result;
}

}  // namespace topology
