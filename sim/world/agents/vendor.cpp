// NVIDIA's attributes beyond the specification: simulated ones are announced, others are refused.

#include <algorithm>

#include "mad/attributes/router_info.h"
#include "mad/attributes/vendor.h"
#include "sim/world/agents/agents.h"
#include "sim/world/ca_vports.h"
#include "sim/world/vendor_features.h"

namespace sim {
namespace {

using mad::AttributeId;
using mad::GeneralCapability;
using mad::Method;
namespace status = mad::status;

constexpr std::uint32_t kVendor = 0x0002C9;
constexpr std::size_t kBlocksMax =
    1u << 14;  // of a node's tables with unknown modifiers: bounds the memory

constexpr std::pair<std::uint16_t, std::uint32_t> make_key(AttributeId attribute,
                                                           std::uint32_t modifier = 0) {
  return {static_cast<std::uint16_t>(attribute), modifier};
}

template <class A>
A kept(const RawAttributes& raw, std::uint32_t modifier = 0) {
  const auto found = raw.find(make_key(A::kId, modifier));
  return found == raw.end() ? A{}
                            : A(std::span(found->second).template first<mad::kAttributeBytes>());
}
template <class A>
void keep(RawAttributes& raw, const A& attribute, std::uint32_t modifier = 0) {
  std::ranges::copy(attribute.bytes(), raw[make_key(A::kId, modifier)].begin());
}

template <class A, std::size_t n>
void take(A& into, const A& from, const std::array<mad::Field, n>& fields) {
  for (const mad::Field& field : fields)
    mad::write(into.bytes(), field, mad::read(from.bytes(), field));
}
template <class A, std::size_t n>
void forget(A& attribute, const std::array<mad::Field, n>& fields) {
  take(attribute, A{}, fields);
}

/// Stores a table block as written.
Verdict keep_block(RawAttributes& raw, mad::SmpView smp) {
  const auto key = make_key(smp.attribute_id(), smp.attribute_modifier());
  if (smp.method() == Method::set) {
    if (raw.size() >= kBlocksMax && !raw.contains(key)) return status::kInvalidValue;
    std::ranges::copy(smp.data(), raw[key].begin());
    return status::kOk;
  }
  const auto found = raw.find(key);
  if (found == raw.end()) {
    std::ranges::fill(smp.data(), std::uint8_t{0});
  } else {
    smp.set_data(std::span(found->second).first<mad::kAttributeBytes>());
  }
  return status::kOk;
}

// ------------------------------------------------------------------------------------------
// capabilities of a node

constexpr std::array kPrivateLftSettings{mad::PrivateLftInfo::field<"ActiveMode">()};

bool has_adaptive_routing(const NodeModel& node) {
  return node.is_switch() && node.sw->adaptive != nullptr;
}
bool has_private_lft(const NodeModel& node) {
  return node.raw.contains(make_key(AttributeId::private_lft_info));
}
bool has_virtualization(const PortModel& port) { return virtualization_info(port).vport_cap() > 0; }

Verdict serve_general_info(const Arrival& arrival, mad::SmpView smp) {
  if (smp.method() != Method::get || smp.attribute_modifier() != mad::GeneralInfo::kCapabilityMask)
    return status::kMethodAttributeUnsupported;
  const NodeModel& node = arrival.at();
  const bool vports = has_virtualization(arrival.world.model.ports[arrival.entry]);
  mad::GeneralInfo info;
  info.set(GeneralCapability::ext_port_info);
  info.set(GeneralCapability::ext_node_info);
  info.set(GeneralCapability::qos_config_sl_rate_limit);
  info.set(GeneralCapability::qos_config_vl);
  info.set(GeneralCapability::qos_config_sl_rate_limit_vports, vports);
  info.set(GeneralCapability::virtualization, vports);
  info.set(GeneralCapability::ext_switch_info, node.is_switch());
  info.set(GeneralCapability::out_of_order, node.puts_in_order);
  info.set(GeneralCapability::adaptive_timeout, node.has_adaptive_timeout);
  info.set(GeneralCapability::adaptive_routing_rev1, has_adaptive_routing(node));
  info.set(GeneralCapability::private_lft, has_private_lft(node));
  info.set(GeneralCapability::port_sl_to_private_lft, has_private_lft(node));
  smp.set_data(info.bytes());
  return status::kOk;
}

PortIndex addressed(const Arrival& arrival, std::uint32_t modifier) {
  return arrival.at().is_switch() ? arrival.world.model.port(arrival.node, modifier & 0xFFu)
                                  : arrival.entry;
}

/// FDR10 is a setting only: links do not train differently with it. A mask of SLs that the device
/// does not support stays 0.
Verdict serve_ext_port_info(const Arrival& arrival, mad::SmpView smp) {
  const PortIndex port = addressed(arrival, smp.attribute_modifier());
  if (port == kNone) return status::kInvalidValue;
  const auto& extras = arrival.world.model.ports[port].extras;
  mad::MlnxExtPortInfo info =
      extras ? kept<mad::MlnxExtPortInfo>(extras->raw) : mad::MlnxExtPortInfo{};
  std::uint16_t verdict = status::kOk;
  if (smp.method() == Method::set) {
    const mad::MlnxExtPortInfo requested(smp.data());
    if ((requested.link_speed_enabled() & ~info.link_speed_supported()) != 0) {
      verdict = status::kInvalidValue;
    } else {
      info.set_state_change_enable(requested.state_change_enable());
      info.set_link_speed_enabled(requested.link_speed_enabled());
      if (arrival.at().puts_in_order) info.set_ooo_sl_mask(requested.ooo_sl_mask());
      if (arrival.at().has_adaptive_timeout)
        info.set_adaptive_timeout_sl_mask(requested.adaptive_timeout_sl_mask());
      keep(arrival.world.model.extras(port).raw, info);
    }
  }
  smp.set_data(info.bytes());
  return verdict;
}

Verdict serve_extended_node_info(const Arrival& arrival, mad::SmpView smp) {
  NodeModel& node = arrival.at();
  auto info = kept<mad::ExtendedNodeInfo>(node.raw);
  if (smp.method() == Method::set) {
    info.set_sl2_vl_act(mad::ExtendedNodeInfo(smp.data()).sl2_vl_act());
    keep(node.raw, info);
  }
  smp.set_data(info.bytes());
  return status::kOk;
}

Verdict serve_extended_switch_info(const Arrival& arrival, mad::SmpView smp) {
  constexpr std::array kSettings{
      mad::ExtendedSwitchInfo::field<"ISSUApprove">(), mad::ExtendedSwitchInfo::field<"ReqDelay">(),
      mad::ExtendedSwitchInfo::field<"SetTrigTh">(), mad::ExtendedSwitchInfo::field<"RstTrigTh">(),
      mad::ExtendedSwitchInfo::field<"ReqTrigWindow">()};
  NodeModel& node = arrival.at();
  auto info = kept<mad::ExtendedSwitchInfo>(node.raw);
  if (smp.method() == Method::set) {
    take(info, mad::ExtendedSwitchInfo(smp.data()), kSettings);
    keep(node.raw, info);
  }
  smp.set_data(info.bytes());
  return status::kOk;
}

// ------------------------------------------------------------------------------------------
// switches

Verdict serve_private_lft_info(const Arrival& arrival, mad::SmpView smp) {
  NodeModel& node = arrival.at();
  auto info = kept<mad::PrivateLftInfo>(node.raw);
  std::uint16_t verdict = status::kOk;
  if (smp.method() == Method::set) {
    const std::uint8_t mode = mad::PrivateLftInfo(smp.data()).active_mode();
    if (mode <= info.mode_cap()) {
      info.set_active_mode(mode);
      keep(node.raw, info);
    } else {
      verdict = status::kInvalidValue;
    }
  }
  smp.set_data(info.bytes());
  return verdict;
}

// ------------------------------------------------------------------------------------------
// routers

constexpr std::array kRouterSettings{mad::RouterInfo::field<"NextHopTop">(),
                                     mad::RouterInfo::field<"AdjSubnetsRouterLIDInfoTop">(),
                                     mad::RouterInfo::field<"GlobalRouterLIDStart">(),
                                     mad::RouterInfo::field<"GlobalRouterLIDEnd">(),
                                     mad::RouterInfo::field<"LocalRouterLIDStart">(),
                                     mad::RouterInfo::field<"LocalRouterLIDEnd">()};
constexpr std::uint32_t kNextHopCap = 256;
constexpr std::uint8_t kAdjacentCap = 16;

/// Returns the tables of the port; each port of a router shows what is behind the other ports.
RawAttributes& router_tables(const Arrival& arrival) {
  return arrival.world.model.extras(arrival.management_port()).raw;
}

Verdict serve_router_info(const Arrival& arrival, mad::SmpView smp) {
  RawAttributes& raw = router_tables(arrival);
  auto info = kept<mad::RouterInfo>(raw);
  info.set_next_hop_cap(kNextHopCap);
  info.set_adj_cap(kAdjacentCap);
  std::uint16_t verdict = status::kOk;
  if (smp.method() == Method::set) {
    const mad::RouterInfo requested(smp.data());
    if (requested.next_hop_top() > kNextHopCap ||
        requested.adj_subnets_router_lid_info_top() > kAdjacentCap) {
      verdict = status::kInvalidValue;
    } else {
      take(info, requested, kRouterSettings);
      if (requested.adj_table_change()) info.set_adj_table_change(false);
      if (requested.next_hop_change()) info.set_next_hop_change(false);
      if (requested.adj_lid_info_change()) info.set_adj_lid_info_change(false);
      if (requested.router_lid_change()) info.set_router_lid_change(false);
      if (requested.adj_subnets_lid_info_change()) info.set_adj_subnets_lid_info_change(false);
      keep(raw, info);
    }
  }
  smp.set_data(info.bytes());
  return verdict;
}

Verdict serve_router_table(const Arrival& arrival, mad::SmpView smp, std::uint32_t capacity,
                           std::uint32_t entries) {
  return smp.attribute_modifier() < (capacity + entries - 1) / entries
             ? keep_block(router_tables(arrival), smp)
             : status::kInvalidValue;
}

Verdict serve_router(const Arrival& arrival, mad::SmpView smp) {
  switch (smp.attribute_id()) {
    case AttributeId::router_info:
      return serve_router_info(arrival, smp);
    case AttributeId::next_hop_table:
      return serve_router_table(arrival, smp, kNextHopCap, mad::NextHopTable::kEntries);
    default:
      return serve_router_table(arrival, smp, kAdjacentCap, mad::AdjacentSubnetsTable::kEntries);
  }
}

// ------------------------------------------------------------------------------------------
// ports

/// Serves the attribute of a port, or that of a vport if the highest bit is set.
Verdict serve_qos(const Arrival& arrival, mad::SmpView smp) {
  Model& model = arrival.world.model;
  const std::uint32_t modifier = smp.attribute_modifier();
  PortIndex port = arrival.entry;
  if ((modifier & mad::QosConfigSl::kVPort) != 0) {
    const auto index = modifier & ~mad::QosConfigSl::kVPort;
    const PortModel& of = model.ports[port];
    if (!has_vports(of) || index > 0xFFFF ||
        (index != 0 && !of.extras->vports.contains(static_cast<std::uint16_t>(index))))
      return status::kInvalidValue;
  } else {
    port = modifier > 0xFF ? kNone : addressed(arrival, modifier);
  }
  return port == kNone ? status::kInvalidValue : keep_block(model.extras(port).raw, smp);
}

}  // namespace

Verdict serve_vendor_attribute(const Arrival& arrival, mad::SmpView smp) {
  NodeModel& node = arrival.at();
  if (node.info.vendor_id() != kVendor) return status::kMethodAttributeUnsupported;
  const bool ar = has_adaptive_routing(node), plft = has_private_lft(node),
             router = node.info.node_type() == mad::NodeType::router;
  const auto only_if = [](bool there, auto serve) -> Verdict {
    return there ? serve() : Verdict{status::kMethodAttributeUnsupported};
  };
  switch (smp.attribute_id()) {
    case AttributeId::general_info:
      return serve_general_info(arrival, smp);
    case AttributeId::mlnx_ext_port_info:
      return serve_ext_port_info(arrival, smp);
    case AttributeId::extended_node_info:
      return serve_extended_node_info(arrival, smp);
    case AttributeId::extended_switch_info:
      return only_if(node.is_switch(), [&] { return serve_extended_switch_info(arrival, smp); });
    case AttributeId::qos_config_sl:
    case AttributeId::qos_config_vl:
      return serve_qos(arrival, smp);

    case AttributeId::adaptive_routing_info:
    case AttributeId::ar_group_table:
    case AttributeId::ar_group_table_copy:
    case AttributeId::ar_linear_forwarding_table:
    case AttributeId::pfrn_config:
      return serve_adaptive_routing(arrival, smp);
    case AttributeId::rn_gen_string:
    case AttributeId::rn_rcv_string:
    case AttributeId::rn_sub_group_direction:
    case AttributeId::rn_xmit_port_mask:
    case AttributeId::rn_gen_by_sub_group_priority:
      return only_if(ar, [&] { return keep_block(node.raw, smp); });
    case AttributeId::hbf_config:
      return only_if(ar && node.sw->adaptive->info.hbf_sup(),
                     [&] { return keep_block(node.raw, smp); });
    case AttributeId::whbf_config:
      return only_if(ar && node.sw->adaptive->info.whbf_sup(),
                     [&] { return keep_block(node.raw, smp); });

    case AttributeId::private_lft_info:
      return only_if(plft, [&] { return serve_private_lft_info(arrival, smp); });
    case AttributeId::private_lft_def:
    case AttributeId::private_lft_map:
    case AttributeId::port_sl_to_private_lft_map:
      return only_if(plft, [&] { return keep_block(node.raw, smp); });

    case AttributeId::router_info:
    case AttributeId::next_hop_table:
    case AttributeId::adjacent_subnets_table:
      return only_if(router, [&] { return serve_router(arrival, smp); });

    default:
      return serve_virtualization(arrival, smp);
  }
}

Verdict serve_hierarchy_info(const Arrival& arrival, mad::SmpView smp) {
  if (smp.method() != Method::get) return status::kMethodAttributeUnsupported;
  const PortIndex port = addressed(arrival, smp.attribute_modifier());
  if (port == kNone) return status::kInvalidValue;
  if ((arrival.world.model.ports[port].info.capability_mask() & mad::capability::kHierarchyInfo) ==
      0)
    return status::kMethodAttributeUnsupported;
  const auto index = static_cast<std::uint8_t>(smp.attribute_modifier() >> 8);
  const auto found = arrival.at().raw.find(
      make_key(AttributeId::hierarchy_info,
               mad::HierarchyInfo::modifier(index, {arrival.world.model.ports[port].number})));
  if (found == arrival.at().raw.end()) return status::kInvalidValue;
  smp.set_data(std::span(found->second).first<mad::kAttributeBytes>());
  return status::kOk;
}

// ------------------------------------------------------------------------------------------
// for tests and the console

mad::AdaptiveRoutingInfo usual_adaptive_routing() {
  mad::AdaptiveRoutingInfo info;
  info.set_by_sl_cap(true);
  info.set_by_transport_cap(true);
  info.set_group_table_copy_sup(1);
  info.set_sub_groups_sup(1);
  info.set_arn_sup(true);
  info.set_frn_sup(true);
  info.set_fr_sup(true);
  info.set_group_cap(2048);
  info.set_rn_version_cap(1);
  info.set_ar_version_cap(1);
  return info;
}

mad::AdaptiveRoutingInfo basic_adaptive_routing() {
  mad::AdaptiveRoutingInfo info;
  info.set_by_sl_cap(true);
  info.set_group_cap(1024);
  info.set_ar_version_cap(1);
  return info;
}

mad::AdaptiveRoutingInfo pfrn_adaptive_routing() {
  mad::AdaptiveRoutingInfo info = usual_adaptive_routing();
  info.set_pfrn_sup(true);
  info.set_group_cap(4095);
  return info;
}

std::span<const AdaptiveKind> adaptive_kinds() {
  static constexpr std::array kKinds{AdaptiveKind{"basic", basic_adaptive_routing},
                                     AdaptiveKind{"recovery", usual_adaptive_routing},
                                     AdaptiveKind{"pfrn", pfrn_adaptive_routing}};
  return kKinds;
}

bool enable_adaptive_routing(Model& model, NodeIndex index,
                             const mad::AdaptiveRoutingInfo& capabilities) {
  NodeModel& node = model.nodes[index];
  if (!node.is_switch()) return false;
  node.sw->adaptive = std::make_unique<ArSwitch>(capabilities, node.port_count());
  return true;
}

std::size_t make_adaptive(Model& model, const mad::AdaptiveRoutingInfo& capabilities,
                          const std::function<bool(const NodeModel&)>& which) {
  std::size_t switches = 0;
  for (const NodeIndex index : model.nodes.indices()) {
    NodeModel& node = model.nodes[index];
    if (which && !which(node)) continue;
    switches += enable_adaptive_routing(model, index, capabilities);
    if (node.info.node_type() == mad::NodeType::ca)
      node.puts_in_order = node.has_adaptive_timeout = true;
  }
  return switches;
}

bool enable_private_lft(Model& model, NodeIndex index, const mad::PrivateLftInfo& capabilities) {
  NodeModel& node = model.nodes[index];
  if (!node.is_switch()) return false;
  keep(node.raw, capabilities);
  return true;
}

void support_fdr10(Model& model, PortIndex port) {
  mad::MlnxExtPortInfo info;
  info.set_link_speed_supported(mad::MlnxExtPortInfo::kFdr10);
  keep(model.extras(port).raw, info);
}

void set_hierarchy(Model& model, PortIndex port, std::span<const mad::HierarchyInfo> levels) {
  PortModel& of = model.ports[port];
  NodeModel& node = model.owning_node(port);
  std::erase_if(node.raw, [&](const auto& each) {
    return each.first.first == static_cast<std::uint16_t>(AttributeId::hierarchy_info) &&
           (each.first.second & 0xFFu) == of.number;
  });
  for (std::size_t index = 0; index < levels.size(); ++index) {
    keep(node.raw, levels[index],
         mad::HierarchyInfo::modifier(static_cast<std::uint8_t>(index), {of.number}));
  }
  const std::uint32_t others = of.info.capability_mask() & ~mad::capability::kHierarchyInfo;
  of.info.set_capability_mask(others | (levels.empty() ? 0 : mad::capability::kHierarchyInfo));
}

namespace {

/// Writes the entries, and empties the blocks behind them. Returns true if a block changed.
template <class Table>
bool show_table(RawAttributes& raw, std::span<const typename Table::Entry> entries,
                std::uint32_t top_before) {
  const std::size_t top = std::max<std::size_t>(entries.size(), top_before);
  bool differs = entries.size() != top_before;
  for (std::uint32_t block = 0; block * Table::kEntries < top; ++block) {
    Table table;
    for (unsigned index = 0; index < Table::kEntries; ++index)
      if (const std::size_t at = block * Table::kEntries + index; at < entries.size())
        table.set_entry(index, entries[at]);
    differs = differs || kept<Table>(raw, block) != table;
    keep(raw, table, block);
  }
  return differs;
}

}  // namespace

bool show_router_tables(Model& model, PortIndex port,
                        std::span<const mad::AdjacentSubnetsTable::Entry> adjacent,
                        std::span<const mad::NextHopTable::Entry> next_hops) {
  RawAttributes& raw = model.extras(port).raw;
  adjacent = adjacent.first(std::min<std::size_t>(adjacent.size(), kAdjacentCap));
  next_hops = next_hops.first(std::min<std::size_t>(next_hops.size(), kNextHopCap));
  auto info = kept<mad::RouterInfo>(raw);
  const bool other_adjacent = show_table<mad::AdjacentSubnetsTable>(raw, adjacent, info.adj_top()),
             other_next_hops = show_table<mad::NextHopTable>(raw, next_hops, info.next_hop_top());
  info.set_adj_top(static_cast<std::uint8_t>(adjacent.size()));
  info.set_next_hop_top(static_cast<std::uint32_t>(next_hops.size()));
  if (other_adjacent) info.set_adj_table_change(true);
  if (other_next_hops) info.set_next_hop_change(true);
  keep(raw, info);
  return other_adjacent || other_next_hops;
}

void power_on_vendor_features(Model& model, NodeIndex index) {
  NodeModel& node = model.nodes[index];
  RawAttributes stays;
  for (const auto& [key, bytes] : node.raw) {
    if (key.first != static_cast<std::uint16_t>(AttributeId::hierarchy_info)) continue;
    stays[key] = bytes;
    mad::PortInfo& info = model.ports[node.first_port + (key.second & 0xFFu)].info;
    info.set_capability_mask(info.capability_mask() | mad::capability::kHierarchyInfo);
  }
  if (has_private_lft(node)) {
    auto info = kept<mad::PrivateLftInfo>(node.raw);
    forget(info, kPrivateLftSettings);
    keep(stays, info);
  }
  node.raw = std::move(stays);
}

void power_on_vendor_features(const PortExtras& before, PortExtras& after) {
  const std::uint8_t speeds = kept<mad::MlnxExtPortInfo>(before.raw).link_speed_supported();
  if (speeds == 0) return;
  mad::MlnxExtPortInfo info;
  info.set_link_speed_supported(speeds);
  keep(after.raw, info);
}

}  // namespace sim
