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

/// Sets what a failed request says of the router.
void set_failure(fabric::Router& router, mad::AttributeId attribute, const HeldBlock& held) {
  router.state = held.failure == Failure::unsupported ? fabric::RouterState::unsupported
                 : held.status == 0                   ? fabric::RouterState::silent
                                                      : fabric::RouterState::refused;
  if (held.failure == Failure::unsupported && held.status == 0) return;  // it was not asked
  router.reason =
      held.status == 0
          ? fmt::format("does not answer SubnGet({})", mad::name(attribute))
          : fmt::format("rejects SubnGet({}): status {:#06x}", mad::name(attribute), held.status);
}

/// Calls `add` for the entries of a router's table that are below `top`, without empty ones.
template <class Table>
void for_each_entry(const DeviceTable& table, mad::Guid node, std::uint32_t top, const auto& add) {
  for (std::uint32_t index = 0; index < top; ++index)
    if (const auto block =
            table.read<Table>({.node = node}, Table::modifier(index / Table::kEntries)))
      if (const auto entry = block->entry(index % Table::kEntries);
          entry != typename Table::Entry{})
        add(entry);
}

std::string name(const fabric::Fabric& fabric, mad::Guid node) {
  const auto found = fabric.node_of_guid.find(node);
  return found == fabric.node_of_guid.end() ? fmt::format("router {}", node)
                                            : fabric.name(found->second);
}

}  // namespace

bool is_router_attribute(mad::AttributeId attribute) {
  return std::ranges::find(kRouterAttributes, attribute) != kRouterAttributes.end();
}

const DeviceTable::Blocks::value_type* failed_router_block(const DeviceTable& table,
                                                           mad::Guid node) {
  for (const auto& entry : node_blocks(table.blocks, node))
    if (is_router_attribute(entry.first.attribute) && entry.second.failure != Failure::none)
      return &entry;
  return nullptr;
}

std::optional<mad::RouterInfo> known_router_info(const DeviceTable& table, mad::Guid node) {
  return failed_router_block(table, node) == nullptr ? table.read<mad::RouterInfo>({.node = node})
                                                     : std::nullopt;
}

std::uint32_t next_hop_top(const mad::RouterInfo& info) {
  return std::min(info.next_hop_top(), RouterDevices::kNextHopsMax);
}

fabric::Routers decide_routers(const fabric::Fabric& fabric, const DeviceTable& table,
                               std::uint64_t own_prefix) {
  fabric::Routers routers;
  for (const fabric::NodeIndex index : fabric.nodes.indices()) {
    const fabric::Node& node = fabric.nodes[index];
    if (node.type != mad::NodeType::router) continue;
    fabric::Router& router = routers.routers.emplace_back();
    router.node = index;
    if (const auto* const failed = failed_router_block(table, node.guid))
      set_failure(router, failed->first.attribute, failed->second);
    const auto info = known_router_info(table, node.guid);
    if (!info) continue;
    router.state = fabric::RouterState::read;
    router.left_out = info->next_hop_top() - next_hop_top(*info);
    router.global_flids = {.first = info->global_router_lid_start(),
                           .last = info->global_router_lid_end()};
    router.local_flids = {.first = info->local_router_lid_start(),
                          .last = info->local_router_lid_end()};
    const auto add = [&](const fabric::RouterEntry& entry) {
      if (!may_be_other(entry.prefix, own_prefix) || mad::p_key_base(entry.p_key) == 0)
        ++router.left_out;
      else
        router.entries.push_back(entry);
    };
    for_each_entry<mad::AdjacentSubnetsTable>(
        table, node.guid, adjacent_top(*info), [&](const auto& entry) {
          add({.prefix = kSiteLocalPrefix | entry.subnet_prefix,
               .p_key = entry.p_key,
               .is_adjacent = true,
               .master_sm_lid = entry.master_sm_lid});
        });
    for_each_entry<mad::NextHopTable>(table, node.guid, next_hop_top(*info),
                                      [&](const auto& entry) {
                                        add({.prefix = entry.subnet_prefix,
                                             .p_key = entry.p_key,
                                             .weight = entry.weight,
                                             .master_sm_lid = {}});
                                      });
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
