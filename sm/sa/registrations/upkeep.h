#pragma once
// Registrations follow the subnet: groups that the operator's file names, ports that are gone,
// leases that ran out.

#include <vector>

#include "config/options.h"
#include "fabric/subnet.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/registrations.h"

namespace sa {

/// Makes the well-known groups those of `subnet.partitions.groups`: missing ones are created in
/// their order, with the lowest free MLIDs; those that are there get the values of the file and
/// keep MLID and members. A group that the file names no more becomes an ordinary one, and goes
/// unless somebody keeps it alive; all groups of a partition that is no more go with it. Returns:
/// notices 67 of groups that died with members in them. `log`: a line for each group that found no
/// MLID.
std::vector<GroupNotice> reconcile_groups(Registrations& registrations, const sm::Subnet& subnet,
                                          const config::Options& options,
                                          std::vector<std::string>& log);

/// Whether services whose port is gone are kept until their lease ends.
enum class Absent : std::uint8_t {
  between_sweeps,  // kept, unless drop_event_subscriptions is set: the port may come back
  after_load,      // not kept: nobody knows how long ago they were registered
};
/// Drops what ports have registered that are not in the subnet: alias GUIDs, memberships (of alias
/// GUIDs, too), subscriptions, services. Returns:  notices 67 of groups that died of it.
std::vector<GroupNotice> forget_absent_ports(Registrations& registrations, const sm::Subnet& subnet,
                                             const config::Options& options, Absent absent);

}  // namespace sa
