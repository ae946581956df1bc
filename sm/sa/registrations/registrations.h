#pragma once
// Registrations of clients with subnet administration. Only the control thread uses them;
// persistence.h keeps them across restarts.

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "config/options.h"
#include "fabric/fabric.h"
#include "fabric/subnet.h"
#include "sm/sa/query/answer.h"
#include "sm/sa/registrations/alias_guids.h"
#include "sm/sa/registrations/groups.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/services.h"
#include "sm/sa/registrations/subscriptions.h"

namespace sa {

/// Holds the end ports (PortGUIDs) whose clients have nothing to register again: each of them has
/// acknowledged ClientReregister, and nothing that its clients have registered since was dropped
/// because the port was absent. The manager asks all others. The set is in the journal, and a purge
/// removes absent ports from it before it drops what they have registered. So a port is asked after
/// a crash at any moment, without a second file that has to agree with the journal.
class AcknowledgedPorts {
 public:
  bool contains(mad::Guid port) const { return ports_.contains(port); }
  bool is_empty() const { return ports_.empty(); }
  /// Returns the ports in order.
  std::vector<mad::Guid> all() const {
    std::vector<mad::Guid> sorted(ports_.begin(), ports_.end());
    std::ranges::sort(sorted);
    return sorted;
  }
  /// Returns false if the port is there already.
  bool add(mad::Guid port) {
    if (!ports_.insert(port).second) return false;
    touched_.insert(port);
    return true;
  }
  void erase(mad::Guid port) {
    if (ports_.erase(port) != 0) touched_.insert(port);
  }
  void clear() {
    touched_.insert(ports_.begin(), ports_.end());
    ports_.clear();
  }
  /// Removes the ports that the fabric does not have. Cost: a look-up for each port.
  void keep_present(const fabric::Fabric& fabric) {
    erase_if(ports_, [&](mad::Guid port) {
      if (fabric.port_of_guid.contains(port)) return false;
      touched_.insert(port);
      return true;
    });
  }
  /// Returns the end ports of the fabric that are not in the set. Cost: a look-up for each port.
  std::vector<mad::Guid> find_others(const fabric::Fabric& fabric) const {
    std::vector<mad::Guid> others;
    for (const auto& [port, index] : fabric.port_of_guid)
      if (!ports_.contains(port)) others.push_back(port);
    return others;
  }

  /// Returns the ports that may differ from the journal (persistence.h).
  std::set<mad::Guid> take_touched() { return std::exchange(touched_, {}); }

 private:
  boost::unordered_flat_set<mad::Guid, std::hash<mad::Guid>> ports_;
  std::set<mad::Guid> touched_;
};

struct Registrations {
  Groups groups;
  Services services;
  Subscriptions subscriptions;
  AliasGuids alias_guids;
  AcknowledgedPorts acknowledged;
  /// Counts elements that writes have visited, except for elements found by key (kStepsPerWrite).
  std::uint64_t steps = 0;
};

// Updates registrations after a change of the subnet: groups of partitions.conf, ports that
// disappeared, leases that ended.

/// Makes the groups of `subnet.partitions.groups` the well-known groups. Missing ones are created
/// in their order, with the lowest free MLIDs; existing ones get the values of the file and keep
/// MLID and members. A group that is no longer in the file becomes an ordinary one, and is deleted
/// if it has no full member. All groups of a removed partition are deleted. Returns: notices 67 of
/// deleted groups that had full members. `log`: a line for each group without an MLID.
std::vector<GroupNotice> reconcile_groups(Registrations& registrations,
                                          const fabric::Subnet& subnet,
                                          const config::Options& options,
                                          std::vector<std::string>& log);

/// Decides whether services whose port has disappeared are kept until their lease ends.
enum class Absent : std::uint8_t {
  between_sweeps,  // kept, unless drop_event_subscriptions is set: the port may appear again
  after_load,      // not kept: the time of their registration is unknown
};
/// The progress of a purge.
struct PurgePosition {
  enum class Part : std::uint8_t { ports, aliases, subscriptions, services, members, done };
  Part part = Part::ports;
  // The first element of the part that was not visited yet.
  AliasPlace alias{};
  SubscriptionId subscription{};
  ServiceRid service{};
  Groups::Membership membership{};
  /// Aliases whose owners have returned, with the ports that had the aliases.
  std::map<mad::Guid, mad::Guid> returned{};
  std::size_t steps = 0;  // of the latest slice

  bool is_done() const { return part == Part::done; }
};
/// Drops the registrations of ports and vports that are not in the subnet: alias GUIDs, memberships
/// (including those of alias GUIDs), subscriptions, services. Drops memberships of a vport whose
/// P_Keys no longer cover the group. Drops aliases whose owners have returned, with the memberships
/// and services under these aliases, since they would count as the owners'. The first slice removes
/// absent ports from the acknowledged ones, before anything is dropped: their clients are asked to
/// register again, whatever of this is on disk when the manager ends. One slice: a port or an
/// element that is visited is a step, and so is an element that is dropped; it ends after `steps`,
/// and a few for the last element. Returns: notices 67 of groups that are deleted by this.
std::vector<GroupNotice> forget_absent_slice(Registrations& registrations,
                                             const fabric::Subnet& subnet,
                                             const config::Options& options, Absent absent,
                                             PurgePosition& position,
                                             std::size_t steps = kStepsPerSlice);
/// Drops all these registrations at once.
std::vector<GroupNotice> purge_absent_ports(Registrations& registrations,
                                            const fabric::Subnet& subnet,
                                            const config::Options& options, Absent absent);

/// Drops aliases of this port that a port or vport of the subnet has itself, because it appeared
/// while the alias was being written. Memberships and services that were registered under such an
/// alias end with it. Returns: notices 67 of groups that are deleted by this.
std::vector<GroupNotice> withdraw_aliases_of_present_ports(Registrations& registrations,
                                                           const fabric::Subnet& subnet,
                                                           mad::Guid port_guid);

/// Counts groups as changed (Groups::take_changed_mlids()) if they have members at vports that
/// moved to another physical port. Returns whether there are any.
bool update_moved_members(Registrations& registrations, const fabric::Subnet& before,
                          const fabric::Subnet& after);

/// Gives all GIDs in registrations that were read from a file or another manager the form that
/// requests give them (canonical_gid()): earlier versions kept the form of the request, and the
/// subnet may have had another prefix. Entries that become equal are one from then on: a member has
/// the JoinState bits of both; of two services, the one of the port itself, or the one that ends
/// later, stays. The changes are for the journal. Cost: a search of all, and by what changes.
void make_gids_canonical(Registrations& registrations, std::uint64_t subnet_prefix);

/// Drops these members; some may already be absent. Returns: notices 67 of groups that are deleted
/// by this.
std::vector<GroupNotice> drop_members(Groups& groups, std::span<const Groups::MemberKey> members);

}  // namespace sa
