#pragma once
// A reference for verification: packets followed hop by hop, and a simple search for cycles of
// channel dependencies. Shares no code with routing/.

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "routing/core/engine.h"
#include "support/fabrics.h"

namespace packets {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;

// One hop of a packet between switches: the channel as (switch, port), with the VL.
struct Hop {
  SwitchIndex sw;
  mad::PortNum port;
  unsigned vl;
  auto operator<=>(const Hop&) const = default;
};

struct Walk {
  bool arrives = false;
  std::vector<Hop> hops;
};

inline Walk walk(const Subnet& subnet, const routing::RoutingResult& result, SwitchIndex from,
                 mad::PortNum in, mad::Lid lid, unsigned sl) {
  const fabric::Fabric& fabric = subnet.fabric;
  const PortIndex owner = subnet.lids.owner(lid);
  Walk out;
  SwitchIndex sw = from;
  while (out.hops.size() <= fabric.switches.size()) {
    const fabric::Node& node = fabric.nodes[fabric.switches[sw].node];
    const mad::PortNum exit = lid.value < fabric.switches[sw].info.linear_fdb_cap()
                                  ? result.lfts.at(sw, lid)
                                  : mad::kNoPort;
    if (exit == mad::PortNum{0}) {
      out.arrives = owner == node.first_port;
      return out;
    }
    if (exit.value > node.num_ports || !fabric.is_link_up(node.first_port + exit.value)) return out;
    const PortIndex peer = fabric.ports[node.first_port + exit.value].peer;
    if (!fabric.owning_node(peer).is_switch()) {
      out.arrives = peer == owner;
      return out;
    }
    const unsigned vl = result.sl_to_vl.empty() ? 0u : result.sl_to_vl.at(sw, in, exit)[sl];
    out.hops.push_back({sw, exit, vl});
    sw = fabric.owning_node(peer).switch_index;
    in = fabric.ports[peer].number;
  }
  return out;
}

// The switch and its port that a host or router is attached to; kNoIndex if there is none.
inline std::pair<SwitchIndex, mad::PortNum> attachment_of(const Subnet& subnet, PortIndex port) {
  if (!subnet.fabric.is_link_up(port)) return {kNoIndex, {}};
  const PortIndex peer = subnet.fabric.ports[port].peer;
  return {subnet.fabric.owning_node(peer).switch_index, subnet.fabric.ports[peer].number};
}

// The connected component of each switch, by its lowest switch.
inline std::vector<SwitchIndex> components(const Subnet& subnet) {
  std::vector<SwitchIndex> component(subnet.fabric.switches.size());
  for (SwitchIndex sw{0}; sw < component.size(); ++sw) component[sw] = sw;
  for (bool changed = true; changed;) {
    changed = false;
    for (const PortIndex port : subnet.fabric.ports.indices()) {
      if (!subnet.fabric.is_link_up(port)) continue;
      const SwitchIndex a = subnet.fabric.owning_node(port).switch_index,
                        b = subnet.fabric.owning_node(subnet.fabric.ports[port].peer).switch_index;
      if (a == kNoIndex || b == kNoIndex || component[a] <= component[b]) continue;
      component[a] = component[b];
      changed = true;
    }
  }
  return component;
}

struct Findings {
  std::size_t lost = 0;  // pairs of hosts of one component whose packets do not arrive
  std::map<Hop, std::set<Hop>> edges;
  std::size_t dependencies() const {
    std::size_t count = 0;
    for (const auto& [hop, next] : edges) count += next.size();
    return count;
  }
  bool has_cycle() const {
    // Remove channels without successors, until nothing changes.
    auto left = edges;
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = left.begin(); it != left.end();) {
        std::erase_if(it->second, [&](const Hop& next) { return !left.contains(next); });
        changed |= it->second.empty();
        it = it->second.empty() ? left.erase(it) : std::next(it);
      }
    }
    return !left.empty();
  }
};

inline Findings trace_all(const Subnet& subnet, const routing::RoutingResult& result) {
  Findings out;
  const std::vector<SwitchIndex> component = components(subnet);
  for (const PortIndex source : subnet.fabric.end_ports) {
    if (subnet.fabric.owning_node(source).is_switch() || subnet.find_lid(source) == mad::Lid{})
      continue;
    const auto [from, in] = attachment_of(subnet, source);
    if (from == kNoIndex) continue;
    for (unsigned lid = 1; lid <= subnet.lids.lid_top.value; ++lid) {
      const mad::Lid to{static_cast<std::uint16_t>(lid)};
      const PortIndex owner = subnet.lids.owner(to);
      if (owner == kNoIndex || subnet.fabric.owning_node(owner).is_switch()) continue;
      const SwitchIndex last_switch = attachment_of(subnet, owner).first;
      if (last_switch == kNoIndex) continue;
      const Walk path =
          walk(subnet, result, from, in, to, result.sls.at(from, to, last_switch).value);
      out.lost += !path.arrives && component[from] == component[last_switch] ? 1u : 0u;
      for (std::size_t i = 1; i < path.hops.size(); ++i)
        out.edges[path.hops[i - 1]].insert(path.hops[i]);
    }
  }
  return out;
}

}  // namespace packets
