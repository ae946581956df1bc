#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sm/fabric/switch_graph.h"

namespace routing {

/// Dependencies between channels (slots of the graph) that are let in one after the other, as long as they close no circle. What was refused once is
/// refused for ever, since nothing is taken out: so each question has its answer searched for once.
/// Keeps the channels in an order in which each waits only for later ones (Pearce and Kelly, A dynamic topological sort algorithm for directed
/// acyclic graphs, 2006).
class AcyclicChannels {
 public:
  /// `order`: the channels in the order to begin with, each once; any will do, one close to the last needs the least work.
  AcyclicChannels(const sm::SwitchGraph& graph, std::span<const std::uint32_t> order);

  /// Lets packets that came over `from` wait for slot number `to_place` of the switch where it ends; false if that would close a circle.
  bool allow(std::uint32_t from, unsigned to_place) {
    const std::size_t word = from * words_ + to_place / 64;
    const std::uint64_t bit = std::uint64_t{1} << to_place % 64;
    if ((in_[word] & bit) != 0) return true;
    if ((out_[word] & bit) != 0) return false;
    const bool let_in = insert(from, graph_.offsets[graph_.neighbour[from]] + to_place);
    (let_in ? in_ : out_)[word] |= bit;
    return let_in;
  }

 private:
  bool insert(std::uint32_t from, std::uint32_t to);
  bool find_after(std::uint32_t to, std::uint32_t from);
  void find_before(std::uint32_t from, std::uint32_t bound);
  void reorder();

  const sm::SwitchGraph& graph_;
  std::size_t words_;
  std::vector<std::uint64_t> in_, out_;  // [channel][place of the next / 64]
  std::vector<std::uint32_t> place_in_order_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> after_, before_, stack_, places_;
};

}  // namespace routing
