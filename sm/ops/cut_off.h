#pragma once
// A plan without some nodes or links: removes them, and finds the hosts that this cuts off.

#include <cstdint>
#include <span>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "sm/sweep/apply/plan.h"

namespace sm {

/// Sets the links to Down that `without` names, each "NODE" (all of its links) or "NODE:PORT",
/// where NODE is what find_node() takes. Errors: in words, "leaf-9: no node is called so"; then
/// some may be Down already.
tl::expected<void, std::string> disable_links(Fabric& fabric, const LidMap& lids,
                                              std::span<const std::string> without);

struct CutOff {
  std::vector<bool> nodes;       // by NodeIndex: no path of links leads to it any more
  std::vector<PortIndex> hosts;  // ports of CAs and routers that had a link and are not reached
  /// Pairs (host, LID of another host) of which one is not attached to a switch any more. Tables
  /// say what becomes of the others.
  std::uint64_t pairs = 0;

  bool is_empty() const { return hosts.empty() && nodes.empty(); }
};

/// Compares `fabric` from which disable_links() has taken links with what it was: the links of a
/// port that has a peer and is Down. What stays is the largest connected part, wherever the manager
/// is. Nothing was taken away: empty.
CutOff find_cut_off(const Fabric& fabric, const LidMap& lids);

/// Switches that are cut off keep the tables that they hold: nothing is written to them.
void keep_tables(const Fabric& fabric, const CutOff& cut_off, const ForwardingTables* held,
                 ForwardingTables& planned);
/// Removes the writes to nodes that are cut off.
void drop_writes(const Fabric& fabric, const CutOff& cut_off, Plan& plan);

/// "18 hosts would be cut off: "n36 mlx5_0" port 1, ... and 8 more\n"; "" for none.
std::string cut_off_text(const Fabric& fabric, const CutOff& cut_off);

}  // namespace sm
