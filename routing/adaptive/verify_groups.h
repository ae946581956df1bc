#pragma once
// Verifies adaptive routing: for any choice of group members by switches, packets arrive, and no
// cycle of channel dependencies is possible.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "fabric/adaptive_groups.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "routing/verify/credit_loops.h"

namespace routing {

struct GroupReport {
  /// A switch that packets of hosts can reach, and from which some choice of ports does not lead to
  /// the destination.
  struct Lost {
    fabric::SwitchIndex sw, destination;
    bool is_loop = false;  // the choice leads back to the switch; else no port is there
    bool operator==(const Lost&) const = default;
  };

  std::size_t groups = 0;    // in use
  std::size_t switches = 0;  // with groups
  unsigned vls = 1;          // that packets between hosts are on
  CreditLoops credit_loops;  // of the dependencies over all members, between hosts
  unsigned longest = 0;      // hops between switches of the longest path that choices give
  std::uint64_t lost = 0;    // pairs (switch, destination switch); see Lost
  std::optional<Lost> first_lost = {};
  std::uint64_t outside = 0;  // entries of forwarding tables that name a port outside the group

  bool arrives() const { return lost == 0; }
  bool ok() const { return arrives() && outside == 0 && credit_loops.ok(); }
};

/// Follows packets between hosts over all members of groups, and over forwarding tables if a
/// destination switch has no group. verify(), not this function, reports hops into a switch whose
/// LinearFDBCap is not above the highest LID, and pairs without any path at the first switch. Null
/// `groups` means that only forwarding tables are followed. Source: Dally and Seitz 1987, for the
/// union of all choices (Duato, A new theory of deadlock-free adaptive routing in wormhole
/// networks, IEEE TPDS 4(12), 1993, without escape channels).
GroupReport verify_groups(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                          const fabric::LidMap& lids, const fabric::ForwardingTables& lfts,
                          const fabric::AdaptiveGroups* groups, const VlMapping& mapping);

/// Returns twice the height of a tree, in hops: no minimal path that goes up and then down is
/// longer. Returns nullopt if a link does not connect neighbouring levels. Levels are counted from
/// `roots` (NodeGUIDs); if it is empty, from the switches with hosts.
std::optional<unsigned> path_bound(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                                   std::span<const mad::Guid> roots);

/// Returns one sentence on the first problem, or "" if there is none.
std::string text(const GroupReport& report, const fabric::Fabric& fabric,
                 const fabric::SwitchGraph& graph);

}  // namespace routing
