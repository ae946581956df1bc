#pragma once
// Trees for tests, and the load of their links under shift permutations.

#include <algorithm>
#include <numeric>

#include "routing/core/engine.h"
#include "routing/graph/channel_table.h"
#include "sm/ctl/topology/decorate.h"
#include "sm/ctl/topology/generators.h"
#include "support/fabrics.h"

namespace trees {

/// Returns the same links with shuffled GUIDs and ports.
inline topology::Topology scrambled(topology::Topology topology, std::uint64_t seed) {
  topology::Random random(seed);
  const auto shuffle = [&](auto& list) {
    for (std::size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[random.below(static_cast<std::uint32_t>(i))]);
  };
  std::vector<std::uint64_t> numbers(topology.nodes.size());
  std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
  shuffle(numbers);
  for (std::size_t i = 0; i < topology.nodes.size(); ++i)
    topology.nodes[i].guid = mad::Guid{0x0002c90300000000u + numbers[i] * 0x1000};
  std::vector<std::vector<std::uint8_t>> ports(topology.nodes.size());
  for (std::size_t i = 0; i < topology.nodes.size(); ++i) {
    ports[i].resize(topology.nodes[i].port_count);
    std::iota(ports[i].begin(), ports[i].end(), std::uint8_t{1});
    if (topology.nodes[i].type == topology::NodeType::switch_) shuffle(ports[i]);
  }
  for (topology::Link& link : topology.links)
    for (topology::PortRef* const end : {&link.a, &link.b})
      end->port.value = ports[end->node][end->port.value - 1u];
  return topology;
}

struct ShiftLoad {
  double mean = 0;
  unsigned worst = 0;
};

/// Number i of `order` (port GUIDs; 0: no host) sends to number i + k, for k = 1, 1 + step, ...;
/// the highest number of flows on one direction of a link. Packets are followed through the tables,
/// and all of them have to arrive.
inline ShiftLoad shift_along(const fabrics::Subnet& subnet, const std::vector<mad::Guid>& order,
                             const fabric::ForwardingTables& lfts, std::size_t step = 1) {
  struct Host {
    mad::Lid lid;
    fabric::SwitchIndex sw = fabric::kNoIndex;
    mad::PortNum out;
  };
  std::vector<Host> hosts;
  for (const mad::Guid guid : order) {
    Host host;
    if (guid != mad::Guid{}) {
      const fabric::PortIndex port = subnet.fabric.port_of_guid.at(guid);
      const auto end =
          std::ranges::find(subnet.graph.end_ports, port, &fabric::SwitchGraph::EndPort::port);
      host = {subnet.find_lid(port), end->sw, end->out};
    }
    hosts.push_back(host);
  }
  const routing::ChannelTable channels(subnet.graph);
  ShiftLoad out;
  std::size_t shifts = 0;
  std::vector<unsigned> load(subnet.graph.port.size());
  for (std::size_t k = 1; k < hosts.size(); k += step, ++shifts) {
    std::ranges::fill(load, 0u);
    unsigned highest = 0;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      const Host &from = hosts[i], &to = hosts[(i + k) % hosts.size()];
      if (from.sw == fabric::kNoIndex || to.sw == fabric::kNoIndex) continue;
      fabric::SwitchIndex sw = from.sw;
      for (unsigned hops = 0; sw != to.sw; ++hops) {
        const fabric::ChannelIndex channel = channels.channel(sw, lfts.at(sw, to.lid).value);
        if (channel == fabric::kNoIndex || hops > 64) throw std::runtime_error("a packet is lost");
        highest = std::max(highest, ++load[channel]);
        sw = subnet.graph.neighbour[channel];
      }
      if (lfts.at(sw, to.lid) != to.out) throw std::runtime_error("a packet is not delivered");
    }
    out.mean += highest;
    out.worst = std::max(out.worst, highest);
  }
  if (shifts > 0) out.mean /= static_cast<double>(shifts);
  return out;
}

/// Trees with as many links up as down at every switch, so that every shift is possible without two
/// flows on a link.
inline std::vector<topology::XgftParams> full_trees() {
  return {
      {.children = {4, 4}, .parents = {1, 4}, .cables = {}},
      {.children = {18, 6}, .parents = {1, 3}, .cables = {1, 6}},
      {.children = {4, 4, 4}, .parents = {1, 4, 4}, .cables = {}},
      {.children = {6, 6, 4}, .parents = {1, 3, 6}, .cables = {1, 2, 2}},
      {.children = {6, 4, 3}, .parents = {1, 6, 2}, .cables = {1, 1, 2}},
      {.children = {3, 3, 3, 4}, .parents = {1, 3, 3, 3}, .cables = {}},
      {.children = {70, 3}, .parents = {1, 70}, .cables = {}},  // 140-port leaves
      {.children = {3, 70}, .parents = {1, 3}, .cables = {}},   // 70-port spines
      {.children = {30, 2},
       .parents = {1, 1},
       .cables = {1, 30}},  // two leaves, one spine, 30 links each
      {.children = {2, 2, 2, 2, 2}, .parents = {1, 2, 2, 2, 2}, .cables = {}},
  };
}

}  // namespace trees
