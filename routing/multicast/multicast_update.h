#pragma once
// Orders the writes of multicast forwarding tables so that at no moment, whatever part of the
// writes has arrived, a packet of a member loops or is delivered twice.
//
// Phase 1 writes (held AND wanted) to every switch, which removes unwanted entries. When all
// switches have acknowledged, phase 2 writes the wanted tables. During phase 1 the links in use are
// a part of the old tree, during phase 2 a part of the new one; a part of a tree has no cycle, and
// at most one path between any two switches. A join needs no phase 1, a leave no phase 2. One SMP
// writes 32 MLIDs by 16 ports, so all its MLIDs are in the same phase.
//
// A unit that does not matter for the wanted trees (MattersNow) may stay unknown while both phases
// run: a switch outside the trees may still hold entries of an earlier manager. Call T the switches
// of a wanted tree and of both ends of its links. All units of T are known, and cleared in phase 1
// of what is not wanted; so its switches hold a part of the wanted entries, which lead only to
// switches of T and to end ports of the tree. Hence no packet leaves T over a link between
// switches, and what moves within T follows one tree: no packet loops through T. A packet of a host
// outside of T, which is not a member, uses stale entries alone, as before these writes. It may
// enter T where such an entry leads there, and members may receive it twice, until the audit has
// read the unit. A link that becomes Active could close a cycle of stale entries: where a link of T
// is not Active yet, the unit by which the neighbour could forward into T must be known, too, and
// nothing enters T there. Neither phase adds an entry outside of T. A tree that grows makes further
// units matter; these are read before anything is written.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/multicast_tables.h"
#include "fabric/switch_graph.h"

namespace routing {

enum class MftKnowledge : std::uint8_t {
  unknown,  // the switch may hold anything
  at_most,  // no other ports than these: a write was not acknowledged, and may or may not have been
            // done
  exact,
};

/// Holds the multicast tables of switches, and how far they are known.
struct HeldMulticast {
  fabric::MulticastTables tables;
  std::vector<MftKnowledge> knowledge;  // by unit number; changed by the functions below

  HeldMulticast() = default;
  HeldMulticast(std::size_t switches, std::size_t positions) : tables(switches, positions) {}
  /// Extends the tables to at least `blocks`; the content of new blocks is unknown.
  void grow(std::size_t blocks);
  MftKnowledge of(fabric::MftUnit unit) const { return knowledge[tables.unit_number(unit)]; }
  void learn(fabric::MftUnit unit, std::span<const std::uint8_t, fabric::kMftBytes> content);
  /// Notes that a write of `content` was sent and not acknowledged.
  void mark_unknown(fabric::MftUnit unit, std::span<const std::uint8_t, fabric::kMftBytes> content);
  void forget(fabric::SwitchIndex sw);

  /// True if, at the last settle(), switches held exactly the block of `wanted`, except for unknown
  /// units that do not matter now.
  bool agrees(std::size_t block, const fabric::MulticastTables& wanted) const {
    return is_converged(block) && converged_[block] == wanted.content(block);
  }
  /// True if all units of the block are known and agree, except for units that do not matter now.
  bool is_converged(std::size_t block) const {
    return block < converged_.size() && converged_[block];
  }
  /// Finds blocks that agree. The cost depends on the blocks that changed since the last call.
  void settle(const fabric::Fabric& fabric, const fabric::MulticastTables& wanted);
  /// Notes that the units of a switch may have changed.
  void mark_pending() { converged_.clear(); }

 private:
  void mark_pending(std::size_t block) {
    if (block < converged_.size()) converged_[block] = nullptr;
  }
  std::vector<std::shared_ptr<const void>> converged_;  // by block: MulticastTables::content()
};

using MftContent = std::array<std::uint8_t, fabric::kMftBytes>;

/// True if the switch has ports and table entries for this unit (NumPorts, MulticastFDBCap).
bool has_unit(const fabric::Fabric& fabric, fabric::MftUnit unit);

/// Selects the units of a block that must be known before entries are added to it: all units of the
/// switches of the wanted trees, and those by which another switch could forward into the trees
/// over a link that is not Active yet. The first call of includes() costs time proportional to the
/// links of these trees.
class MattersNow {
 public:
  /// Keeps references to the fabric and the tables.
  MattersNow(const fabric::Fabric& fabric, const fabric::MulticastTables& wanted, std::size_t block)
      : fabric_(fabric), wanted_(wanted), block_(block) {}
  /// True if `unit`, which is in the block, matters now.
  bool includes(fabric::MftUnit unit) {
    if (block_ >= wanted_.blocks()) return false;
    if (units_.empty()) find();
    return units_[unit.sw * wanted_.positions() + unit.position];
  }

 private:
  void find();

  const fabric::Fabric& fabric_;
  const fabric::MulticastTables& wanted_;
  const std::size_t block_;
  std::vector<bool> units_;  // [switch][position]; empty: not computed yet
};

/// Returns the unknown units that matter now.
std::vector<fabric::MftUnit> mft_missing(const fabric::Fabric& fabric, const HeldMulticast& held,
                                         const fabric::MulticastTables& wanted);

/// Phase 1: returns the units that may hold unwanted ports, without unknown units that do not
/// matter now; one unit of every switch before the next unit of any. `held` has at least as many
/// blocks as `wanted`.
std::vector<fabric::MftUnit> mft_removals(const fabric::Fabric& fabric, const HeldMulticast& held,
                                          const fabric::MulticastTables& wanted);
/// Returns the content that phase 1 writes: held AND wanted. It is all zero if the content is
/// unknown, because the switch may lack any bit.
MftContent mft_remainder(const HeldMulticast& held, const fabric::MulticastTables& wanted,
                         fabric::MftUnit unit);

/// The tables that phase 2 may write, given what switches hold after phase 1.
struct Attainable {
  fabric::MulticastTables tables;
  /// Marks the channels of the graph whose link may be part of a forwarding loop. Such a link must
  /// not become Active now if it does not carry data yet. Empty if there are no such links.
  std::vector<bool> hold_back;
};
/// Returns the wanted tables, except for MLIDs of which some switch may still send to unwanted
/// ports. For these MLIDs, links are left out that would close a cycle with such ports. Nothing is
/// added to a component that may already have a cycle (once all its links are Active). A switch
/// that no packet can enter does not count.
Attainable attainable(const fabric::Fabric& fabric, const fabric::SwitchGraph& graph,
                      const HeldMulticast& held, const fabric::MulticastTables& wanted);
/// Phase 2: returns the units to write to reach `target`, except those without a response in phase
/// 1.
std::vector<fabric::MftUnit> mft_additions(const fabric::Fabric& fabric, const HeldMulticast& held,
                                           const fabric::MulticastTables& wanted,
                                           const fabric::MulticastTables& target);

/// A channel dependency: a packet that holds the channel `from` requests the channel `to`. A
/// channel is one direction of a link, by its index in the graph (at the switch that sends).
struct ChannelDependency {
  fabric::ChannelIndex from, to;
  bool operator==(const ChannelDependency&) const = default;
};
/// Appends the channel dependencies of an MLID's tree. Cost: the sum over all switches of (links of
/// the tree at the switch)^2.
void multicast_dependencies(const fabric::SwitchGraph& graph, const fabric::MulticastTables& tables,
                            mad::Mlid mlid, std::vector<ChannelDependency>& dependencies);

}  // namespace routing
