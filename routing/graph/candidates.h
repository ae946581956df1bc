#pragma once
// Which ports of a switch are good ways to which other switches: all that the engines that share
// RowRouter (balance.h) differ in.

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/hops.h"

namespace routing {

/// Candidates of one switch at work. Slot numbers count the slots that it was filled for from 0; at
/// most 256. Shape: bit (slot % 64) of word [slot / 64][destination switch]: that slot is a good
/// way there.
class CandidateMasks {
 public:
  CandidateMasks(std::size_t switches)
      : pitch_((switches + 63) / 64 * 64), masks_(kWords * pitch_), plane_(pitch_) {}

  std::size_t words() const { return words_; }
  std::uint64_t word(std::size_t word, sm::SwitchIndex destination) const {
    return masks_[word * pitch_ + destination];
  }
  std::uint64_t& word(std::size_t word, sm::SwitchIndex destination) {
    return masks_[word * pitch_ + destination];
  }

  /// No candidates, for so many slots.
  void clear(std::size_t slots);
  /// Adds slot number `slot` where `here` [destination switch] is what is there plus `weight`. Rows
  /// are padded to 64; a `here` of 0 or of kNoPath must not be looked at afterwards, or not equal
  /// any `there` + weight (modulo the size of Hops). Slots in ascending order, then finish().
  template <class Hops>
  void add(std::size_t slot, const Hops* here, const Hops* there, Hops weight);
  void finish();

 private:
  static constexpr std::size_t kWords = 4;

  std::size_t pitch_, words_ = 0, first_ = 0;  // first_: slot number of the plane's first bit
  std::vector<std::uint64_t> masks_;
  std::vector<std::uint8_t> plane_;  // of eight slots, not yet in masks_
};

/// Bits of one destination's candidates.
using CandidateSet = std::array<std::uint64_t, 4>;

/// Candidates that follow from what is near: so that after a change only some of them have to be
/// looked at again.
class LocalCandidates {
 public:
  virtual ~LocalCandidates() = default;
  /// What a switch's candidates for a destination follow from, besides the switch's cables and
  /// their flags: the entries for this destination in these tables, of the switch and of its
  /// neighbours. Empty: from something else after all.
  virtual std::vector<const HopTable<std::uint8_t>*> tables() const = 0;
  /// Per slot of the graph; empty: none has any.
  virtual std::vector<std::uint8_t> slot_flags() const { return {}; }
  /// Candidates for one destination, slots numbered as they come.
  virtual CandidateSet find_for(sm::SwitchIndex sw, std::span<const std::uint32_t> slots,
                                sm::SwitchIndex destination) const = 0;
};

/// A way to find them.
class Candidates {
 public:
  virtual ~Candidates() = default;
  /// Fills `masks` for the slots (of the graph) of this switch, numbered as they come. Called by
  /// several threads at once.
  virtual void find(sm::SwitchIndex sw, std::span<const std::uint32_t> slots,
                    CandidateMasks& masks) const = 0;
  /// Null if they follow from more than what is near.
  virtual const LocalCandidates* local() const { return nullptr; }
};

/// Slots on shortest ways. Keeps references to all three.
template <class Hops>
class ShortestWays final : public Candidates, public LocalCandidates {
 public:
  /// `weights`: of leaving by each slot, as the table was made with.
  ShortestWays(const sm::SwitchGraph& graph, const HopTable<Hops>& hops,
               std::span<const std::uint8_t> weights)
      : graph_(graph), hops_(hops), weights_(weights) {}
  void find(sm::SwitchIndex sw, std::span<const std::uint32_t> slots,
            CandidateMasks& masks) const override {
    masks.clear(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i)
      masks.add<Hops>(i, hops_.row(sw), hops_.row(graph_.neighbour[slots[i]]), weights_[slots[i]]);
    masks.finish();
  }
  const LocalCandidates* local() const override {
    return std::is_same_v<Hops, std::uint8_t> ? this : nullptr;
  }
  CandidateSet find_for(sm::SwitchIndex sw, std::span<const std::uint32_t> slots,
                        sm::SwitchIndex destination) const override {
    CandidateSet set{};
    const Hops here = hops_.row(sw)[destination];
    for (std::size_t i = 0; i < slots.size() && here != HopTable<Hops>::kNoPath; ++i)
      if (hops_.row(graph_.neighbour[slots[i]])[destination] + weights_[slots[i]] == here)
        set[i / 64] |= std::uint64_t{1} << i % 64;
    return set;
  }
  std::vector<const HopTable<std::uint8_t>*> tables() const override {
    if constexpr (std::is_same_v<Hops, std::uint8_t>) return {&hops_};
    return {};
  }

 private:
  const sm::SwitchGraph& graph_;
  const HopTable<Hops>& hops_;
  std::span<const std::uint8_t> weights_;
};

}  // namespace routing
