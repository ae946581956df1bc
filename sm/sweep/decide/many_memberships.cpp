#include "sm/sweep/decide/many_memberships.h"

#include <algorithm>

#include "mad/format.h"
#include "routing/core/routing_conditions.h"

namespace sm {

namespace {

constexpr std::size_t kPortsShown = 100;

}  // namespace

std::vector<BusyPort> busy_ports(const std::vector<routing::MulticastGroup>& groups,
                                 const Fabric& fabric) {
  std::vector<BusyPort> busy;
  if (groups.size() < kMembershipsFew) return busy;  // as in nearly all fabrics
  IndexVector<PortIndex, std::uint32_t> counts(fabric.ports.size(), 0);
  for (const routing::MulticastGroup& group : groups) {
    for (const PortIndex port : group.receivers) ++counts[port];
    for (const PortIndex port : group.senders) ++counts[port];
  }
  for (const PortIndex port : counts.indices())
    if (counts[port] >= kMembershipsFew) busy.push_back({port, counts[port]});
  return busy;
}

std::vector<Condition> many_memberships(const std::vector<BusyPort>& busy, const Fabric& fabric,
                                        const std::set<mad::Guid>& raised) {
  std::vector<Condition> conditions;
  std::size_t count = 0;
  for (const BusyPort& of : busy) {
    const mad::Guid guid = fabric.ports[of.port].guid;
    if (of.groups <= kMembershipsMany && !raised.contains(guid)) continue;
    if (++count > kPortsShown) continue;
    // The number is left out, since the condition stays the same one while it changes.
    conditions.push_back(
        {.id = routing::kRoutingConditions.memberships_many,
         .text = fmt::format("{} has joined more than {} multicast groups, those of its virtual "
                             "ports included, and this ends below {}; `heddlectl groups {}` lists "
                             "them",
                             fabric.port_name(of.port), kMembershipsMany, kMembershipsFew, guid),
         .guid = guid});
  }
  if (count > kPortsShown)
    conditions.push_back({.id = routing::kRoutingConditions.memberships_many,
                          .text = fmt::format("and {} more ports", count - kPortsShown)});
  return conditions;
}

}  // namespace sm
