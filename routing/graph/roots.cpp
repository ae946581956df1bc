#include "routing/graph/roots.h"

#include <algorithm>
#include <map>

#include "mad/format.h"
#include "routing/graph/destinations.h"
#include "routing/graph/hops.h"

namespace routing {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

namespace {

struct Sight {
  double most = 0;         // share of the hosts at the distance with most of them
  unsigned distance = 0;   // that distance
  unsigned bars_of_5 = 0;  // number of distances with more than 5 % of the hosts
  bool is_root() const { return most > 0.9 && bars_of_5 == 1; }
};

Sight sight_of(SwitchIndex sw, const HopTable<std::uint8_t>& hops,
               const std::vector<std::uint32_t>& hosts, std::uint32_t host_count) {
  std::array<std::uint32_t, 256> bars{};
  for (SwitchIndex other{0}; other < hosts.size(); ++other)
    bars[hops.row(sw)[other]] += hosts[other];
  Sight out;
  for (unsigned distance = 0; distance < 255; ++distance) {
    const double share = static_cast<double>(bars[distance]) / host_count;
    if (share > out.most) {
      out.most = share;
      out.distance = distance;
    }
    out.bars_of_5 += share > 0.05 ? 1u : 0u;
  }
  return out;
}

}  // namespace

NamedRoots named_roots(const RoutingInput& input) {
  const fabric::Fabric& fabric = input.fabric;
  NamedRoots named;
  mad::Guid host;
  fabric::NodeIndex first_host = fabric::kNoIndex;
  for (const mad::Guid guid : input.options.roots) {
    fabric::NodeIndex node = fabric::kNoIndex;
    if (const auto found = fabric.node_of_guid.find(guid); found != fabric.node_of_guid.end())
      node = found->second;
    else if (const auto port = fabric.port_of_guid.find(guid); port != fabric.port_of_guid.end())
      node = fabric.ports[port->second].node;
    if (node == fabric::kNoIndex) continue;
    if (fabric.nodes[node].is_switch()) {
      named.roots.push_back(fabric.nodes[node].switch_index);
    } else if (first_host == fabric::kNoIndex) {
      first_host = node;
      host = guid;
    }
  }
  if (named.roots.empty() && first_host != fabric::kNoIndex)
    named.refusal = fmt::format(
        "root_guid_file names no switch of the fabric; {}, for example, is \"{}\", a host; a root "
        "is a switch",
        host, fabric.description(first_host));
  std::ranges::sort(named.roots);
  named.roots.erase(std::unique(named.roots.begin(), named.roots.end()), named.roots.end());
  return named;
}

FoundRoots find_roots(const RoutingInput& input) {
  const std::vector<std::uint32_t> hosts = hosts_per_switch(input);
  std::uint32_t host_count = 0;
  for (const std::uint32_t count : hosts) host_count += count;
  if (input.graph.switches() == 0 || host_count == 0)
    return {{}, "no hosts are attached to switches"};
  const auto hops = unit_hops(input.graph);
  if (!hops) return {{}, "a distance between switches is above 254 hops"};
  // In the layers of a tree, a switch is a root if all its neighbours are closer to the hosts.
  FoundRoots out;
  const std::vector<std::uint32_t> level = hops_to_leaf(input.graph);
  bool layered = true;
  for (SwitchIndex sw{0}; sw < input.graph.switches() && layered; ++sw) {
    if (level[sw] == kUnreachable) continue;
    bool top = level[sw] > 0;
    for (const SwitchIndex other : input.graph.neighbours(sw)) {
      top &= level[other] < level[sw];
      layered &= level[other] != level[sw];
    }
    if (top) out.roots.push_back(sw);
  }
  if (layered && !out.roots.empty()) {
    out.how = "all their neighbours are closer to the hosts";
    return out;
  }
  // Otherwise hosts are attached above the lowest layer, too. In large fabrics, switches below the
  // top also meet the criterion, because few hosts are near them, but their distance is larger than
  // that of the top.
  out.roots.clear();
  SwitchIndex best{0};
  Sight best_sight;
  unsigned nearest = 255;
  for (const SwitchIndex sw : input.graph.all_switches()) {
    const Sight sight = sight_of(sw, *hops, hosts, host_count);
    if (sight.is_root() && sight.distance <= nearest) {
      if (sight.distance < nearest) out.roots.clear();
      nearest = sight.distance;
      out.roots.push_back(sw);
    }
    if (sight.most > best_sight.most) {
      best = sw;
      best_sight = sight;
    }
  }
  if (!out.roots.empty()) {
    out.how = "nearly all hosts are at one distance";
    return out;
  }
  return {{},
          fmt::format("no switch has nearly all hosts at one distance: the best is {}, with "
                      "{:.0f} % of them {} hops away; links connect "
                      "switches at the same distance from the hosts; name the roots "
                      "in root_guid_file",
                      input.fabric.name(input.fabric.switches[best].node), best_sight.most * 100,
                      best_sight.distance)};
}

}  // namespace routing
