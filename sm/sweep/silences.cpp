#include "sm/sweep/silences.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "mad/format.h"

namespace sm {
namespace {

using Hops = std::vector<std::uint8_t>;

/// Some switch of `switches` (by the hops to them) is passed on the directed route of these hops.
bool leads_over(const std::set<Hops>& switches, std::span<const std::uint8_t> hops) {
  Hops prefix;
  prefix.reserve(hops.size());
  return std::ranges::any_of(hops, [&](std::uint8_t hop) {
    const bool found = switches.contains(prefix);
    prefix.push_back(hop);
    return found;
  });
}

}  // namespace

void Silences::note(NodeIndex node, mad::AttributeId attribute, std::uint16_t status) {
  Silence& silence = nodes_[node];
  silence.attributes.insert(attribute);
  if (status != 0) silence.status = status;
}

void Silences::report(FabricBuilder& builder) const {
  const auto is_dead_switch = [&](NodeIndex node) {
    return builder.node(node).is_switch() && !builder.has_switch_info(node);
  };
  std::set<Hops> dead;
  for (const auto& [node, silence] : nodes_) {
    if (!is_dead_switch(node)) continue;
    const auto hops = builder.node(node).route.hops();
    dead.emplace(hops.begin(), hops.end());
  }
  for (const PortIndex link : links_) {
    const NodeIndex node = builder.port(link).node;
    if (is_dead_switch(node)) continue;
    builder.report({.id = ConditionId::node_silent,
                    .text = fmt::format("what is behind {} does not answer SubnGet(NodeInfo)",
                                        builder.draft().port_name(link)),
                    .guid = builder.node(node).guid});
  }
  for (const auto& [node, silence] : nodes_) {
    if (leads_over(dead, builder.node(node).route.hops())) continue;
    std::vector<std::string_view> attributes;
    attributes.reserve(silence.attributes.size());
    for (const mad::AttributeId attribute : silence.attributes)
      attributes.push_back(mad::name(attribute));
    builder.report(
        {.id = ConditionId::node_silent,
         .text = fmt::format(
             "{} does not answer SubnGet({}){}; it is read again with growing pauses",
             builder.draft().name(node), fmt::join(attributes, ", "),
             silence.status == 0 ? "" : fmt::format(" (status {:#06x})", silence.status)),
         .guid = builder.node(node).guid});
  }
}

}  // namespace sm
