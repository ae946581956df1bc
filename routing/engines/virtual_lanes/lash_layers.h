#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/engines/virtual_lanes/lash_ways.h"
#include "routing/qos/acyclic_channels.h"

namespace routing {

/// All slots, by switch in this order, then by port: a sequence that discovery has no part in.
std::vector<std::uint32_t> slots_in_order(const sm::SwitchGraph& graph,
                                          std::span<const sm::SwitchIndex> order);

/// Lanes for the ways of all pairs of switches; both directions of a pair are on one.
class LashLayers {
 public:
  /// `first`: a lane with what the ways were made to fit into. Keeps references to the graph and
  /// the spans. `hosts`: per switch; `order`: all switches.
  LashLayers(const sm::SwitchGraph& graph, LashWays ways, std::span<const std::uint32_t> hosts,
             std::span<const sm::SwitchIndex> order, AcyclicChannels first);

  struct Pair {
    sm::SwitchIndex a, b;
    std::uint8_t tree;
  };
  /// Gives all pairs of switches with hosts the first lane that they fit into, those with the
  /// longest ways first. Stops after lane number `lanes_max`.
  void assign(std::size_t lanes_max);
  bool complete() const { return complete_; }
  std::size_t lanes() const { return lanes_.size(); }
  /// Pairs that the lanes from `lanes` on have.
  std::size_t pairs_beyond(std::size_t lanes) const;
  const Pair& first_beyond(std::size_t lanes) const;

  /// Moves pairs from lanes with many pairs of hosts to lanes with few, where they fit.
  void balance();
  /// Pairs in which a switch has no hosts, in the room that is left. Those that fit nowhere share
  /// the first lane; returns how many.
  std::size_t assign_others();

  std::uint8_t lane(unsigned tree, sm::SwitchIndex from, sm::SwitchIndex to) const {
    return lane_of_[(tree * switches_ + from) * switches_ + to];
  }
  const LashWays& ways() const { return ways_; }
  AcyclicChannels& first_lane() { return lanes_.front(); }

 private:
  bool has_way(const Pair& pair) const {
    return ways_.place(pair.tree, pair.a, pair.b) != LashWays::kNone;
  }
  template <class Allow>
  bool way_fits(const Pair& pair, Allow&& allow) const;
  bool fits(std::size_t lane, const Pair& pair);
  void put(const Pair& pair, std::size_t lane);

  const sm::SwitchGraph& graph_;
  const LashWays ways_;
  std::span<const std::uint32_t> hosts_;
  std::span<const sm::SwitchIndex> order_;
  const std::size_t switches_;
  std::vector<std::uint32_t> slots_;
  std::vector<AcyclicChannels> lanes_;
  std::vector<std::uint8_t> lane_of_;  // [tree][from][to]
  std::vector<Pair> pairs_;            // that assign() has to serve
  bool complete_ = false;
};

}  // namespace routing
