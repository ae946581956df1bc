#include "routing/qos/vl_targets.h"

#include <algorithm>
#include <bit>

#include "mad/attributes/port_tables.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "routing/qos/operational_vls.h"

namespace routing {
namespace {

constexpr unsigned kDrop = 15;
constexpr std::uint8_t kDefaultWeight = 64;

/// OperationalVLs are 1, 2, 4, 8 or 15: the modulo is by a power of two, and all of 15 VLs are in
/// range.
unsigned wrap_to_vls(unsigned vl, unsigned vls) { return vl % std::bit_ceil(vls); }

std::vector<config::VlWeight> requested_weights(const fabric::PublishedRouting& routing) {
  std::vector<config::VlWeight> out;
  for (unsigned vl = 0; vl < routing.vls; ++vl) {
    const std::uint8_t weight =
        vl < routing.vl_weights.size() ? routing.vl_weights[vl] : kDefaultWeight;
    out.push_back({static_cast<std::uint8_t>(vl),
                   std::max<std::uint8_t>(weight, 1)});  // a VL with weight 0 never sends
  }
  return out;
}

}  // namespace

VlTargets::VlTargets(const fabric::Fabric& fabric, const config::Options& options,
                     const fabric::PublishedRouting& routing)
    : fabric_(fabric), options_(options), routing_(routing) {
  if (!any()) return;
  for (const config::QosScope scope :
       {config::QosScope::all, config::QosScope::ca, config::QosScope::sw0, config::QosScope::swe,
        config::QosScope::rtr}) {
    Class& its = classes_[static_cast<std::size_t>(scope)];
    its.settings = config::qos_settings(options, scope);
    const bool as_written = options.qos && (its.settings.own_weights || routing.vl_weights.empty());
    its.high = as_written ? its.settings.high : std::vector<config::VlWeight>{};
    its.low = as_written ? its.settings.low : requested_weights(routing);
  }
  vls_.resize(fabric.ports.size(), 1);
  for (const fabric::PortIndex port : fabric.ports.indices()) {
    if (fabric.ports[port].known)
      vls_[port] =
          static_cast<std::uint8_t>(mad::data_vls(link_operational_vls(fabric, port, options)));
  }
}

const VlTargets::Class& VlTargets::class_of(fabric::PortIndex port) const {
  return classes_[static_cast<std::size_t>(qos_scope(fabric_, port))];
}

/// A base switch port 0 has no link; an enhanced one has a link inside the switch, like a CA's
/// port.
bool VlTargets::has_vl_tables(fabric::PortIndex port) const {
  const fabric::Port& its = fabric_.ports[port];
  const fabric::Node& node = fabric_.nodes[its.node];
  if (!any() || !its.known) return false;
  if (node.is_switch() && its.number.value == 0)
    return fabric_.switches[node.switch_index].info.enhanced_port_0();
  return its.is_up() && its.peer != fabric::kNoIndex;
}

fabric::SlToVlBits VlTargets::in_range(const fabric::SlToVlRow& row, fabric::PortIndex out) const {
  fabric::SlToVlBits bits = 0;
  for (const std::uint8_t vl : row)
    bits = bits << 4 | (vl >= kDrop ? kDrop : wrap_to_vls(vl, vls_[out]));
  return bits;
}

std::optional<fabric::SlToVlBits> VlTargets::sl_to_vl(fabric::PortIndex out,
                                                      mad::PortNum in) const {
  if (!has_vl_tables(out)) return std::nullopt;
  const fabric::Port& port = fabric_.ports[out];
  const fabric::Node& node = fabric_.nodes[port.node];
  // On a switch, the CapabilityMask of port 0 applies to all ports (Vol 1, 14.2.5.6).
  const fabric::Port& manager = node.is_switch() ? fabric_.ports[node.first_port] : port;
  if (!manager.known || (manager.info.capability_mask() & mad::capability::kSlMapping) == 0)
    return std::nullopt;
  const bool end = !node.is_switch() || port.number.value == 0;
  if (node.is_switch()) {
    if (port.number.value == 0 && in.value != 0) return std::nullopt;
    const fabric::Port& entry = fabric_.ports[fabric_.port(port.node, in)];
    if (in.value != 0 && (!entry.is_up() || entry.peer == fabric::kNoIndex)) return std::nullopt;
  }
  if (routing_.sl_to_vl.empty()) return in_range(class_of(out).settings.sl_to_vl, out);
  return in_range(end ? routing_.sl_to_vl.of_end_ports
                      : routing_.sl_to_vl.at(node.switch_index, in, port.number),
                  out);
}

std::optional<fabric::ArbitrationBlock> VlTargets::arbitration(fabric::PortIndex port,
                                                               unsigned block) const {
  using Table = mad::VlArbitrationTable;
  if (!has_vl_tables(port)) return std::nullopt;
  const mad::PortInfo& info = fabric_.ports[port].info;
  if (mad::data_vls(info.vl_cap()) <= 1) return std::nullopt;
  const bool is_low = block <= 2, is_second = block % 2 == 0;
  const std::size_t cap = std::min<std::size_t>(
      is_low ? info.vl_arbitration_low_cap() : info.vl_arbitration_high_cap(), 2 * Table::kEntries);
  const std::size_t first = is_second ? Table::kEntries : 0;
  if (cap <= first) return std::nullopt;
  const std::vector<config::VlWeight>& list = is_low ? class_of(port).low : class_of(port).high;
  Table table;
  for (std::size_t i = first; i < std::min({list.size(), cap, first + Table::kEntries}); ++i) {
    const auto vl = static_cast<std::uint8_t>(wrap_to_vls(list[i].vl, vls_[port]));
    table.set_entry(i - first, {mad::Vl{vl}, list[i].weight});
  }
  fabric::ArbitrationBlock bytes{};
  std::ranges::copy(table.bytes(), bytes.begin());
  return bytes;
}

std::vector<fabric::Condition> VlTargets::conditions(std::string_view engine) const {
  std::vector<fabric::Condition> out;
  const auto add = [&](std::string text) {
    out.push_back({.id = kRoutingConditions.vl_setting, .text = std::move(text)});
  };
  if (!options_.qos || routing_.sl_to_vl.empty()) return out;
  for (const config::QosScope scope :
       {config::QosScope::all, config::QosScope::ca, config::QosScope::sw0, config::QosScope::swe,
        config::QosScope::rtr}) {
    const config::QosSet& set = options_.qos_set(scope);
    const std::string_view prefix = config::qos_prefix(scope);
    if (!set.sl2vl.empty())
      add(fmt::format("{} maps service levels to virtual lanes itself: {}_sl2vl is not used",
                      engine, prefix));
    if (set.vlarb_high.empty() && set.vlarb_low.empty()) continue;
    const Class& its = classes_[static_cast<std::size_t>(scope)];
    for (unsigned vl = 0; vl < routing_.vls; ++vl) {
      const auto sends = [&](const config::VlWeight& entry) {
        return entry.vl == vl && entry.weight > 0;
      };
      if (std::ranges::any_of(its.high, sends) || std::ranges::any_of(its.low, sends)) continue;
      add(
          fmt::format("{} uses VL {}, to which {}_vlarb_high and {}_vlarb_low give no weight: its "
                      "packets may never be sent",
                      engine, vl, prefix, prefix));
    }
  }
  return out;
}

}  // namespace routing
