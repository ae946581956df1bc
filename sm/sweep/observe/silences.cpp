#include "sm/sweep/observe/silences.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"

namespace sm {
namespace {

using Hops = std::vector<std::uint8_t>;

/// True if the directed route of these hops passes a switch of `switches` (by the hops to them).
bool traverses(const std::set<Hops>& switches, std::span<const std::uint8_t> hops) {
  Hops prefix;
  prefix.reserve(hops.size());
  return std::ranges::any_of(hops, [&](std::uint8_t hop) {
    const bool found = switches.contains(prefix);
    prefix.push_back(hop);
    return found;
  });
}

/// Returns the current route; Node::route of an end node may be the one by which it was found.
mad::DirectedRoute route_to(const FabricBuilder& builder, NodeIndex node) {
  if (!builder.node(node).is_switch()) {
    for (const Port& port : builder.draft().node_ports(node)) {
      const auto route = builder.draft().route_to(builder.port_index(node, port.number));
      if (port.peer != kNoIndex && route) return *route;
    }
  }
  return builder.node(node).route;
}

}  // namespace

void Silences::note(NodeIndex node, mad::AttributeId attribute, std::uint16_t status) {
  Silence& silence = nodes_[node];
  silence.attributes.insert(attribute);
  if (status != 0) silence.status = status;
}

/// The registry of conditions has the remedy; the text has the line that guid2mkey lacks.
void Silences::report_m_keys(FabricBuilder& builder) const {
  const auto remedy = [&](const std::string& port_guid) {
    return fmt::format(
        "it is not managed; set m_key, or let guid2mkey have \"{} <M_Key>\", and send SIGHUP{}",
        port_guid, key_remedy_);
  };
  for (const PortIndex index : protected_) {
    const Port& port = builder.port(index);
    const auto route = builder.draft().route_to(index);
    const mad::Guid guid = builder.draft().m_key_port(index);
    builder.report(
        {.id = kFabricConditions.m_key_unknown,
         .text = fmt::format("M_Key unknown: {}, route {}, protection level {}{}: {}",
                             builder.draft().port_name(index), route ? route->text() : "unknown",
                             port.info.m_key_protect_bits(),
                             port.info.m_key_lease_period() == 0
                                 ? std::string(", no lease")
                                 : fmt::format(", lease {} s", port.info.m_key_lease_period()),
                             remedy(fmt::format("{}", guid))),
         .guid = guid,
         .port = port.number});
  }
  for (const auto& [link, expected, name] : protected_behind_) {
    const Port& port = builder.port(link);
    if (port.peer != kNoIndex) continue;  // found from its other end after all
    const auto route = builder.node(port.node).route.extended(port.number);
    const std::string guid =
        expected == mad::Guid{} ? std::string("<PortGUID>") : fmt::format("{}", expected);
    builder.report({.id = kFabricConditions.m_key_unknown,
                    .text = fmt::format("M_Key unknown: {} {}, route {}, does not answer "
                                        "SubnGet(NodeInfo) with the keys that are "
                                        "known for it: {}",
                                        name.empty() ? "the node behind" : name + " at",
                                        builder.draft().port_name(link),
                                        route ? route->text() : "unknown", remedy(guid)),
                    .guid = builder.node(port.node).guid,
                    .port = port.number});
  }
}

void Silences::report(FabricBuilder& builder) const {
  report_m_keys(builder);
  const auto is_dead_switch = [&](NodeIndex node) {
    return builder.node(node).is_switch() && !builder.has_switch_info(node);
  };
  std::set<Hops> dead;
  for (const auto& [node, silence] : nodes_) {
    if (!is_dead_switch(node)) continue;
    const auto hops = builder.node(node).route.hops();
    dead.emplace(hops.begin(), hops.end());
  }
  for (const auto& [link, name] : links_) {
    const NodeIndex node = builder.port(link).node;
    // A node that was found from its other end is not silent.
    if (is_dead_switch(node) || builder.port(link).peer != kNoIndex) continue;
    builder.report({.id = kFabricConditions.node_silent,
                    .text = fmt::format("{} {} does not answer SubnGet(NodeInfo)",
                                        name.empty() ? "the node behind" : name + " at",
                                        builder.draft().port_name(link)),
                    .guid = builder.node(node).guid,
                    .port = builder.port(link).number});
  }
  for (const auto& [node, silence] : nodes_) {
    if (traverses(dead, route_to(builder, node).hops())) continue;
    std::vector<std::string_view> attributes;
    attributes.reserve(silence.attributes.size());
    for (const mad::AttributeId attribute : silence.attributes)
      attributes.push_back(mad::name(attribute));
    // A switch without SwitchInfo may hang; its NodeInfo may come from an earlier survey.
    const std::string what = is_dead_switch(node)
                                 ? std::string()
                                 : fmt::format(" SubnGet({})", fmt::join(attributes, ", "));
    builder.report(
        {.id = kFabricConditions.node_silent,
         .text = fmt::format(
             "{} does not answer{}{}; it is read again with growing pauses",
             builder.draft().name(node), what,
             silence.status == 0 ? "" : fmt::format(" (status {:#06x})", silence.status)),
         .guid = builder.node(node).guid});
  }
}

namespace {

bool says_why(const Condition& condition) {
  return condition.id == kFabricConditions.node_silent ||
         condition.id == kFabricConditions.m_key_unknown ||
         condition.id == kFabricConditions.response_malformed;
}

}  // namespace

std::optional<Condition> silent_subnet(const Fabric& surveyed) {
  if (surveyed.sm_port == kNoIndex) return std::nullopt;
  const NodeIndex own = surveyed.ports[surveyed.sm_port].node;
  const bool reads_others = std::ranges::any_of(
      surveyed.end_ports, [&](PortIndex port) { return surveyed.ports[port].node != own; });
  if (reads_others) return std::nullopt;
  const auto why = std::ranges::find_if(surveyed.conditions, says_why);
  if (why == surveyed.conditions.end()) return std::nullopt;
  return Condition{.id = kManagerConditions.subnet_silent,
                   .text = fmt::format("nothing behind the link of {} is managed: {}",
                                       surveyed.port_name(surveyed.sm_port), why->text),
                   .guid = surveyed.ports[surveyed.sm_port].guid};
}

}  // namespace sm
