#pragma once
// Fabrics that change at random, as the input of an incremental routing.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "routing/registry.h"
#include "sm/ctl/topology/topology.h"
#include "support/fabrics.h"

namespace changing {

using fabrics::Subnet;
using topology::Random;

inline topology::Topology any_topology(Random& random) {
  switch (random.below(5)) {
    case 0:
      return topology::fat_tree({.hosts = 16, .radix = 8, .levels = 2});
    case 1:
      return topology::fat_tree({.hosts = 16, .radix = 4, .levels = 3});
    case 2:
      return topology::torus({.dimensions = {3, 4}, .hosts_per_switch = 1});
    case 3:
      return topology::dragonfly(
          {.switches_per_group = 3, .global_cables = 1, .hosts_per_switch = 1});
    default:
      return topology::random_graph({.switches = 4 + random.below(8),
                                     .hosts = 12,
                                     .extra_links = random.below(10),
                                     .seed = random.below(1000)});
  }
}

using Outcome = tl::expected<routing::ChainResult, routing::Refusal>;
/// By one engine, from the routing `last`; null: from the beginning.
inline Outcome route(const std::string& engine, const Subnet& subnet,
                     const routing::RoutingOptions& options, const routing::ChainResult* last) {
  routing::RoutingInput input{subnet.fabric, subnet.graph, subnet.lids, options};
  if (last == nullptr) return routing::route_with_chain({{engine}}, true, input);
  const routing::PreviousRouting before{*last->memory, last->routing.lfts, last->routing};
  input.previous_routing = &before;
  return routing::route_with_chain({{engine}}, true, input);
}

/// A fabric with random changes. Ports keep their LIDs, as with a subnet manager.
class ChangingFabric {
 public:
  ChangingFabric(Random& random, topology::Topology whole, unsigned lmc)
      : random_(random), whole_(std::move(whole)), lmc_(static_cast<std::uint8_t>(lmc)) {
    link_is_up_.assign(whole_.links.size(), true);
    node_is_up_.assign(whole_.nodes.size(), true);
  }

  /// One link, host or switch; `or_shape`: also others in other places, or many at once.
  void change(bool or_shape = true) {
    if (!or_shape) {
      const std::uint32_t kind = random_.below(10);
      if (kind < 6) return flip(link_is_up_, between_switches());
      if (kind < 9) return flip(node_is_up_, any_node(false));
      return flip(node_is_up_, any_node(true));
    }
    switch (random_.below(8)) {
      case 0:
      case 1:
      case 2:
        return flip(link_is_up_, between_switches());
      case 3:
        return flip(link_is_up_, random_.below(static_cast<std::uint32_t>(whole_.links.size())));
      case 4:
        return flip(node_is_up_, random_.below(static_cast<std::uint32_t>(whole_.nodes.size())));
      case 5:
        return move_host();
      case 6:
        restore_all(random_.percent(50) ? link_is_up_ : node_is_up_);
        return;
      default:
        shift_ = random_.below(7);
        return;  // discovered in another order
    }
  }

  /// A switch with hosts; to be lost or restored by flip_node().
  std::uint32_t any_leaf() {
    while (true) {
      const topology::Link& link =
          whole_.links[random_.below(static_cast<std::uint32_t>(whole_.links.size()))];
      if (is_switch(link.a.node) != is_switch(link.b.node))
        return static_cast<std::uint32_t>(is_switch(link.a.node) ? link.a.node : link.b.node);
    }
  }
  void flip_a_cable() { flip(link_is_up_, between_switches()); }
  /// A link between switches; to be lost or restored by flip_cable().
  std::uint32_t any_cable() { return between_switches(); }
  void flip_cable(std::uint32_t link) { flip(link_is_up_, link); }
  std::vector<std::uint32_t> spines() const {
    std::vector<std::uint32_t> all;
    for (std::uint32_t node = 0; node < whole_.nodes.size(); ++node)
      if (is_switch(node) && !has_hosts(node)) all.push_back(node);
    return all;
  }
  /// A switch without hosts.
  std::uint32_t any_spine() {
    while (true) {
      const std::uint32_t node = any_node(true);
      if (!has_hosts(node)) return node;
    }
  }
  mad::Guid guid(std::uint32_t node) const { return whole_.nodes[node].guid; }
  void flip_node(std::uint32_t node) { flip(node_is_up_, node); }

  /// Links and nodes that are down at present.
  std::size_t missing() const {
    return static_cast<std::size_t>(std::ranges::count(link_is_up_, false) +
                                    std::ranges::count(node_is_up_, false));
  }

