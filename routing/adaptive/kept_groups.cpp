#include "routing/adaptive/kept_groups.h"

#include <algorithm>

#include "routing/core/routing_state.h"

namespace routing {

using fabric::AdaptiveGroups;
using fabric::ChannelIndex;
using fabric::GroupId;
using fabric::kNoIndex;
using fabric::PortSet;
using fabric::SwitchIndex;

namespace {

/// True if each channel existed before, so that each port leads to the same switch as before.
bool has_no_new_channel(const Correspondence& was, const fabric::SwitchGraph& graph) {
  const auto known =
      std::ranges::count_if(was.current_channel, [](ChannelIndex at) { return at != kNoIndex; });
  return static_cast<std::size_t>(known) == graph.port.size();
}

/// True if hosts send packets to the group from this switch, or neighbouring switches may do so.
bool may_come_by(const fabric::SwitchGraph& graph, const AdaptiveGroups& groups, SwitchIndex sw,
                 GroupId group) {
  if (groups.group_to[sw] != 0) return true;
  return std::ranges::any_of(graph.channels(sw), [&](ChannelIndex out) {
    return groups.ports(graph.neighbour[out], group)[graph.port[graph.reverse[out]].value];
  });
}

/// True if no group of the switch has a new member or has lost its last member that packets need.
bool is_part(const fabric::SwitchGraph& graph, const AdaptiveGroups& now, SwitchIndex sw,
             const AdaptiveGroups::Row& before) {
  const AdaptiveGroups::Row& row = *now.rows[sw];
  if (&row == &before) return true;
  const std::size_t groups = std::max(row.set_of.size(), before.set_of.size());
  for (std::size_t i = 1; i < groups; ++i) {
    const auto group = static_cast<GroupId>(i);
    const PortSet &ports = row.ports(group), &ports_before = before.ports(group);
    if ((ports & ~ports_before).any()) return false;
    if (ports.none() && ports_before.any() && may_come_by(graph, now, sw, group)) return false;
  }
  return true;
}

}  // namespace

bool are_verified_choices(const RoutingInput& input, const RoutingResult& result) {
  if (input.previous_routing == nullptr) return false;
  const RoutingState& memory = input.previous_routing->memory;
  const fabric::PublishedRouting& before = input.previous_routing->published;
  // The previous verification did not check dependencies of switches whose tables are too small.
  if (before.adaptive == nullptr || !memory.verification.small_switches.empty() ||
      before.adaptive->group_to != result.adaptive->group_to || before.sls != result.sls ||
      before.sl_to_vl != result.sl_to_vl)
    return false;
  const Correspondence was = correspondence(*memory.rows, input.fabric, input.graph);
  if (!was.same_switches || !has_no_new_channel(was, input.graph)) return false;
  return std::ranges::all_of(result.adaptive->rows.indices(), [&](SwitchIndex sw) {
    return is_part(input.graph, *result.adaptive, sw, *before.adaptive->rows[sw]);
  });
}

}  // namespace routing
