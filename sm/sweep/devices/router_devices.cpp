#include "sm/sweep/devices/router_devices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "mad/format.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

constexpr std::uint64_t kDefaultPrefix = 0xFE80000000000000, kSiteLocalPrefix = 0xFEC0000000000000;
constexpr unsigned kMulticastPrefix = 0xFF;  // its first byte
constexpr std::size_t kExamples = 5;         // ports that a condition names

/// True if a subnet other than this one can have the prefix.
bool may_be_other(std::uint64_t prefix, std::uint64_t own_prefix) {
  return prefix != 0 && prefix != own_prefix && prefix != kDefaultPrefix &&
         prefix >> 56 != kMulticastPrefix;
}

std::string name(const fabric::Fabric& fabric, mad::Guid node) {
  const auto found = fabric.node_of_guid.find(node);
  return found == fabric.node_of_guid.end() ? fmt::format("router {}", node)
                                            : fabric.name(found->second);
}

}  // namespace

void RouterDevice::take(const mad::RouterInfo& now) {
  adjacent_due =
      adjacent_due || !info || now.adj_table_change() || now.adj_top() != info->adj_top();
  next_hops_due =
      next_hops_due || !info || now.next_hop_change() || now.next_hop_top() != info->next_hop_top();
  info = now;
  silent_times = 0;
  state = fabric::RouterState::read;
  reason.clear();
}

void RouterDevices::update_from(const fabric::Fabric& fabric) {
  std::erase_if(of_node, [&](const auto& of) { return !fabric.node_of_guid.contains(of.first); });
}

fabric::Routers decide_routers(const fabric::Fabric& fabric, const RouterDevices& devices,
                               std::uint64_t own_prefix) {
  fabric::Routers routers;
  for (const fabric::NodeIndex index : fabric.nodes.indices()) {
    const fabric::Node& node = fabric.nodes[index];
    if (node.type != mad::NodeType::router) continue;
    fabric::Router& router = routers.routers.emplace_back();
    router.node = index;
    const auto found = devices.of_node.find(node.guid);
    if (found == devices.of_node.end()) continue;
    const RouterDevice& device = found->second;
    router.state = device.state;
    router.reason = device.reason;
    if (device.state != fabric::RouterState::read) continue;
    router.left_out = device.info->next_hop_top() -
                      std::min(device.info->next_hop_top(), RouterDevices::kNextHopsMax);
    router.global_flids = {.first = device.info->global_router_lid_start(),
                           .last = device.info->global_router_lid_end()};
    router.local_flids = {.first = device.info->local_router_lid_start(),
                          .last = device.info->local_router_lid_end()};
    const auto add = [&](const fabric::RouterEntry& entry) {
      if (!may_be_other(entry.prefix, own_prefix) || mad::p_key_base(entry.p_key) == 0)
        ++router.left_out;
      else
        router.entries.push_back(entry);
    };
    for (const auto& entry : device.adjacent)
      add({.prefix = kSiteLocalPrefix | entry.subnet_prefix,
           .p_key = entry.p_key,
           .is_adjacent = true,
           .master_sm_lid = entry.master_sm_lid});
    for (const auto& entry : device.next_hops)
      add({.prefix = entry.subnet_prefix,
           .p_key = entry.p_key,
           .weight = entry.weight,
           .master_sm_lid = {}});
    const auto key = [](const fabric::RouterEntry& entry) {
      return std::tuple(entry.prefix, mad::p_key_base(entry.p_key), !entry.is_adjacent);
    };
    std::ranges::sort(router.entries, {}, key);
    const auto same = [](const fabric::RouterEntry& a, const fabric::RouterEntry& b) {
      return a.prefix == b.prefix && mad::p_key_base(a.p_key) == mad::p_key_base(b.p_key);
    };
    router.entries.erase(std::unique(router.entries.begin(), router.entries.end(), same),
                         router.entries.end());
  }
  index_subnets(fabric, routers);
  return routers;
}

