#pragma once
// Ports that are members of more multicast groups than hosts need.

#include <set>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "routing/multicast/multicast_groups.h"

namespace sm {

/// A host with IP over InfiniBand joins up to eight groups for each interface: broadcast, all
/// hosts, and for IPv6 all nodes and its own addresses. Thirty interfaces stay below this bound.
/// There are 16,383 MLIDs, and many switches forward fewer: a few dozen ports above it use up those
/// of all.
inline constexpr std::uint32_t kMembershipsMany = 256;
/// A port below this number is no longer one of them.
inline constexpr std::uint32_t kMembershipsFew = kMembershipsMany * 3 / 4;

/// The number of groups of a port and its vports.
struct BusyPort {
  PortIndex port;
  std::uint32_t groups = 0;
};
/// Returns the ports with kMembershipsFew groups or more, the groups with the same MLID counted as
/// one; in port order. Pure. Cost: by the members of all groups.
std::vector<BusyPort> busy_ports(const std::vector<routing::MulticastGroup>& groups,
                                 const Fabric& fabric);

/// Returns SM-MEMBERSHIPS-MANY for ports with more than kMembershipsMany groups, and for those of
/// `raised` (PortGUIDs) that are busy. At most a hundred, then one that counts the others. Pure.
std::vector<Condition> many_memberships(const std::vector<BusyPort>& busy, const Fabric& fabric,
                                        const std::set<mad::Guid>& raised);

}  // namespace sm
