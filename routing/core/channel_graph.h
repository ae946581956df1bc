#pragma once
// Channels between switches on virtual lanes, and which channel waits for which: the channel
// dependency graph (Dally and Seitz, Deadlock-Free Message Routing in Multiprocessor
// Interconnection Networks, 1987).

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// One direction of a cable between switches, on one lane. Cables of hosts are left out: they are
/// never part of a circle.
struct Channel {
  std::uint32_t slot = 0;  // of the graph: the end that sends
  std::uint8_t vl = 0;
  bool operator==(const Channel&) const = default;
};

/// Packets on `from` wait for `to`, which leaves the switch that `from` leads to: what other
/// traffic than unicast adds, such as a multicast tree.
struct Dependency {
  Channel from, to;
};

/// Which channel waits for which: a bit for each pair that meets at a switch.
class ChannelGraph {
 public:
  /// For lanes 0 .. vls - 1. `lanes_change`: packets may go on on another lane than they came on.
  ChannelGraph(const sm::SwitchGraph& graph, unsigned vls, bool lanes_change);

  unsigned vls() const { return vls_; }
  /// `to` is given by its place among the slots of the switch that `from_slot` leads to. `to_vl` is
  /// `from_vl` unless lanes change.
  void add(std::uint32_t from_slot, unsigned from_vl, unsigned to_place, unsigned to_vl) {
    std::uint64_t* const row = rows_.data() + (from_vl * slots_ + from_slot) * row_words_;
    row[(lanes_change_ ? to_vl : 0) * words_ + to_place / 64] |= std::uint64_t{1} << to_place % 64;
  }
  /// Dependencies that are not of this graph (lanes, slots, no common switch) are left out.
  void add(const Dependency& dependency);
  /// The same among the slots of another graph, which the result refers to: `slot_now` gives each
  /// slot's place there, kNoIndex: it is gone.
  ChannelGraph moved_to(const sm::SwitchGraph& graph,
                        std::span<const std::uint32_t> slot_now) const;
  /// Refers to another copy of the same graph from now on.
  void refer_to(const sm::SwitchGraph& graph) { graph_ = &graph; }
  /// The other graph is of the same shape.
  void merge(const ChannelGraph& other);

  std::uint64_t dependencies() const;
  /// visit(vertex) for each vertex that this one waits for.
  template <class Visit>
  void for_each_next(std::uint32_t vertex, Visit&& visit) const;
  std::uint32_t vertices() const { return static_cast<std::uint32_t>(vls_ * slots_); }
  Channel channel(std::uint32_t vertex) const {
    return {static_cast<std::uint32_t>(vertex % slots_),
            static_cast<std::uint8_t>(vertex / slots_)};
  }

 private:
  const sm::SwitchGraph* graph_;
  std::size_t slots_, words_, row_words_;
  unsigned vls_;
  bool lanes_change_;
  std::vector<std::uint64_t>
      rows_;  // [vl][slot][vl of the next, if lanes change][place of the next / 64]
};

template <class Visit>
void ChannelGraph::for_each_next(std::uint32_t vertex, Visit&& visit) const {
  const std::size_t vl = vertex / slots_, slot = vertex % slots_;
  const std::uint32_t first = graph_->offsets[graph_->neighbour[slot]];
  const std::uint64_t* const row = rows_.data() + vertex * row_words_;
  for (std::size_t word = 0; word < row_words_; ++word) {
    const std::size_t base =
        (lanes_change_ ? word / words_ : vl) * slots_ + first + word % words_ * 64;
    for (std::uint64_t bits = row[word]; bits != 0; bits &= bits - 1)
      visit(static_cast<std::uint32_t>(base + static_cast<unsigned>(std::countr_zero(bits))));
  }
}

}  // namespace routing