std::vector<fabric::Condition> router_table_conditions(const fabric::Fabric& fabric,
                                                       const fabric::Routers& routers) {
  std::vector<fabric::Condition> active;
  for (const fabric::Router& router : routers.routers) {
    std::string what;
    if (router.state == fabric::RouterState::refused || router.state == fabric::RouterState::silent)
      what = router.reason.empty() ? std::string(fabric::text(router.state)) : router.reason;
    else if (router.left_out > 0)
      what = fmt::format(
          "{} entr{} of its tables cannot be used: no other subnet of a partition, "
          "or above what is kept",
          router.left_out, router.left_out == 1 ? "y" : "ies");
    if (what.empty()) continue;
    active.push_back({.id = kRouterConditions.router_tables_unusable,
                      .text = fmt::format("router {}: {}", fabric.name(router.node), what),
                      .guid = fabric.nodes[router.node].guid});
  }
  return active;
}

std::vector<fabric::Condition> RouterAliases::conditions(const fabric::Fabric& fabric) const {
  std::set<mad::Guid> lacking = without_entry;
  for (const auto& [port, block] : due) lacking.insert(port);
  if (lacking.empty()) return {};
  std::vector<std::string> examples;
  for (const mad::Guid guid : lacking) {
    const auto port = fabric.port_of_guid.find(guid);
    if (port == fabric.port_of_guid.end()) continue;
    if (examples.size() == kExamples) break;
    examples.push_back(fmt::format("{}{}", fabric.port_name(port->second),
                                   without_entry.contains(guid) ? " (no free entry)" : ""));
  }
  return {{.id = kRouterConditions.router_alias_missing,
           .text = fmt::format("{} end port{} the alias GUID with {} LID: {}{}", lacking.size(),
                               lacking.size() == 1 ? " lacks" : "s lack",
                               lacking.size() == 1 ? "its" : "their", fmt::join(examples, ", "),
                               lacking.size() > examples.size() ? ", ..." : ""),
           .guid = {}}};
}

std::vector<fabric::Condition> RouterDevices::note_losses(const fabric::Fabric& fabric,
                                                          fabric::Routers& routers,
                                                          mad::TimePoint now) {
  for (auto& [prefix, routers_there] : led)
    for (auto& [node, until] : routers_there)
      if (!until) until = now;
  for (const fabric::OtherSubnet& subnet : routers.subnets) {
    if (!led.contains(subnet.prefix) && led.size() >= kSubnetsRemembered) continue;
    LedUntil& there = led[subnet.prefix];
    for (const auto& gateway : subnet.gateways) {
      const mad::Guid node = fabric.owning_node(gateway.port).guid;
      if (there.contains(node) || there.size() < kRoutersRemembered) there[node] = std::nullopt;
    }
  }
  std::vector<fabric::Condition> active;
  for (auto& [prefix, routers_there] : led) {
    std::erase_if(routers_there,
                  [&](const auto& of) { return of.second && now - *of.second > kLossLasts; });
    std::vector<std::string> lost;
    for (const auto& [node, until] : routers_there) {
      if (!until) continue;
      lost.push_back(name(fabric, node));
      routers.lost.push_back({.prefix = prefix, .router = node});
    }
    if (lost.empty()) continue;
    if (lost.size() == routers_there.size()) {
      active.push_back({.id = kRouterConditions.subnet_unreachable,
                        .text = fmt::format("subnet {:#018x} cannot be reached: no router leads "
                                            "there; those that did: {}",
                                            prefix, fmt::join(lost, ", ")),
                        .guid = {}});
      continue;
    }
    for (const auto& [node, until] : routers_there)
      if (until)
        active.push_back(
            {.id = kRouterConditions.router_lost,
             .text = fmt::format("{} no longer leads to subnet {:#018x}; {} other "
                                 "router{} there",
                                 name(fabric, node), prefix, routers_there.size() - lost.size(),
                                 routers_there.size() - lost.size() == 1 ? " leads" : "s lead"),
             .guid = node});
  }
  std::erase_if(led, [](const auto& of) { return of.second.empty(); });
  return active;
}

}  // namespace sm
