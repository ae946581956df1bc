#pragma once
// Orders the writes of forwarding tables so that at no moment, whatever part of the writes has
// arrived, the packets of a LID are in a forwarding loop.
//
// A switch takes a block of 64 LIDs at once (LinearForwardingTable, IBTA Vol 1, 14.2.5.10); until
// it has acknowledged, it may hold the old or the new block. So at any moment a switch may forward
// a LID to one of two ports, and no forwarding loop is possible if the graph of all these ports has
// no cycle. Nearly all blocks pass this check with all writes in flight; such a block is written at
// once, in any order. For the other blocks, each phase writes the switches whose writes pass the
// check, nearest to the destination first. Old entries no longer count once the switch has
// acknowledged. If LIDs of one block exclude each other, the entries that close a cycle drop
// packets (0xFF) for one phase, and a later phase writes the block again.
//
// A unit is one block of one switch. It is pending until next_phase() returns it, then in flight
// until the caller reports its outcome. acknowledged(): the unit is done, or pending again if some
// of its entries dropped packets. lost(): the switch may hold the old or the new block until the
// end of this update; the unit is not written again, both its entries count in every later check,
// and left() lists it for the next sweep. The update has ended when next_phase() returns an empty
// list: all units are done or lost, or the remaining ones wait for a write that was lost.
//
// A switch that routes adaptively may forward a LID to more ports than its entry names
// (HeldUnicast::choices). These ports stay the same during the update. If the wanted routing has
// all of them, they close no cycle with wanted entries, nor do old entries that are among them
// (HeldUnicast::wanted_groups): such entries need no order.
//
// Guarantees, if neither the held tables (with the choices) nor the wanted tables have a forwarding
// loop: at no moment is a LID in a forwarding loop, in whatever order writes of one phase arrive,
// and whichever are lost. Entries drop packets only if no order of whole blocks exists, or if so
// many entries need an order that computing it would take longer than the loss. If the write that
// such an entry waits for is lost, the entry drops packets until the next sweep. The block of
// `last` is written after all others. There is no guarantee on credit loops between old and new
// routes.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"

namespace routing {

struct LftUnit {
  fabric::SwitchIndex sw{0};
  std::uint32_t block = 0;
  bool operator==(const LftUnit&) const = default;
};

/// Holds the tables of switches. An unknown block counts as one that drops all packets, as in a
/// switch after its reset.
struct HeldUnicast {
  const fabric::ForwardingTables* tables =
      nullptr;              // switches as in fabric.switches; null: no block is known
  std::vector<bool> known;  // [switch][block of tables]
  /// Marks channels of the graph that pass no data yet: entries over them drop packets, and no
  /// unwanted entry is left by the time data passes. Empty means that data passes everywhere.
  std::vector<bool> idle = {};
  /// Returns the ports to which a switch may forward a LID besides its entry, as long as the update
  /// runs. Null if there are none.
  std::function<const fabric::PortSet&(fabric::SwitchIndex, mad::Lid)> choices = {};
  /// The groups of the wanted routing, if `choices` are members of them: a group contains the
  /// wanted entry, and no choices of its members close a cycle. Null if they are not known.
  const fabric::AdaptiveGroups* wanted_groups = nullptr;
};

/// The writes of one update, phase by phase: a phase begins when all writes of the previous phase
/// have been acknowledged or have timed out.
class UnicastUpdate {
 public:
  /// `units` are the blocks to write, in the order that phases keep: all blocks that differ, except
  /// those of `partly`, switches that do not get some of their blocks. `last`: its block is written
  /// after all others, because the SM's own packets may need it; 0 for none. `graph`, `held` and
  /// `wanted` must outlive this object. Precondition: `wanted` has no forwarding loop. The cost
  /// depends on the entries that change.
  UnicastUpdate(const fabric::SwitchGraph& graph, const HeldUnicast& held,
                const fabric::ForwardingTables& wanted, std::vector<LftUnit> units,
                mad::Lid last = {}, std::vector<fabric::SwitchIndex> partly = {});
  ~UnicastUpdate();
  UnicastUpdate(const UnicastUpdate&) = delete;
  UnicastUpdate& operator=(const UnicastUpdate&) = delete;

  /// Returns the next phase, by index into units(); empty when no permitted write is left. Call
  /// acknowledged() or lost() for every write of a phase before the next call. A unit can be in two
  /// phases.
  std::vector<std::uint32_t> next_phase();
  const std::vector<LftUnit>& units() const;
  /// Returns the block to write in this phase.
  std::span<const std::uint8_t, fabric::kLftBlockLids> content(std::uint32_t unit) const;
  void acknowledged(std::uint32_t unit);
  /// Reports that the write may or may not have arrived.
  void lost(std::uint32_t unit);
  /// A unit that may not hold the wanted content. A unit that was never sent holds the old block.
  struct Left {
    std::uint32_t unit;
    bool sent;
  };
  std::vector<Left> left() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace routing
