#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/hops.h"

namespace routing {

/// The directed acyclic graph of all shortest paths to one switch. Keeps references to the graph
/// and the distances.
class ShortestDag {
 public:
  /// `hops`: distances over the channels that are `open`; a link is open in both directions or in
  /// none. `order`: all switches; it decides the order of sources at equal distance.
  ShortestDag(const fabric::SwitchGraph& graph, const HopTable<std::uint8_t>& hops,
              std::span<const std::uint8_t> open, std::vector<fabric::SwitchIndex> order);

  struct Hop {
    fabric::ChannelIndex channel;
    std::uint16_t to = 0;  // every switch has a LID, so there are fewer than 2^16
    std::uint8_t port = 0;
  };
  struct Source {
    fabric::SwitchIndex sw;
    std::uint32_t begin, end;  // its next hops, in port order: indices into hops()
  };

  void find(fabric::SwitchIndex to);

  /// Returns all switches with a path to the switch of find(), nearest first, without this switch.
  std::span<const Source> sources() const { return sources_; }
  const Hop* hops() const { return candidates_.data(); }

 private:
  const HopTable<std::uint8_t>& hops_;
  std::vector<fabric::SwitchIndex> order_;
  std::vector<Hop> open_;             // all open channels
  std::vector<std::uint32_t> first_;  // index into open_, by switch
  std::vector<Source> sources_;
  std::vector<Hop> candidates_;
};

}  // namespace routing
