#pragma once
// Trees of multicast groups. A group's cables between switches are a tree at all times, since
// packets on a circle multiply for ever.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/multicast_tables.h"
#include "fabric/switch_graph.h"
#include "mad/ids.h"

namespace routing {

/// Who uses an MLID; groups (MGIDs) that share one are one. End ports by PortIndex of the fabric,
/// in any order, repeats allowed.
struct MulticastGroup {
  mad::Mlid mlid;
  std::vector<sm::PortIndex> receivers;  // get every packet once, but for their own
  std::vector<sm::PortIndex>
      senders;            // who only send: their packets reach the receivers, they get none
  std::uint16_t sls = 1;  // bit n: packets carry SL n
  bool operator==(const MulticastGroup&) const = default;
};
/// Sorted by MLID, one group for each.
std::vector<MulticastGroup> joined_by_mlid(std::vector<MulticastGroup> groups);

/// What the fabric itself keeps a group from.
struct MulticastFinding {
  enum class Kind : std::uint8_t {
    no_multicast,  // the switch of this port has no multicast table, or a shorter one than the MLID
                   // needs
    in_pieces,     // no way over switches that forward multicast leads from this port to the larger
                   // part of the group
    turns,  // no switch is above all members: packets turn from down to up, and share their virtual
            // lanes with all others
  };
  Kind kind;
  mad::Mlid mlid;
  sm::PortIndex port = sm::kNoIndex;  // kNoIndex for turns
  bool operator==(const MulticastFinding&) const = default;
};
sm::Condition condition_of(const MulticastFinding& finding, const sm::Fabric& fabric);

/// Makes and keeps the trees of all MLIDs of one fabric. No I/O; the same fabric, tables and calls
/// give the same trees.
///
/// Deadlocks: every tree has a root, and all its other switches hang below it in the sense of
/// TreeOrder, which is one order for the whole fabric. So
///   packets climb and then descend, on all trees, and cannot wait for each other in a circle.
///   Together with unicast on the same lane that holds where unicast follows the same order:
///   min-hop, ftree and updn on fabrics that are trees. Where unicast is kept from deadlocks by
///   lanes (dfsssp, lash, nue, torus-2QoS), groups want a lane (SL) of their own;
///   multicast_dependencies() tells a verifier what they add to a lane otherwise. Only where no
///   switch is above all members does a tree turn, and a finding tells.
/// Stability: a tree stays as long as its cables are there and it is legal. Who joins is grafted on
/// by the shortest legal branch, who leaves is
///   pruned, and nothing else changes. Trees are never moved for balance.
/// Balance: a new root is one of those with the smallest largest distance, then the smallest sum of
/// distances, then the least load around it (MLIDs on its
///   cables and its neighbours'), then by a hash of MLID and node GUID. Branches go by (hops, load
///   of the cable, hash), parallel cables included.
class MulticastRouter {
 public:
  /// Copies what it needs of fabric and graph. `previous`: what was there before, rows as in
  /// fabric.switches; empty for nothing. A tree in it that somebody else has made is as good as our
  /// own. `centres_before`: see tree_order(). `up`: RoutingResult::multicast_up; empty for no such
  /// tree.
  MulticastRouter(const sm::Fabric& fabric, const sm::SwitchGraph& graph,
                  sm::MulticastTables previous, std::span<const mad::Guid> centres_before = {},
                  std::span<const std::uint32_t> up = {});
  ~MulticastRouter();
  MulticastRouter(MulticastRouter&&) noexcept;
  MulticastRouter& operator=(MulticastRouter&&) noexcept;

  /// Makes the tables serve the group as it is now. The MLID must be 0xC000..0xFFFE. Findings are
  /// appended.
  void route(const MulticastGroup& group, std::vector<MulticastFinding>& findings);
  /// Nobody uses the MLID any more.
  void clear(mad::Mlid mlid);
  /// All groups: MLIDs that are not among them are cleared, those with a tree come before new ones,
  /// and of these the larger first. `groups` as joined_by_mlid() has them.
  void route_all(std::span<const MulticastGroup> groups, std::vector<MulticastFinding>& findings);

  const sm::MulticastTables& tables() const;
  std::span<const mad::Guid> centres() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace routing
