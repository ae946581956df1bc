// Credit loops: packets that hold a buffer and wait for the next one. Without a cycle of channel
// dependencies there is no deadlock (Dally and Seitz, 1987).

#include <algorithm>
#include <map>
#include <unordered_map>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>

#include "mad/format.h"
#include "sim/world/all_choices.h"
#include "support/check/checks.h"

namespace sim {
namespace {

/// A buffer: one direction of a link and a VL.
using Channel = std::uint64_t;
Channel channel(const Hop& hop) { return Channel{hop.out} << 4 | hop.vl.value; }

class DependencyGraph {
 public:
  /// All that packets may do: each hop into a switch, with each that they leave it by.
  void add(const AllChoices& choices) {
    std::unordered_multimap<PortIndex, Hop> arrivals;
    for (const Hop& hop : choices.first_hops()) arrivals.emplace(hop.in, hop);
    for (const AllChoices::Step& step : choices.steps()) arrivals.emplace(step.hop.in, step.hop);
    for (const AllChoices::Step& step : choices.steps()) {
      const auto [first, last] = arrivals.equal_range(step.entry);
      for (auto each = first; each != last; ++each) add(each->second, step.hop);
    }
  }
  void add(const Hop& hop, const Hop& next) {
    boost::add_edge(vertex_of(channel(hop)), vertex_of(channel(next)), graph_);
  }

  /// The channels of some cycle; empty if there is none.
  std::vector<Channel> cycle() const {
    std::vector<Channel> found;
    std::vector<Vertex> predecessor(boost::num_vertices(graph_));
    boost::depth_first_search(graph_, boost::visitor(Visitor(predecessor, found, channels_)));
    return found;
  }

 private:
  // Sets of edges, since most packets need what others needed before.
  using Graph = boost::adjacency_list<boost::setS, boost::vecS, boost::directedS>;
  using Vertex = Graph::vertex_descriptor;

  /// Keeps the first cycle that the search closes.
  struct Visitor : boost::default_dfs_visitor {
    Visitor(std::vector<Vertex>& by_vertex, std::vector<Channel>& cycle,
            const std::vector<Channel>& names)
        : predecessor(&by_vertex), found(&cycle), channels(&names) {}
    void tree_edge(const Graph::edge_descriptor& edge, const Graph& graph) const {
      (*predecessor)[target(edge, graph)] = source(edge, graph);
    }
    void back_edge(const Graph::edge_descriptor& edge, const Graph& graph) const {
      if (!found->empty()) return;
      const Vertex first = target(edge, graph);
      for (Vertex at = source(edge, graph); at != first; at = (*predecessor)[at])
        found->push_back((*channels)[at]);
      found->push_back((*channels)[first]);
      std::ranges::reverse(*found);
    }
    std::vector<Vertex>* predecessor;
    std::vector<Channel>* found;
    const std::vector<Channel>* channels;
  };

  Vertex vertex_of(Channel name) {
    const auto [place, added] = vertices_.try_emplace(name, channels_.size());
    if (added) channels_.push_back(name);
    return place->second;
  }

  std::unordered_map<Channel, Vertex> vertices_;
  std::vector<Channel> channels_;  // by vertex
  Graph graph_;
};

/// Packets from these ports to all groups, of any P_Key and on any VL that the ports have.
void add_multicast(const Model& model, const std::vector<PortIndex>& from, DependencyGraph& graph) {
  std::size_t mlids = 0;
  for (const NodeModel& node : model.nodes) {
    if (!node.is_switch()) continue;
    for (const auto& masks : node.sw->mft) mlids = std::max(mlids, masks.size());
  }
  const auto vls = [&](PortIndex port) {
    return static_cast<std::uint8_t>(
        std::max(1u, mad::data_vls(model.ports[port].info.operational_vls())));
  };
  const auto add = [&](Hop hop, Hop next) {
    for (hop.vl.value = 0; hop.vl.value < vls(hop.out); ++hop.vl.value)
      for (next.vl.value = 0; next.vl.value < vls(next.out); ++next.vl.value) graph.add(hop, next);
  };
  for (std::size_t mlid = 0; mlid < mlids; ++mlid) {
    const mad::Lid dlid{static_cast<std::uint16_t>(mad::kMlidMin.value + mlid)};
    for (const PortIndex port : from) {
      const Copies copies = walk_multicast(model, port, {.dlid = dlid, .management = true});
      for (const Hop& hop : copies.hops)
        for (const Hop& next : copies.hops)
          if (model.ports[hop.in].node == model.ports[next.out].node && next.out != hop.in)
            add(hop, next);
    }
  }
}

}  // namespace

Complaints check_credit_loops(const Model& model, const std::vector<bool>& reach, Traffic traffic,
                              const ServiceLevel& sl, Multicast multicast) {
  DependencyGraph graph;
  std::vector<PortIndex> ends;
  for (const PortIndex port : model.ports.indices()) {
    if (traffic == Traffic::between_hosts && model.owning_node(port).is_switch()) continue;
    if (reach[model.ports[port].node] && model.is_end_port(port) &&
        is_unicast(model.ports[port].info.lid()))
      ends.push_back(port);
  }
  for (const PortIndex to : ends) {
    const mad::PortInfo& info = model.ports[to].info;
    for (unsigned lid = info.lid().value; lid < info.lid().value + (1u << info.lmc()); ++lid) {
      const mad::Lid dlid{static_cast<std::uint16_t>(lid)};
      std::map<mad::Sl, AllChoices> by_sl;
      for (const PortIndex from : ends) {
        const mad::Sl with = sl ? sl(from, dlid) : mad::Sl{};
        const auto choices =
            by_sl.try_emplace(with, model, PacketHeader{.dlid = dlid, .sl = with}).first;
        // Packets in a forwarding loop are another check's. One that is dropped holds the buffers
        // of its path up to there.
        if (choices->second.walk(from).drop == Drop::too_long) {
          by_sl.erase(choices);
          break;
        }
      }
      for (const auto& [with, choices] : by_sl) graph.add(choices);
    }
  }
  if (multicast == Multicast::on_any_vl) add_multicast(model, ends, graph);
  const std::vector<Channel> cycle = graph.cycle();
  if (cycle.empty()) return {};
  std::string text = "credit loop:";
  for (const Channel each : cycle)
    text += fmt::format(" {} VL {},", model.name(PortIndex(each >> 4)), each & 0xFu);
  text.pop_back();
  return {text};
}

}  // namespace sim
