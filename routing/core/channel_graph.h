#pragma once
// The channel dependency graph: vertices are (channel, VL), edges are channel dependencies. Source:
// Dally and Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, 1987.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// One direction of a link between switches, on one VL. Links to hosts are left out: no cycle
/// contains them.
struct Channel {
  fabric::ChannelIndex channel;
  std::uint8_t vl = 0;
  bool operator==(const Channel&) const = default;
};

/// A packet may hold `from` while it waits for `to`; `to` leaves the switch that `from` leads to.
/// Represents dependencies beyond unicast, such as those of a multicast tree.
struct Dependency {
  Channel from, to;
};

/// Holds channel dependencies: one bit for each pair (channel in, channel out) of a switch, per VL.
class ChannelGraph {
 public:
  /// Creates a graph for VLs 0 .. vls - 1. `vls_change`: SLtoVL mapping may change the VL of a
  /// packet between hops.
  ChannelGraph(const fabric::SwitchGraph& graph, unsigned vls, bool vls_change);

  unsigned vls() const { return vls_; }
  /// Adds a dependency. `to_index` is the index of the channel among those of the switch that
  /// `from_channel` leads to. `to_vl` equals `from_vl` unless VLs change.
  void add(fabric::ChannelIndex from_channel, unsigned from_vl, unsigned to_index, unsigned to_vl) {
    std::uint64_t* const row = rows_.data() + (from_vl * channels_ + from_channel) * row_words_;
    row[(vls_change_ ? to_vl : 0) * words_ + to_index / 64] |= std::uint64_t{1} << to_index % 64;
  }
  /// Ignores a dependency that is not in this graph (VL, channel, or no common switch).
  void add(const Dependency& dependency);
  /// Returns these dependencies on another graph, to which the result refers. `current_channel`
  /// maps each channel of this graph to the other graph; kNoIndex: it does not exist there.
  ChannelGraph moved_to(const fabric::SwitchGraph& graph,
                        std::span<const fabric::ChannelIndex> current_channel) const;
  /// Makes this graph refer to an equal switch graph.
  void refer_to(const fabric::SwitchGraph& graph) { graph_ = &graph; }
  /// Adds the dependencies of a graph of the same shape.
  void merge(const ChannelGraph& other);

  std::uint64_t dependencies() const;
  /// Calls visit(vertex) for each vertex on which this one depends.
  template <class Visit>
  void for_each_next(std::uint32_t vertex, Visit&& visit) const;
  std::uint32_t vertices() const { return static_cast<std::uint32_t>(vls_ * channels_); }
  Channel channel(std::uint32_t vertex) const {
    return {fabric::ChannelIndex(vertex % channels_),
            static_cast<std::uint8_t>(vertex / channels_)};
  }

 private:
  const fabric::SwitchGraph* graph_;
  std::size_t channels_, words_, row_words_;
  unsigned vls_;
  bool vls_change_;
  std::vector<std::uint64_t>
      rows_;  // [vl][channel][VL of the next, if VLs change][index of the next / 64]
};

template <class Visit>
void ChannelGraph::for_each_next(std::uint32_t vertex, Visit&& visit) const {
  const std::size_t vl = vertex / channels_;
  const fabric::ChannelIndex channel(vertex % channels_);
  const fabric::ChannelIndex first = graph_->offsets[graph_->neighbour[channel]];
  const std::uint64_t* const row = rows_.data() + vertex * row_words_;
  for (std::size_t word = 0; word < row_words_; ++word) {
    const std::size_t base =
        (vls_change_ ? word / words_ : vl) * channels_ + first + word % words_ * 64;
    for (std::uint64_t bits = row[word]; bits != 0; bits &= bits - 1)
      visit(static_cast<std::uint32_t>(base + static_cast<unsigned>(std::countr_zero(bits))));
  }
}

}  // namespace routing
