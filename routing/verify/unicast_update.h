#pragma once
// In which order forwarding tables are written so that at no moment, whatever part of the writes
// has arrived, packets to a LID go in a circle.
//
// Each switch takes a block of 64 LIDs at once, and until it has acknowledged it may have done so
// or not. So at any moment a switch may lead a LID by one of two ports, and packets cannot
// circulate if the graph of all that switches may do has no circle. A block that passes this test
// with all its writes under way, as nearly all do, is written at once, in any order. Of the others,
// each phase writes the switches whose writes pass it, nearest to the destination first; what they
// led before is gone when they have answered. Where LIDs of one block are in each other's way,
// those that are drop their packets (0xFF) for one phase.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"

namespace routing {

struct LftUnit {
  sm::SwitchIndex sw = 0;
  std::uint32_t block = 0;
  bool operator==(const LftUnit&) const = default;
};

/// What switches hold. Nothing is known of a block: it is taken for one that drops everything, as
/// of a switch that has just started.
struct HeldUnicast {
  const sm::ForwardingTables* tables =
      nullptr;              // rows as in fabric.switches; null: nothing is known at all
  std::vector<bool> known;  // [switch][block of tables]
};

/// The writes of one update, phase by phase: a phase begins when all of the one before have been
/// acknowledged, or given up.
class UnicastUpdate {
 public:
  /// `units`: what has to be written, in the order in which phases have it. `last`: its block comes
  /// after all others, since the manager itself may need it; 0 for none. Nothing is copied but
  /// `units`: all else must live as long as this. `wanted` has no circle itself.
  UnicastUpdate(const sm::SwitchGraph& graph, const HeldUnicast& held,
                const sm::ForwardingTables& wanted, std::vector<LftUnit> units, mad::Lid last = {});
  ~UnicastUpdate();
  UnicastUpdate(const UnicastUpdate&) = delete;
  UnicastUpdate& operator=(const UnicastUpdate&) = delete;

  /// The next phase, by index into units(); empty when nothing is left that may be written. Every
  /// write of a phase has to be told acknowledged() or lost() before the next is asked for. A unit
  /// can come twice.
  std::vector<std::uint32_t> next_phase();
  const std::vector<LftUnit>& units() const;
  /// What is to be written there in this phase.
  std::span<const std::uint8_t, sm::kLftBlockLids> content(std::uint32_t unit) const;
  void acknowledged(std::uint32_t unit);
  /// It may have arrived or not.
  void lost(std::uint32_t unit);
  /// Units that do not hold what is wanted, for all that is known. Those that were never sent hold
  /// what they held.
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
