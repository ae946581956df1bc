#include "fabric/routers.h"

#include <algorithm>
#include <map>

namespace fabric {

std::string_view text(RouterState state) {
  switch (state) {
    case RouterState::not_read:
      return "not read yet";
    case RouterState::read:
      return "tables are read";
    case RouterState::unsupported:
      return "has no tables that can be read";
    case RouterState::refused:
      return "rejects requests about its tables";
    case RouterState::silent:
      return "does not answer requests about its tables";
  }
  return "";
}

const OtherSubnet* Routers::find(std::uint64_t prefix) const {
  const auto found = std::ranges::lower_bound(subnets, prefix, {}, &OtherSubnet::prefix);
  return found == subnets.end() || found->prefix != prefix ? nullptr : &*found;
}

const Router* Routers::find(NodeIndex node) const {
  const auto found = std::ranges::find(routers, node, &Router::node);
  return found == routers.end() ? nullptr : &*found;
}

std::vector<std::uint64_t> Routers::unreachable() const {
  std::vector<std::uint64_t> prefixes;
  for (const LostGateway& gateway : lost)
    if ((prefixes.empty() || prefixes.back() != gateway.prefix) && find(gateway.prefix) == nullptr)
      prefixes.push_back(gateway.prefix);
  return prefixes;
}

void index_subnets(const Fabric& fabric, Routers& routers) {
  std::map<std::uint64_t, OtherSubnet> subnets;
  for (const Router& router : routers.routers) {
    const Node& node = fabric.nodes[router.node];
    for (PortIndex port = node.first_port; port < node.first_port + node.num_ports; ++port) {
      if (!fabric.is_end_port(port) || fabric.ports[port].peer == kNoIndex) continue;
      for (const RouterEntry& entry : router.entries) {
        OtherSubnet& subnet = subnets[entry.prefix];
        subnet.prefix = entry.prefix;
        subnet.gateways.push_back({.port = port,
                                   .p_key = entry.p_key,
                                   .is_adjacent = entry.is_adjacent,
                                   .weight = entry.weight});
      }
    }
  }
  routers.subnets.clear();
  for (auto& [prefix, subnet] : subnets) routers.subnets.push_back(std::move(subnet));
}

}  // namespace fabric
