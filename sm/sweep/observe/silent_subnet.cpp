#include "sm/sweep/observe/silent_subnet.h"

#include <algorithm>

#include "mad/format.h"

namespace sm {
namespace {

bool says_why(const Condition& condition) {
  return condition.id == ConditionId::node_silent || condition.id == ConditionId::m_key_unknown ||
         condition.id == ConditionId::response_malformed;
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
  return Condition{.id = ConditionId::subnet_silent,
                   .text = fmt::format("nothing behind the link of {} is managed: {}",
                                       surveyed.port_name(surveyed.sm_port), why->text),
                   .guid = surveyed.ports[surveyed.sm_port].guid};
}

}  // namespace sm
