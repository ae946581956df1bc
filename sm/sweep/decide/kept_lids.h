#pragma once
// LIDs that no port of the fabric has, and that lead to the place where their port was.
//
// A port that is absent (a host that reboots, a virtual function that was released) keeps its LIDs
// while guid2lid reserves them, and these keep their forwarding table entries: they lead to the
// leaf switch where the port was, whose port has no link and drops the packets. When the port is
// there again, no table has to be written.
//
// Invariants:
// - Kept LIDs are routed, verified and written as if the port were there (with_kept_ports), so
//   they lead along links that exist, without a forwarding loop, whatever link is lost in between.
// - They end at a switch port without a neighbour. As soon as a survey finds another neighbour
//   there, they are withdrawn; forwarding tables are written before that link is armed, and it is
//   not armed while the switch in front may still hold the entry (sm/sweep/apply/unicast_stages.h).
// - A LID is kept for the port that guid2lid reserves it for, and given to no other. When the
//   reservation is given up, its entries are withdrawn, or lead to the new owner before it learns
//   the LID.
// - They are not visible outside: LidMap has no owner for them, so subnet administration answers
//   no path, and multicast trees do not reach the place.
// - They are bounded by the reservations of guid2lid, and by one port for each switch port.
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

/// A CA or router port that was there.
struct KeptPort {
  mad::Guid guid;  // of the port
  LidMap::Range lids;
  mad::Guid leaf;    // NodeGUID of the switch where it was
  mad::PortNum out;  // of that switch
  // Its node and port number, as routing options may name them. Not known after a restart: 0, 1.
  mad::Guid node;
  mad::PortNum number{1};
  mad::NodeType type = mad::NodeType::ca;
  bool operator==(const KeptPort&) const = default;
};

/// A vport with a LID of its own that was there.
struct KeptVPort {
  mad::Guid guid;
  mad::Lid lid;
  mad::Guid port;  // PortGUID of the physical port that it was at, which is there or is kept
  bool operator==(const KeptVPort&) const = default;
};

/// Both by GUID. What is at a switch that is absent itself is remembered, and not routed until the
/// switch is there again.
struct KeptLids {
  std::vector<KeptPort> ports;
  std::vector<KeptVPort> vports;
  bool operator==(const KeptLids&) const = default;
};

/// The LIDs to keep on `fabric`: those of `before`, and those that ports of `last` (null: none) had
/// which are absent now, as far as
/// - `persisted` reserves exactly these LIDs for the GUID, and `lids` has no owner for any of them;
/// - the switch port where it was has no other neighbour. Where one was seen, the place is
///   forgotten for good.
/// Hosts of a switch that is absent now keep their places until it is back.
/// `lids`: of physical ports and vports. `persisted`: what is reserved from now on.
KeptLids kept_lids(const KeptLids& before, const Subnet* last, const Fabric& fabric,
                   const LidMap& lids, const Guid2Lid& persisted);

/// After a start: reserved LIDs without an owner for which the tables found on the fabric have a
/// place: of all their entries that leave the switches, each leads to the same switch port, and
/// that one has no neighbour. Others are not kept; what is wrong about a place costs nothing but
/// entries that drop elsewhere. Vports are not found: their entries look like those of an
/// absent host whose place another one has taken.
/// Shape: `found` has the rows of fabric.switches.
void add_kept_of_tables(KeptLids& kept, const TableMemory& found, const Fabric& fabric,
                        const LidMap& lids, const Guid2Lid& persisted);

/// The LIDs of `kept` that are routed on `fabric`: all but those at switches that are absent,
/// vports of such, and LIDs above lid_limit() of `lids`: no switch counts as too small for their
/// sake.
KeptLids placed(const KeptLids& kept, const Fabric& fabric, const LidMap& lids);

/// The fabric and its LIDs as routing is to see them: every port of `placed` is where it was, its
/// link up. Indices of `fabric` stay, what is added comes after them; P_Key tables and conditions
/// are left out. A port of the same place, GUID and LIDs gives the same routes, whether it is there
/// or kept: engines know GUIDs, LIDs, links and options only.
/// `lids`: of physical ports.
struct RoutedFabric {
  Fabric fabric;
  LidMap lids;
};
/// nullopt: as it is.
std::optional<RoutedFabric> with_kept_ports(const Fabric& fabric, const LidMap& lids,
                                            const KeptLids& placed);

/// Kept LIDs without routes of their own: of vports, each with the base LID of its port, whose
/// entries it has (virt::with_vport_lids).
std::vector<std::pair<mad::Lid, mad::Lid>> kept_copies(const KeptLids& placed, const Fabric& fabric,
                                                       const LidMap& lids);

/// LinearFDBTop has to include them: raises lids.lid_top to the highest LID of `placed`.
void make_room(LidMap& lids, const KeptLids& placed);

}  // namespace sm
