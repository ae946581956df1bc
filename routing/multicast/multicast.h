#pragma once
// Computes the trees of multicast groups. A group's links between switches are a tree at all times,
// because packets in a forwarding loop would multiply for ever.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/multicast_tables.h"
#include "fabric/switch_graph.h"
#include "mad/ids.h"
#include "routing/multicast/multicast_groups.h"

namespace routing {

class MulticastTrees;

/// Builds and maintains the trees of all MLIDs of one fabric. No I/O; the same fabric, tables and
/// calls give the same trees.
///
/// Credit loops: every tree has a root, and all its other switches are below it in TreeOrder, which
///   is one order for the whole fabric. So packets go up and then down on all trees, and the
///   channel dependencies of all trees together have no cycle. With unicast on the same VL this
///   holds if unicast follows the same order: min-hop, ftree and updn on fabrics that are trees. If
///   VLs make unicast deadlock-free (dfsssp, lash, nue, torus-2QoS), groups need their own SL and
///   VL; otherwise multicast_dependencies() gives the dependencies that they add to the VLs. A tree
///   turns from down to up only if no switch is above all members; a finding reports the turn.
/// Stability: a tree stays as long as its links are up and it is legal. A new member is added by
///   the shortest legal branch, a branch without members is pruned, and nothing else changes. Trees
///   are never moved for balance.
/// Balance: a new root has the smallest largest distance, then the smallest sum of distances, then
///   the least load around it (MLIDs on its links and its neighbours'), then the lowest hash of
///   MLID and NodeGUID. Branches are chosen by (hops, load of the link, hash), parallel links
///   included. For trees of few switches, loads that are nearly the same count as equal, and a
///   switch that has entries in the block of the MLID comes first among them: fewer blocks are
///   written.
class MulticastRouter {
 public:
  /// Copies the necessary parts of fabric and graph. `previous`: the tables so far, switches as in
  /// fabric.switches; empty if there are none. Trees that another SM made are kept, too.
  /// `previous_centres`: see tree_order(). `up`: RoutingResult::multicast_up; empty if there is no
  /// such tree.
  MulticastRouter(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                  fabric::MulticastTables previous,
                  std::span<const mad::Guid> previous_centres = {},
                  std::span<const fabric::ChannelIndex> up = {});
  ~MulticastRouter();
  MulticastRouter(MulticastRouter&&) noexcept;
  MulticastRouter& operator=(MulticastRouter&&) noexcept;

  /// Updates the tables for the members of the group. The MLID must be 0xC000..0xFFFE. Findings are
  /// appended.
  void route(const MulticastGroup& group, std::vector<MulticastFinding>& findings);
  /// Removes the tree of an MLID that no longer has members.
  void clear(mad::Mlid mlid);
  /// Routes all groups and clears MLIDs of no group. Groups with a tree come before new groups,
  /// larger groups before smaller ones. `groups` as joined_by_mlid() returns them.
  void route_all(std::span<const MulticastGroup> groups, std::vector<MulticastFinding>& findings);

  /// Returns trees for `groups` on a fabric with the same switches and links between them, at the
  /// same indices; its end ports may differ. The trees equal those of a new router with the tables
  /// of this one after route_all(). The cost is a comparison of all members, and routes for groups
  /// whose members, or the ports of members, have changed. `known`: the groups of this router.
  /// `known_findings`: its findings on them. Returns nullopt if switches or links differ, or if all
  /// groups share one tree.
  std::optional<MulticastRouter> updated(const fabric::Fabric& fabric,
                                         const fabric::SwitchGraph& graph,
                                         std::span<const MulticastGroup> known,
                                         std::span<const MulticastFinding> known_findings,
                                         std::span<const MulticastGroup> groups,
                                         std::vector<MulticastFinding>& findings) const;
  /// True if the trees may add channel dependencies that they did not add at the last
  /// note_dependencies_checked().
  bool has_new_dependencies() const;
  void note_dependencies_checked();

  const fabric::MulticastTables& tables() const;
  std::span<const mad::Guid> centres() const;

 private:
  explicit MulticastRouter(std::unique_ptr<MulticastTrees> trees);

  std::unique_ptr<MulticastTrees> trees_;
};

}  // namespace routing
