#pragma once
// Chooses one shortest path for each pair of switches, so that few VLs exclude credit loops.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/hops.h"
#include "routing/qos/acyclic_channels.h"

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

struct MeshAxes {
  std::vector<std::uint8_t> of_channel;  // by channel: its dimension
  unsigned count = 0;
};

/// The dimensions of a mesh, torus or hypercube, found from the links alone. Opposite edges of a
/// square belong to one dimension, and so do two links of a switch that are in no common square. (A
/// ring of four is found as two dimensions of two, which is the same graph.) For graphs without
/// parallel links. `order`: all switches; it gives the numbers of the dimensions. Nothing: a switch
/// has more than two links of one dimension or more than 16 links, or there is only one dimension.
std::optional<MeshAxes> mesh_axes(const fabric::SwitchGraph& graph,
                                  std::span<const fabric::SwitchIndex> order);

/// Selects how LASH chooses between shortest paths.
enum class LashTieBreak : std::uint8_t {
  spread,  // the least loaded of those that close no cycle on one VL with all previous ones
  narrow,  // of these, one whose dependencies exist already: this gives paths along dimensions, if
           // the fabric has some
  mesh,    // in the order of the dimensions
};

/// Holds the next hops of all pairs, `trees` for each pair: LIDs of one port may have different
/// paths. Keeps a reference to the graph.
class LashPaths {
 public:
  LashPaths(const fabric::SwitchGraph& graph, unsigned trees)
      : loads(graph.port.size(), 0),
        graph_(&graph),
        trees_(trees),
        switches_(graph.switches()),
        next_(trees * switches_ * switches_, kNone) {}

  unsigned trees() const { return trees_; }
  static constexpr std::uint8_t kNone = 0xFF;
  /// Returns the channel from `from` towards `to`, as an index among the channels of `from`; kNone
  /// if the switches are not connected.
  std::uint8_t position(unsigned tree, fabric::SwitchIndex from, fabric::SwitchIndex to) const {
    return next_[(tree * switches_ + from) * switches_ + to];
  }
  fabric::ChannelIndex channel(unsigned tree, fabric::SwitchIndex from,
                               fabric::SwitchIndex to) const {
    return graph_->offsets[from] + position(tree, from, to);
  }
  void set(unsigned tree, fabric::SwitchIndex from, fabric::SwitchIndex to,
           fabric::ChannelIndex channel) {
    next_[(tree * switches_ + from) * switches_ + to] =
        static_cast<std::uint8_t>(channel - graph_->offsets[from]);
  }
  void unset(unsigned tree, fabric::SwitchIndex from, fabric::SwitchIndex to) {
    next_[(tree * switches_ + from) * switches_ + to] = kNone;
  }
  /// Makes this object refer to an equal graph.
  void refer_to(const fabric::SwitchGraph& graph) { graph_ = &graph; }

  std::vector<std::uint64_t> loads;  // by channel, in pairs of hosts

 private:
  const fabric::SwitchGraph* graph_;
  unsigned trees_;
  std::size_t switches_;
  std::vector<std::uint8_t> next_;  // [tree][from][to]
};

struct LashSearch {
  const fabric::SwitchGraph& graph;  // without parallel links
  ShortestDag& dag;
  std::span<const std::uint32_t> hosts;  // by switch
  std::span<const fabric::SwitchIndex>
      destinations;  // all switches in sequence; those without hosts last
  unsigned trees = 1;
  unsigned passes = 1;  // more than one: each destination is routed again after all others
  const MeshAxes* axes = nullptr;  // for LashTieBreak::mesh
};

/// Adds to `first_vl` the dependencies of paths between hosts, as far as they close no cycle; with
/// LashTieBreak::mesh, only the dependencies of paths to switches without hosts.
LashPaths choose_paths(const LashSearch& search, LashTieBreak tie_break, AcyclicChannels& first_vl);

}  // namespace routing
