#pragma once
// In which order tables are written so that at no moment, whatever part of the writes has arrived,
// a packet circulates or is delivered twice.
//
// First every switch is told to forget what is not wanted (what it holds AND what is wanted). When
// all have acknowledged, every switch is told what is wanted. During the first phase the cables in
// use are a part of the old tree, during the second a part of the new one; a part of a tree has no
// circle, and one way at most between any two. Who only joins needs no first phase, who only leaves
// no second. One SMP writes 32 MLIDs by 16 ports, so all its MLIDs go through a phase together.

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/multicast_tables.h"
#include "fabric/switch_graph.h"

namespace routing {

enum class MftKnowledge : std::uint8_t {
  unknown,  // anything
  at_most,  // no other ports than these: a write was not acknowledged, and may have been done or
            // not
  exact,
};

/// What switches hold.
struct HeldMulticast {
  sm::MulticastTables tables;
  std::vector<MftKnowledge> knowledge;  // by number of the unit

  HeldMulticast() = default;
  HeldMulticast(std::size_t switches, std::size_t positions) : tables(switches, positions) {}
  /// At least so many blocks; of the new ones nothing is known.
  void grow(std::size_t blocks);
  MftKnowledge of(sm::MftUnit unit) const { return knowledge[tables.unit_number(unit)]; }
  void learn(sm::MftUnit unit, std::span<const std::uint8_t, sm::kMftBytes> content);
  /// It was sent, and nobody knows whether it was done.
  void doubt(sm::MftUnit unit, std::span<const std::uint8_t, sm::kMftBytes> content);
  void forget(sm::SwitchIndex sw);
};

using MftContent = std::array<std::uint8_t, sm::kMftBytes>;

/// The switch has ports and table entries for this unit.
bool has_unit(const sm::Fabric& fabric, sm::MftUnit unit);

/// Phase 1: units that may hold ports that are not wanted, one of every switch before the next of
/// any. `held` has at least as many blocks as `wanted`.
std::vector<sm::MftUnit> mft_removals(const sm::Fabric& fabric, const HeldMulticast& held,
                                      const sm::MulticastTables& wanted);
/// What is written there: what it holds and shall keep. Nothing if it may hold anything, since that
/// could be more than it holds.
MftContent mft_remainder(const HeldMulticast& held, const sm::MulticastTables& wanted,
                         sm::MftUnit unit);

/// What phase 2 may write, given what switches hold after phase 1.
struct Attainable {
  sm::MulticastTables tables;
  /// By slot of the graph: packets may get into a circle that this cable is part of. A cable that
  /// does not carry data yet must not become Active now. Empty if there are none.
  std::vector<bool> hold_back;
};
/// All that is wanted, but for MLIDs of which some switch still may send to ports that are not
/// wanted. Of these, the cables that would close a circle together with it are left out, and
/// nothing is added to a part that may have a circle already (as soon as all its cables are
/// Active). A switch that no packet can enter does no harm.
Attainable attainable(const sm::Fabric& fabric, const sm::SwitchGraph& graph,
                      const HeldMulticast& held, const sm::MulticastTables& wanted);
/// Phase 2: units that are to be written to get to `target`, without those that did not answer in
/// phase 1.
std::vector<sm::MftUnit> mft_additions(const sm::Fabric& fabric, const HeldMulticast& held,
                                       const sm::MulticastTables& wanted,
                                       const sm::MulticastTables& target);

/// A packet that came over the channel `from` waits for the channel `to`. A channel is one
/// direction of a cable: the slot of the graph that it leaves by.
struct ChannelDependency {
  std::uint32_t from = 0, to = 0;
  bool operator==(const ChannelDependency&) const = default;
};
/// What an MLID adds to the channel dependencies of its lane. Sum over switches of (cables of the
/// tree there)^2.
void multicast_dependencies(const sm::SwitchGraph& graph, const sm::MulticastTables& tables,
                            mad::Mlid mlid, std::vector<ChannelDependency>& dependencies);

}  // namespace routing
