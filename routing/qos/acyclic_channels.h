#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// Accepts channel dependencies one after the other unless they close a cycle. A rejected
/// dependency stays rejected until others are removed, so each dependency is searched for once.
/// Keeps a topological order of the channels (Pearce and Kelly, A dynamic topological sort
/// algorithm for directed acyclic graphs, 2006); it stays valid when dependencies are removed.
class AcyclicChannels {
 public:
  /// `order`: the initial order of the channels, each once. Any order is valid; an order close to
  /// the final one needs the least work.
  AcyclicChannels(const fabric::SwitchGraph& graph, std::span<const fabric::ChannelIndex> order);

  /// Accepts the dependency of `from` on the channel with index `to_index` at the switch where
  /// `from` ends; false if it would close a cycle.
  bool allow(fabric::ChannelIndex from, unsigned to_index) {
    const std::size_t word = from * words_ + to_index / 64;
    const std::uint64_t bit = std::uint64_t{1} << to_index % 64;
    if ((accepted_[word] & bit) != 0) return true;
    if ((rejected_[word] & bit) != 0) return false;
    const bool accepted = insert(from, graph_.offsets[graph_.neighbour[from]] + to_index);
    (accepted ? accepted_ : rejected_)[word] |= bit;
    if (logs_) log_.push_back({from, static_cast<std::uint8_t>(to_index), accepted});
    return accepted;
  }

  /// Accepts the dependency as allow() does; returns false if the answer needs a search.
  bool allow_at_once(fabric::ChannelIndex from, unsigned to_index) {
    return (has(from, to_index) || is_in_order(from, to_index)) && allow(from, to_index);
  }
  /// True if `from` is before the other channel in the order: the dependency is accepted then.
  bool is_in_order(fabric::ChannelIndex from, unsigned to_index) const {
    return position_[from] < position_[graph_.offsets[graph_.neighbour[from]] + to_index];
  }
  bool has(fabric::ChannelIndex from, unsigned to_index) const {
    return (accepted_[from * words_ + to_index / 64] >> to_index % 64 & 1) != 0;
  }

  /// Clears the log of accepted and rejected dependencies and starts logging.
  void start_log() {
    log_.clear();
    logs_ = true;
  }
  /// Removes the dependencies accepted since start_log(), except where keep(from, to_index) is
  /// true. Dependencies that were rejected after a removed one will be searched for again.
  template <class Keep>
  void remove_logged_unless(Keep&& keep) {
    bool removed = false;
    for (const Logged& entry : log_) {
      if (entry.accepted && !keep(entry.from, unsigned{entry.to_index})) {
        clear(accepted_, entry);
        removed = true;
      } else if (!entry.accepted && removed) {
        clear(rejected_, entry);
      }
    }
    log_.clear();
  }

 private:
  struct Logged {
    fabric::ChannelIndex from;
    std::uint8_t to_index;
    bool accepted;
  };
  void clear(std::vector<std::uint64_t>& bits, const Logged& entry) const {
    bits[entry.from * words_ + entry.to_index / 64u] &= ~(std::uint64_t{1} << entry.to_index % 64u);
  }
  bool insert(fabric::ChannelIndex from, fabric::ChannelIndex to);
  bool find_after(fabric::ChannelIndex to, fabric::ChannelIndex from);
  void find_before(fabric::ChannelIndex from, std::uint32_t bound);
  void reorder();

  const fabric::SwitchGraph& graph_;
  std::size_t words_;
  std::vector<std::uint64_t> accepted_, rejected_;  // [channel][channel index of the next / 64]
  bool logs_ = false;
  std::vector<Logged> log_;
  fabric::IndexVector<fabric::ChannelIndex, std::uint32_t> position_;
  fabric::IndexVector<fabric::ChannelIndex, bool> seen_;
  /// A list with room for every channel once, so that adding one neither checks nor allocates.
  class Channels {
   public:
    void make_room(std::size_t channels) { items_.resize(channels); }
    void add(fabric::ChannelIndex channel) { items_[size_++] = channel; }
    fabric::ChannelIndex take_last() { return items_[--size_]; }
    void clear() { size_ = 0; }
    bool empty() const { return size_ == 0; }
    fabric::ChannelIndex* begin() { return items_.data(); }
    fabric::ChannelIndex* end() { return items_.data() + size_; }

   private:
    std::vector<fabric::ChannelIndex> items_;
    std::size_t size_ = 0;
  };
  Channels after_, before_, stack_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace routing
