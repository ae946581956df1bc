#pragma once
// Packets followed hop by hop, and circles of waiting searched for plainly: nothing of this is used
// in routing/.

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "routing/core/engine.h"
#include "support/fabrics.h"

namespace packets {

using fabrics::Subnet;
using sm::kNoIndex;
using sm::PortIndex;
using sm::SwitchIndex;

// A packet on its way: each cable between switches that it takes, as (switch, port) with the lane.
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
  const sm::Fabric& fabric = subnet.fabric;
  const PortIndex owner = subnet.lids.owner(lid);
  Walk out;
  SwitchIndex sw = from;
  while (out.hops.size() <= fabric.switches.size()) {
    const sm::Node& node = fabric.nodes[fabric.switches[sw].node];
    const mad::PortNum exit = lid.value < fabric.switches[sw].info.linear_fdb_cap()
                                  ? result.lfts.at(sw, lid)
                                  : mad::kNoPort;
    if (exit == mad::PortNum{0}) {
      out.arrives = owner == node.first_port;
      return out;
    }
    if (exit.value > node.num_ports || !fabric.is_link_up(node.first_port + exit.value)) return out;
    const PortIndex peer = fabric.ports[node.first_port + exit.value].peer;
    if (!fabric.node_of(peer).is_switch()) {
      out.arrives = peer == owner;
      return out;
    }
    const unsigned vl = result.sl_to_vl.empty() ? 0u : result.sl_to_vl.at(sw, in, exit)[sl];
    out.hops.push_back({sw, exit, vl});
    sw = fabric.node_of(peer).switch_index;
    in = fabric.ports[peer].number;
  }
  return out;
}

// Where a host or router hangs: the switch and its port. Behind no switch: kNoIndex.
inline std::pair<SwitchIndex, mad::PortNum> place_of(const Subnet& subnet, PortIndex port) {
  if (!subnet.fabric.is_link_up(port)) return {kNoIndex, {}};
  const PortIndex peer = subnet.fabric.ports[port].peer;
  return {subnet.fabric.node_of(peer).switch_index, subnet.fabric.ports[peer].number};
}

// Whether cables join two switches.
inline std::vector<SwitchIndex> pieces(const Subnet& subnet) {
  std::vector<SwitchIndex> piece(subnet.fabric.switches.size());
  for (SwitchIndex sw = 0; sw < piece.size(); ++sw) piece[sw] = sw;
  for (bool changed = true; changed;) {
    changed = false;
    for (PortIndex port = 0; port < subnet.fabric.ports.size(); ++port) {
      if (!subnet.fabric.is_link_up(port)) continue;
      const SwitchIndex a = subnet.fabric.node_of(port).switch_index,
                        b = subnet.fabric.node_of(subnet.fabric.ports[port].peer).switch_index;
      if (a == kNoIndex || b == kNoIndex || piece[a] <= piece[b]) continue;
      piece[a] = piece[b];
      changed = true;
    }
  }
  return piece;
}

struct Findings {
  std::size_t lost = 0;  // pairs of hosts that cables join, and tables do not
  std::map<Hop, std::set<Hop>> waits;
  std::size_t dependencies() const {
    std::size_t count = 0;
    for (const auto& [hop, next] : waits) count += next.size();
    return count;
  }
  bool has_circle() const {
    // Take away what waits for nothing, until nothing changes.
    auto left = waits;
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

inline Findings follow_all(const Subnet& subnet, const routing::RoutingResult& result) {
  Findings out;
  const std::vector<SwitchIndex> piece = pieces(subnet);
  for (const PortIndex source : subnet.fabric.end_ports) {
    if (subnet.fabric.node_of(source).is_switch() || subnet.lid_of(source) == mad::Lid{}) continue;
    const auto [from, in] = place_of(subnet, source);
    if (from == kNoIndex) continue;
    for (unsigned lid = 1; lid <= subnet.lids.lid_top.value; ++lid) {
      const mad::Lid to{static_cast<std::uint16_t>(lid)};
      const PortIndex owner = subnet.lids.owner(to);
      if (owner == kNoIndex || subnet.fabric.node_of(owner).is_switch()) continue;
      const SwitchIndex home = place_of(subnet, owner).first;
      if (home == kNoIndex) continue;
      const Walk way = walk(subnet, result, from, in, to, result.sls.at(from, to, home).value);
      out.lost += !way.arrives && piece[from] == piece[home] ? 1u : 0u;
      for (std::size_t i = 1; i < way.hops.size(); ++i)
        out.waits[way.hops[i - 1]].insert(way.hops[i]);
    }
  }
  return out;
}

}  // namespace packets
