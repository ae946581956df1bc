#pragma once
// One shortest way for each pair of switches, chosen so that few lanes are needed to keep packets
// out of circles.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/engines/virtual_lanes/mesh_axes.h"
#include "routing/graph/shortest_dag.h"
#include "routing/qos/acyclic_channels.h"

namespace routing {

/// Of equally long ways, which one.
enum class LashTaste : std::uint8_t {
  spread,  // the least loaded of those that fit into one lane with all before
  narrow,  // of these rather one that turns where others turn: ways along dimensions come out,
           // where the fabric has some
  mesh,    // along the dimensions, in turn
};

/// Next hops of all pairs, `trees` for each: LIDs of one port may go different ways.
class LashWays {
 public:
  LashWays(const sm::SwitchGraph& graph, unsigned trees)
      : graph_(graph),
        trees_(trees),
        switches_(graph.switches()),
        next_(trees * switches_ * switches_, kNone) {}

  unsigned trees() const { return trees_; }
  static constexpr std::uint8_t kNone = 0xFF;
  /// The slot that `from` sends by; its place among the slots of `from` is kNone where no cables
  /// lead `to`.
  std::uint8_t place(unsigned tree, sm::SwitchIndex from, sm::SwitchIndex to) const {
    return next_[(tree * switches_ + from) * switches_ + to];
  }
  std::uint32_t slot(unsigned tree, sm::SwitchIndex from, sm::SwitchIndex to) const {
    return graph_.offsets[from] + place(tree, from, to);
  }
  void set(unsigned tree, sm::SwitchIndex from, sm::SwitchIndex to, std::uint32_t slot) {
    next_[(tree * switches_ + from) * switches_ + to] =
        static_cast<std::uint8_t>(slot - graph_.offsets[from]);
  }

  std::uint64_t worst = 0;    // load of a slot, in pairs of hosts
  std::uint64_t badness = 0;  // sum of the squares of loads

 private:
  const sm::SwitchGraph& graph_;
  unsigned trees_;
  std::size_t switches_;
  std::vector<std::uint8_t> next_;  // [tree][from][to]
};

struct LashSearch {
  const sm::SwitchGraph& graph;  // without parallel cables
  ShortestDag& dag;
  std::span<const std::uint32_t> hosts;  // per switch
  std::span<const sm::SwitchIndex>
      destinations;  // all switches, one after the other; those without hosts last
  unsigned trees = 1;
  unsigned passes = 1;             // more than one: all choose again when all have chosen
  const MeshAxes* axes = nullptr;  // for LashTaste::mesh
};

/// `first_lane` gets what ways between hosts wait for, as far as they fit into it together; with
/// LashTaste::mesh, only what ways to switches without hosts do.
LashWays choose_ways(const LashSearch& search, LashTaste taste, AcyclicChannels& first_lane);

}  // namespace routing
