#include "routing/multicast/multicast_groups.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"

namespace routing {

std::vector<MulticastGroup> joined_by_mlid(std::vector<MulticastGroup> groups) {
  std::ranges::sort(groups, {}, [](const MulticastGroup& group) {
    return std::tie(group.mlid, group.receivers, group.senders, group.sls);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (kept > 0 && groups[kept - 1].mlid == groups[i].mlid) {
      MulticastGroup& into = groups[kept - 1];
      into.receivers.insert(into.receivers.end(), groups[i].receivers.begin(),
                            groups[i].receivers.end());
      into.senders.insert(into.senders.end(), groups[i].senders.begin(), groups[i].senders.end());
      into.sls |= groups[i].sls;
    } else {
      if (kept != i) groups[kept] = std::move(groups[i]);
      ++kept;
    }
  }
  groups.resize(kept);
  return groups;
}

fabric::Condition make_condition(const MulticastFinding& finding, const fabric::Fabric& fabric) {
  fabric::Condition condition;
  if (finding.port != fabric::kNoIndex) {
    condition.guid = fabric.owning_node(finding.port).guid;
    condition.port = fabric.ports[finding.port].number;
  }
  switch (finding.kind) {
    case MulticastFinding::Kind::no_multicast:
      condition.id = kRoutingConditions.multicast_incapable;
      condition.text = fmt::format(
          "{} cannot join multicast group {}: the multicast forwarding table of its switch has no "
          "entry for this MLID",
          fabric.port_name(finding.port), finding.mlid);
      break;
    case MulticastFinding::Kind::not_connected:
      condition.id = kRoutingConditions.multicast_disconnected;
      condition.text = fmt::format(
          "{} is not connected to the largest part of multicast group {}: no path leads there over "
          "switches that forward multicast",
          fabric.port_name(finding.port), finding.mlid);
      break;
    case MulticastFinding::Kind::turns:
      condition.id = kRoutingConditions.multicast_no_common_root;
      condition.text = fmt::format(
          "no switch is above all members of multicast group {}: its packets go down and up again",
          finding.mlid);
      break;
  }
  return condition;
}

}  // namespace routing
