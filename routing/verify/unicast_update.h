#pragma once
// The order in which forwarding tables are written, so that at no moment, whatever part of the
// writes has arrived, the packets of a LID are in a forwarding loop.
//
// A switch takes a block of 64 LIDs at once (LinearForwardingTable, IBTA Vol 1, 14.2.5.10); until
// it has acknowledged, it may hold the old or the new block. So at any moment a switch may forward
// a LID to one of two ports, and no forwarding loop is possible if the graph of all these ports has
// no cycle. A block that passes this check with all its writes in flight, as nearly all do, is
// written at once, in any order. Of the other blocks, each phase writes the switches whose writes
// pass the check, nearest to the destination first; the old entries no longer count once the switch
// has acknowledged. Where LIDs of one block exclude each other, the entries of those that close a
// cycle drop packets (0xFF) for one phase, and the block is written again in a later one.
//
// A unit is one block of one switch. It is pending until next_phase() returns it, then in flight
// until the caller says what became of it. acknowledged(): it is done, or pending again if some of
// its entries dropped packets. lost(): the switch may hold the old or the new block until the end
// of this update; the unit is not written again, both its entries count in every later check, and
// left() lists it for the next sweep. The update has ended when next_phase() returns nothing: all
// units are done or lost, or what remains waits for a write that was lost.
//
// A switch that routes adaptively may forward a LID to more ports than its entry says
// (HeldUnicast::choices). These stay as they are during the update. Where all of them are among
// those that the wanted routing has, they close no cycle with wanted entries, and neither do old
// entries that are among them (HeldUnicast::wanted_groups): these need no order.
//
// Guarantees, if the tables held, with the choices, and the wanted tables have no forwarding loop
// each: at no moment
// is a LID in a forwarding loop, in whatever order writes of one phase arrive, and whichever are
// lost. Entries drop packets only where no order of whole blocks exists, or where so many entries
// need an order that computing it would take longer than the loss; if the write that such an entry
// waits for is lost, it drops packets until the next sweep. The block of `last` is written after
// all others. Nothing is said of credit loops between old and new routes.

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

/// The tables that switches hold. A block that is not known is taken as one that drops all packets,
/// as in a switch after its reset.
struct HeldUnicast {
  const fabric::ForwardingTables* tables =
      nullptr;              // switches as in fabric.switches; null: no block is known
  std::vector<bool> known;  // [switch][block of tables]
  /// By channel of the graph: no data passes yet, so that entries over it drop, and none of those
  /// that are not wanted is left when data does. Empty: data passes everywhere.
  std::vector<bool> idle = {};
  /// Ports to which a switch may forward a LID besides those of its entry, for as long as the
  /// update runs. Null: none.
  std::function<const fabric::PortSet&(fabric::SwitchIndex, mad::Lid)> choices = {};
  /// The groups of the wanted routing, if `choices` are members of them: a group has the wanted
  /// entry, and no choices of its members close a cycle. Null: not known.
  const fabric::AdaptiveGroups* wanted_groups = nullptr;
};

/// The writes of one update, phase by phase: a phase begins when all writes of the previous phase
/// have been acknowledged or have timed out.
class UnicastUpdate {
 public:
  /// `units`: the blocks to write; phases keep this order: all blocks that differ, but those of
  /// `partly`, switches which are not to get some of theirs. `last`: its block is written after all
  /// others, since the SM's own packets may need it; 0 for none. `graph`, `held` and `wanted` must
  /// outlive this object. Precondition: `wanted` has no forwarding loop. Cost: follows the entries
  /// that change.
  UnicastUpdate(const fabric::SwitchGraph& graph, const HeldUnicast& held,
                const fabric::ForwardingTables& wanted, std::vector<LftUnit> units,
                mad::Lid last = {}, std::vector<fabric::SwitchIndex> partly = {});
  ~UnicastUpdate();
  UnicastUpdate(const UnicastUpdate&) = delete;
  UnicastUpdate& operator=(const UnicastUpdate&) = delete;

  /// The next phase, by index into units(); empty when no write is left that is allowed. Call
  /// acknowledged() or lost() for every write of a phase before the next call. A unit can be in two
  /// phases.
  std::vector<std::uint32_t> next_phase();
  const std::vector<LftUnit>& units() const;
  /// The block to write in this phase.
  std::span<const std::uint8_t, fabric::kLftBlockLids> content(std::uint32_t unit) const;
  void acknowledged(std::uint32_t unit);
  /// It may have arrived or not.
  void lost(std::uint32_t unit);
  /// Units that may not hold what is wanted. Those that were never sent hold the old block.
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
