#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// Dependencies between channels (slots of the graph) that are let in one after the other, as long
/// as they close no circle. What was refused once stays refused as long as nothing is taken out: so
/// each question has its answer searched for once. Keeps the channels in an order in which each
/// waits only for later ones (Pearce and Kelly, A dynamic topological sort algorithm for directed
/// acyclic graphs, 2006); taking out leaves that order good.
class AcyclicChannels {
 public:
  /// `order`: the channels in the order to begin with, each once; any will do, one close to the
  /// last needs the least work.
  AcyclicChannels(const sm::SwitchGraph& graph, std::span<const std::uint32_t> order);

  /// Lets packets that came over `from` wait for slot number `to_place` of the switch where it
  /// ends; false if that would close a circle.
  bool allow(std::uint32_t from, unsigned to_place) {
    const std::size_t word = from * words_ + to_place / 64;
    const std::uint64_t bit = std::uint64_t{1} << to_place % 64;
    if ((in_[word] & bit) != 0) return true;
    if ((out_[word] & bit) != 0) return false;
    const bool let_in = insert(from, graph_.offsets[graph_.neighbour[from]] + to_place);
    (let_in ? in_ : out_)[word] |= bit;
    if (logs_) log_.push_back({from, static_cast<std::uint8_t>(to_place), let_in});
    return let_in;
  }

  /// The same, but false unless that is clear without a search.
  bool allow_at_once(std::uint32_t from, unsigned to_place) {
    return (has(from, to_place) || is_in_order(from, to_place)) && allow(from, to_place);
  }
  /// Whether the order of channels has `from` before the other: they will be let in then.
  bool is_in_order(std::uint32_t from, unsigned to_place) const {
    return place_in_order_[from] <
           place_in_order_[graph_.offsets[graph_.neighbour[from]] + to_place];
  }
  bool has(std::uint32_t from, unsigned to_place) const {
    return (in_[from * words_ + to_place / 64] >> to_place % 64 & 1) != 0;
  }

  /// Begins to remember what is let in and what is refused, anew.
  void start_log() {
    log_.clear();
    logs_ = true;
  }
  /// Takes out what was let in since, unless keep(from, to_place). Without that, what was refused
  /// since is an open question again.
  template <class Keep>
  void take_out_unless(Keep&& keep) {
    bool taken = false;
    for (const Logged& entry : log_) {
      if (entry.let_in && !keep(entry.from, unsigned{entry.to_place})) {
        clear(in_, entry);
        taken = true;
      } else if (!entry.let_in && taken) {
        clear(out_, entry);
      }
    }
    log_.clear();
  }

 private:
  struct Logged {
    std::uint32_t from;
    std::uint8_t to_place;
    bool let_in;
  };
  void clear(std::vector<std::uint64_t>& rows, const Logged& entry) const {
    rows[entry.from * words_ + entry.to_place / 64u] &= ~(std::uint64_t{1} << entry.to_place % 64u);
  }
  bool insert(std::uint32_t from, std::uint32_t to);
  bool find_after(std::uint32_t to, std::uint32_t from);
  void find_before(std::uint32_t from, std::uint32_t bound);
  void reorder();

  const sm::SwitchGraph& graph_;
  std::size_t words_;
  std::vector<std::uint64_t> in_, out_;  // [channel][place of the next / 64]
  bool logs_ = false;
  std::vector<Logged> log_;
  std::vector<std::uint32_t> place_in_order_;
  std::vector<bool> seen_;
  std::vector<std::uint32_t> after_, before_, stack_, places_;
};

}  // namespace routing
