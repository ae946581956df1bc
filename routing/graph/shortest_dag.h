#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/hops.h"

namespace routing {

/// All shortest ways to one switch, for one switch after the other. Keeps references to the graph
/// and the distances.
class ShortestDag {
 public:
  /// `hops`: over the slots that are `open`; both directions of a cable are, or none. `order`: all
  /// switches; equally far sources come in this order.
  ShortestDag(const sm::SwitchGraph& graph, const HopTable<std::uint8_t>& hops,
              std::span<const std::uint8_t> open, std::vector<sm::SwitchIndex> order);

  struct Hop {
    std::uint32_t slot = 0;
    std::uint16_t to = 0;  // a switch has a LID, so there are fewer than 2^16
    std::uint8_t port = 0;
  };
  struct Source {
    sm::SwitchIndex sw;
    std::uint32_t begin, end;  // of its next hops, in port order: into hops()
  };

  void find(sm::SwitchIndex to);

  /// Of the switch that was asked for: those that have a way there, nearest first, without itself.
  std::span<const Source> sources() const { return sources_; }
  const Hop* hops() const { return candidates_.data(); }

 private:
  const HopTable<std::uint8_t>& hops_;
  std::vector<sm::SwitchIndex> order_;
  std::vector<Hop> open_;             // all that may be used
  std::vector<std::uint32_t> first_;  // of them, per switch
  std::vector<Source> sources_;
  std::vector<Hop> candidates_;
};

}  // namespace routing
