#include "sm/sweep/devices/link_restarts.h"

#include <algorithm>
#include <set>

#include "fabric/connected_switches.h"

namespace sm {
namespace {

/// Returns the hops from the manager to the port's node.
std::size_t distance(const Fabric& fabric, PortIndex port) {
  const auto route = fabric.route_to(port);
  return route ? route->hops().size() : SIZE_MAX;
}

bool is_between_switches(const Fabric& fabric, PortIndex port) {
  return fabric.owning_node(port).is_switch() &&
         fabric.owning_node(fabric.ports[port].peer).is_switch();
}

using Distances = std::map<PortIndex, std::size_t>;

/// Returns the nearer end of each link, with its distance.
Distances nearer_ends(const Fabric& fabric, std::span<const PortIndex> pending) {
  Distances near;
  for (const PortIndex port : pending) {
    const PortIndex peer = fabric.ports[port].peer;
    const std::size_t here = distance(fabric, port), there = distance(fabric, peer);
    const bool own = here < there || (here == there && port < peer);
    near.emplace(own ? port : peer, std::min(here, there));
  }
  return near;
}

/// Groups links of one distance, the farthest first. `links`: by distance.
std::vector<std::vector<PortIndex>> group_by_distance(const std::vector<PortIndex>& links,
                                                      const Distances& near) {
  std::vector<std::vector<PortIndex>> groups;
  for (auto port = links.rbegin(); port != links.rend(); ++port) {
    if (groups.empty() || near.at(groups.back().front()) != near.at(*port)) groups.emplace_back();
    groups.back().push_back(*port);
  }
  return groups;
}

}  // namespace

std::vector<std::vector<PortIndex>> links_to_restart(const Fabric& fabric,
                                                     std::span<const PortIndex> pending) {
  const Distances near = nearer_ends(fabric, pending);
  std::vector<PortIndex> links;
  links.reserve(near.size());
  for (const auto& [port, hops] : near) links.push_back(port);
  std::ranges::sort(links, {}, [&](PortIndex port) { return std::pair(near.at(port), port); });

  ConnectedSwitches components(fabric.switches.size());
  const auto find_switches = [&](PortIndex port) {
    return std::pair(fabric.owning_node(port).switch_index,
                     fabric.owning_node(fabric.ports[port].peer).switch_index);
  };
  std::map<NodeIndex, unsigned> other_links;  // of CAs and routers: links that stay up
  const auto end_node = [&](PortIndex port) {
    const PortIndex peer = fabric.ports[port].peer;
    return fabric.ports[fabric.owning_node(port).is_switch() ? peer : port].node;
  };
  for (const PortIndex port : fabric.ports.indices()) {
    if (!fabric.is_link_up(port) || port > fabric.ports[port].peer || near.contains(port) ||
        near.contains(fabric.ports[port].peer))
      continue;
    if (is_between_switches(fabric, port)) {
      const auto [a, b] = find_switches(port);
      if (!fabric.is_kept_out(port)) components.connect(a, b);
    } else {
      ++other_links[end_node(port)];
    }
  }
  std::map<NodeIndex, unsigned> pending_links;  // of CAs and routers
  for (const PortIndex port : links) {
    if (!is_between_switches(fabric, port)) ++pending_links[end_node(port)];
  }
  std::vector<PortIndex> now, later;
  for (const PortIndex port : links) {
    const PortIndex peer = fabric.ports[port].peer;
    bool redundant = false;
    if (port == fabric.sm_port || peer == fabric.sm_port) {
      redundant = false;
    } else if (is_between_switches(fabric, port)) {
      const auto [a, b] = find_switches(port);
      redundant = !components.connect(a, b);
    } else {
      const NodeIndex node = end_node(port);
      redundant = pending_links[node] == 1 || other_links[node]++ > 0;  // one of several stays
    }
    (redundant ? now : later).push_back(port);
  }
  if (now.empty()) {
    const auto own = std::ranges::find_if(later, [&](PortIndex port) {
      return port == fabric.sm_port || fabric.ports[port].peer == fabric.sm_port;
    });
    if (later.size() > 1 && own != later.end()) later.erase(own);
    now = std::move(later);
  }
  return group_by_distance(now, near);
}

void LinkRestarts::begin(const Fabric& fabric, mad::TimePoint now) {
  now_ = now;
  std::erase_if(down_, [&](const auto& entry) {
    const auto& [end, until] = entry;
    const auto node = fabric.node_of_guid.find(end.first);
    return until <= now || node == fabric.node_of_guid.end() ||
           fabric.is_link_up(fabric.port(node->second, end.second));
  });
}

void LinkRestarts::note(const Fabric& fabric, PortIndex port) {
  down_[{fabric.owning_node(port).guid, fabric.ports[port].number}] = now_ + kWait;
}

}  // namespace sm
