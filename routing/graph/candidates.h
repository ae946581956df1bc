#pragma once
// Candidates are the ports of a switch that may be used towards a destination switch. The engines
// of engines/distance differ only in their Candidates.

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/hops.h"

namespace routing {

/// Holds the candidates of one switch. Channels are numbered from 0 in the order in which they were
/// given; at most 256. Shape: bit (channel % 64) of word [channel / 64][destination switch] is 1 if
/// the channel is a candidate.
class CandidateMasks {
 public:
  CandidateMasks(std::size_t switches)
      : pitch_((switches + 63) / 64 * 64), masks_(kWords * pitch_), plane_(pitch_) {}

  std::size_t words() const { return words_; }
  std::uint64_t word(std::size_t word, fabric::SwitchIndex destination) const {
    return masks_[word * pitch_ + destination];
  }
  std::uint64_t& word(std::size_t word, fabric::SwitchIndex destination) {
    return masks_[word * pitch_ + destination];
  }

  /// Removes all candidates and sets the number of channels.
  void clear(std::size_t channels);
  /// Adds channel number `channel` for each destination for which here[destination] =
  /// there[destination] + weight. Both rows are padded to 64. If `here` is 0 or kNoPath, the result
  /// must not be used, or there + weight (modulo the size of Hops) must differ. Call it for
  /// channels in ascending order, then call finish().
  template <class Hops>
  void add(std::size_t channel, const Hops* here, const Hops* there, Hops weight);
  void finish();

 private:
  static constexpr std::size_t kWords = 4;

  std::size_t pitch_, words_ = 0, first_ = 0;  // first_: the channel of the plane's first bit
  std::vector<std::uint64_t> masks_;
  std::vector<std::uint8_t> plane_;  // of eight channels, not yet in masks_
};

/// A set of pairs of switches; without memory while it is empty.
class TurningPairs {
 public:
  TurningPairs() = default;
  explicit TurningPairs(std::size_t switches) : switches_(switches) {}
  void add(fabric::SwitchIndex from, fabric::SwitchIndex to) {
    if (bits_.empty()) bits_.resize(switches_ * words());
    bits_[from * words() + to / 64] |= std::uint64_t{1} << to % 64;
  }
  bool has(fabric::SwitchIndex from, fabric::SwitchIndex to) const {
    return !bits_.empty() && (bits_[from * words() + to / 64] >> to % 64 & 1) != 0;
  }

 private:
  std::size_t words() const { return (switches_ + 63) / 64; }

  std::size_t switches_ = 0;
  std::vector<std::uint64_t> bits_;  // [from][to / 64]
};

/// Describes packets that go towards one leaf first (up_down.h).
struct TurningHops {
  std::vector<fabric::SwitchIndex> next;  // by switch: the next one; empty: there are none
  TurningPairs pairs;
};

/// The candidates of one destination.
using CandidateSet = std::array<std::uint64_t, 4>;

/// Describes candidates that depend only on the switch and its neighbours, so that an incremental
/// routing can recompute part of them.
class LocalCandidates {
 public:
  virtual ~LocalCandidates() = default;
  /// Returns the tables on which the candidates depend, besides the switch's links and their flags:
  /// of each table, the entries for the destination in the rows of the switch and of its
  /// neighbours. Returns an empty list if they depend on something else.
  virtual std::vector<const HopTable<std::uint8_t>*> tables() const = 0;
  /// Returns the object that contains tables(), if it may outlive the candidates; otherwise null.
  virtual std::shared_ptr<const void> owner_of_tables() const { return nullptr; }
  /// Returns flags by channel of the graph; empty if no channel has a flag.
  virtual std::vector<std::uint8_t> channel_flags() const { return {}; }
  /// Says for which pairs turns() can be true, and what the only next switch is then.
  virtual TurningHops turning_hops() const { return {}; }
  virtual bool turns(fabric::SwitchIndex, fabric::SwitchIndex /*to*/) const { return false; }
  /// Returns candidates for one destination; channels are numbered as given.
  virtual CandidateSet find_for(fabric::SwitchIndex sw,
                                std::span<const fabric::ChannelIndex> channels,
                                fabric::SwitchIndex destination) const = 0;
};

/// Computes candidates.
class Candidates {
 public:
  virtual ~Candidates() = default;
  /// Fills `masks` for these channels (of the graph) of the switch, numbered as given. Several
  /// threads call it at once.
  virtual void find(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                    CandidateMasks& masks) const = 0;
  /// Returns null if the candidates depend on more than the neighbourhood.
  virtual const LocalCandidates* local() const { return nullptr; }
};

/// Selects channels on shortest paths. Keeps references to the graph, the hops and the weights.
template <class Hops>
class ShortestPaths final : public Candidates, public LocalCandidates {
 public:
  /// `weights`: by channel, as used for the table. `owner`: the owner of the table, or null.
  ShortestPaths(const fabric::SwitchGraph& graph, const HopTable<Hops>& hops,
                std::span<const std::uint8_t> weights, std::shared_ptr<const void> owner = nullptr)
      : graph_(graph), hops_(hops), weights_(weights), owner_(std::move(owner)) {}
  void find(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
            CandidateMasks& masks) const override {
    masks.clear(channels.size());
    for (std::size_t i = 0; i < channels.size(); ++i)
      masks.add<Hops>(i, hops_.row(sw), hops_.row(graph_.neighbour[channels[i]]),
                      weights_[channels[i]]);
    masks.finish();
  }
  const LocalCandidates* local() const override {
    if constexpr (std::is_same_v<Hops, std::uint8_t>)
      return this;
    else
      return nullptr;
  }
  CandidateSet find_for(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                        fabric::SwitchIndex destination) const override {
    CandidateSet set{};
    const Hops here = hops_.row(sw)[destination];
    for (std::size_t i = 0; i < channels.size() && here != HopTable<Hops>::kNoPath; ++i)
      if (hops_.row(graph_.neighbour[channels[i]])[destination] + weights_[channels[i]] == here)
        set[i / 64] |= std::uint64_t{1} << i % 64;
    return set;
  }
  std::vector<const HopTable<std::uint8_t>*> tables() const override {
    if constexpr (std::is_same_v<Hops, std::uint8_t>) return {&hops_};
    return {};
  }
  std::shared_ptr<const void> owner_of_tables() const override { return owner_; }

 private:
  const fabric::SwitchGraph& graph_;
  const HopTable<Hops>& hops_;
  std::span<const std::uint8_t> weights_;
  std::shared_ptr<const void> owner_;
};

/// Returns ShortestPaths that own the table and the weights. Keeps a reference to the graph.
template <class Hops>
std::shared_ptr<const Candidates> make_shortest(const fabric::SwitchGraph& graph,
                                                std::shared_ptr<const HopTable<Hops>> hops,
                                                std::vector<std::uint8_t> weights) {
  struct Owner {
    std::vector<std::uint8_t> weights;
    ShortestPaths<Hops> candidates;
    Owner(const fabric::SwitchGraph& of, std::shared_ptr<const HopTable<Hops>> table,
          std::vector<std::uint8_t> by)
        : weights(std::move(by)), candidates(of, *table, weights, table) {}
  };
  auto owner = std::make_shared<const Owner>(graph, std::move(hops), std::move(weights));
  return {owner, &owner->candidates};
}

}  // namespace routing