  /// Returns this fabric, discovered in another order.
  Subnet discovered_otherwise() {
    const std::size_t shift = std::exchange(shift_, shift_ + 3);
    Subnet out = subnet();
    shift_ = shift;
    return out;
  }

  void repair_one() {
    for (std::vector<bool>* const flags : {&node_is_up_, &link_is_up_}) {
      const auto down = std::ranges::find(*flags, false);
      if (down == flags->end()) continue;
      *down = true;
      return;
    }
  }

  Subnet subnet() {
    topology::Topology now;
    std::vector<std::size_t> index(whole_.nodes.size());
    for (std::size_t i = 0; i < whole_.nodes.size(); ++i) {
      const std::size_t node = (i + shift_) % whole_.nodes.size();
      if (!node_is_up_[node]) continue;
      index[node] = now.nodes.size();
      now.nodes.push_back(whole_.nodes[node]);
    }
    for (std::size_t i = 0; i < whole_.links.size(); ++i) {
      topology::Link link = whole_.links[i];
      if (!link_is_up_[i] || !node_is_up_[link.a.node] || !node_is_up_[link.b.node]) continue;
      link.a.node = index[link.a.node];
      link.b.node = index[link.b.node];
      now.links.push_back(link);
    }
    fabric::Fabric fabric = fabrics::from_topology(now);
    fabric::LidMap lids;
    lids.of_end_port.resize(fabric.end_ports.size());
    for (const fabric::EndPortIndex i : fabric.end_ports.indices()) {
      const fabric::PortIndex port = fabric.end_ports[i];
      const std::uint8_t lmc = fabric.owning_node(port).is_switch() ? 0 : lmc_;
      auto [known, is_new] = lid_of_.try_emplace(fabric.ports[port].guid.value, next_lid_);
      if (is_new) next_lid_ = static_cast<std::uint16_t>(next_lid_ + (1u << lmc_));
      lids.of_end_port[i] = {mad::Lid{known->second}, lmc};
      lids.lid_top = std::max(
          lids.lid_top, mad::Lid{static_cast<std::uint16_t>(known->second + (1u << lmc) - 1)});
    }
    lids.port_of_lid.assign(lids.lid_top.value + std::size_t{1}, fabric::kNoIndex);
    for (const fabric::EndPortIndex i : fabric.end_ports.indices())
      for (unsigned k = 0; k < lids.of_end_port[i].count(); ++k)
        lids.port_of_lid[lids.of_end_port[i].base.value + k] = fabric.end_ports[i];
    return {std::move(fabric), std::move(lids)};
  }

 private:
  bool is_switch(std::size_t node) const {
    return whole_.nodes[node].type == topology::NodeType::switch_;
  }
  bool has_hosts(std::uint32_t node) const {
    return std::ranges::any_of(whole_.links, [&](const topology::Link& link) {
      return (link.a.node == node && !is_switch(link.b.node)) ||
             (link.b.node == node && !is_switch(link.a.node));
    });
  }
  std::uint32_t between_switches() {
    for (int tries = 0; tries < 50; ++tries) {
      const std::uint32_t link = random_.below(static_cast<std::uint32_t>(whole_.links.size()));
      if (is_switch(whole_.links[link].a.node) && is_switch(whole_.links[link].b.node)) return link;
    }
    return 0;
  }
  std::uint32_t any_node(bool switches) {
    for (int tries = 0; tries < 50; ++tries) {
      const std::uint32_t node = random_.below(static_cast<std::uint32_t>(whole_.nodes.size()));
      if (is_switch(node) == switches) return node;
    }
    return 0;
  }
  static void restore_all(std::vector<bool>& flags) { flags.assign(flags.size(), true); }
  static void flip(std::vector<bool>& flags, std::size_t at) { flags[at] = !flags[at]; }
  void move_host() {
    // Exchange two hosts.
    std::vector<topology::PortRef*> ends;
    for (topology::Link& link : whole_.links)
      for (topology::PortRef* end : {&link.a, &link.b})
        if (!is_switch(end->node)) ends.push_back(end);
    if (ends.size() < 2) return;
    topology::PortRef& one = *ends[random_.below(static_cast<std::uint32_t>(ends.size()))];
    topology::PortRef& other = *ends[random_.below(static_cast<std::uint32_t>(ends.size()))];
    std::swap(one, other);
  }

  Random& random_;
  topology::Topology whole_;
  std::uint8_t lmc_;
  std::vector<bool> link_is_up_, node_is_up_;
  std::size_t shift_ = 0;
  std::map<std::uint64_t, std::uint16_t> lid_of_;
  std::uint16_t next_lid_ = 2;
};

}  // namespace changing
