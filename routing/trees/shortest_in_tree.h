#pragma once
// Shortest paths that go up and then down where such a path is a shortest one.

#include <memory>

#include "routing/graph/candidates.h"
#include "routing/graph/up_down.h"

namespace routing {

/// Selects next hops on shortest paths: those on legal ones (up_down.h), if a legal path is no
/// longer than the shortest; else, for pairs that turn, the one towards the turning leaf, if it is
/// on a shortest path; else all. So paths are as short as minhop's, and close no cycle of channel
/// dependencies where the tree allows it.
class ShortestInTree final : public Candidates, public LocalCandidates {
 public:
  struct Lengths {
    UpDownOrder order;
    std::shared_ptr<const HopTable<std::uint8_t>> hops;
    UpDownDistances distances;
  };
  /// Keeps a reference to the graph.
  ShortestInTree(const fabric::SwitchGraph& graph, std::shared_ptr<const Lengths> lengths)
      : graph_(graph), lengths_(std::move(lengths)) {}

  void find(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
            CandidateMasks& masks) const override;
  const LocalCandidates* local() const override { return this; }
  CandidateSet find_for(fabric::SwitchIndex sw, std::span<const fabric::ChannelIndex> channels,
                        fabric::SwitchIndex destination) const override;
  /// The hops come last, after those of UpDownCandidates.
  std::vector<const HopTable<std::uint8_t>*> tables() const override {
    const UpDownDistances& distances = lengths_->distances;
    return {&distances.down, &distances.legal, &distances.completed, lengths_->hops.get()};
  }
  std::shared_ptr<const void> owner_of_tables() const override { return lengths_; }
  std::vector<std::uint8_t> channel_flags() const override {
    return down_flags(graph_, lengths_->order);
  }
  TurningHops turning_hops() const override {
    return {lengths_->distances.next_to_leaf, lengths_->distances.turning};
  }
  bool turns(fabric::SwitchIndex sw, fabric::SwitchIndex to) const override;

 private:
  const fabric::SwitchGraph& graph_;
  std::shared_ptr<const Lengths> lengths_;
};

}  // namespace routing
