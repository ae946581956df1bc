#pragma once
// Kept LIDs belong to no port of the fabric, and lead to the place where their port was.
//
// An absent port (a host that reboots, a virtual function that was released) keeps its LIDs and
// their forwarding table entries while guid2lid reserves the LIDs. The entries lead to the leaf
// switch where the port was, whose port has no link and drops the packets. When the port is back,
// no table has to be written.
//
// Invariants:
// - Kept LIDs are routed, verified and written as if the port were there (with_kept_ports), so
//   they lead along links that exist, without a forwarding loop, whatever link is lost in between.
// - Their routes end at a switch port without a neighbour. As soon as a survey finds another
//   neighbour there, the LIDs are withdrawn. That link is armed after forwarding tables are
//   written, and not while the switch may still hold the entry (sm/sweep/apply/unicast_stages.h).
// - A LID is kept for the port that guid2lid reserves it for, and no other port gets it. When the
//   reservation is given up, its entries are withdrawn, or lead to the new owner before it learns
//   the LID.
// - Clients do not see kept LIDs: LidMap has no owner for them, so subnet administration answers
//   no path, and multicast trees do not reach the place.
// - Their number is bounded by the reservations of guid2lid, and by one port for each switch port.
//
// All of this is pure.

#include <optional>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/lid_map.h"
#include "fabric/subnet.h"
#include "mad/attributes/node_info.h"
#include "mad/ids.h"
#include "sm/store/guid2lid.h"
#include "sm/sweep/devices/table_memory.h"

namespace sm {

/// A KeptPort is an absent CA or router port.
struct KeptPort {
  mad::Guid guid;  // of the port
  LidMap::Range lids;
  mad::Guid leaf;    // NodeGUID of the switch where it was
  mad::PortNum out;  // of that switch
  // Routing options may name the node and port number. After a restart they are not known: 0 and 1.
  mad::Guid node;
  mad::PortNum number{1};
  mad::NodeType type = mad::NodeType::ca;
  bool operator==(const KeptPort&) const = default;
};

/// A KeptVPort is an absent vport with a LID of its own.
struct KeptVPort {
  mad::Guid guid;
  mad::Lid lid;
  mad::Guid port;  // PortGUID of the physical port that it was at, which is there or is kept
  bool operator==(const KeptVPort&) const = default;
};

/// Holds kept ports and vports, both by GUID. A port at an absent switch is remembered, but not
/// routed until the switch is back.
struct KeptLids {
  std::vector<KeptPort> ports;
  std::vector<KeptVPort> vports;
  bool operator==(const KeptLids&) const = default;
};

/// Returns the LIDs to keep on `fabric`: LIDs of `before`, and of ports of `last` (may be null)
/// that are absent now, if
/// - `persisted` reserves exactly these LIDs for the GUID, and `lids` has no owner for any of them;
/// - the switch port where the port was has no other neighbour. If a survey saw one, the place is
///   forgotten for good.
/// Hosts of a switch that is absent now keep their places until it is back.
/// `lids`: of physical ports and vports. `persisted`: what is reserved from now on.
KeptLids kept_lids(const KeptLids& before, const Subnet* last, const Fabric& fabric,
                   const LidMap& lids, const Guid2Lid& persisted);

/// Adds reserved LIDs without an owner after a start, if the tables found on the fabric show their
/// place. All their entries that leave the switches must lead to one switch port without a
/// neighbour. Other LIDs are not kept; an error about a place costs only entries that drop
/// elsewhere. Vports are not found: their entries look like those of an absent host whose place
/// another host has taken. Shape: `found` has the rows of fabric.switches.
void add_kept_of_tables(KeptLids& kept, const TableMemory& found, const Fabric& fabric,
                        const LidMap& lids, const Guid2Lid& persisted);

/// Returns the LIDs of `kept` that are routed on `fabric`: all but those at absent switches, their
/// vports, and LIDs above lid_limit() of `lids`. No switch counts as too small for their sake.
KeptLids placed(const KeptLids& kept, const Fabric& fabric, const LidMap& lids);

/// Holds the fabric and its LIDs as routing sees them: every port of `placed` is at its old place,
/// and its link is up. Indices of `fabric` stay, and additions come after them; P_Key tables and
/// conditions are left out. A port of equal place, GUID and LIDs gives equal routes, whether it is
/// present or kept: engines know GUIDs, LIDs, links and options only. `lids`: of physical ports.
struct RoutedFabric {
  Fabric fabric;
  LidMap lids;
};
/// Returns nullopt if there is nothing to add.
std::optional<RoutedFabric> with_kept_ports(const Fabric& fabric, const LidMap& lids,
                                            const KeptLids& placed);

/// Returns kept LIDs of vports, which have no routes of their own. Each comes with the base LID of
/// its port, whose entries it has (virt::with_vport_lids).
std::vector<std::pair<mad::Lid, mad::Lid>> kept_copies(const KeptLids& placed, const Fabric& fabric,
                                                       const LidMap& lids);

/// Raises lids.lid_top to the highest LID of `placed`, which LinearFDBTop has to include.
void make_room(LidMap& lids, const KeptLids& placed);

}  // namespace sm
