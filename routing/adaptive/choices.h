#pragma once
// The channels that a packet may leave a switch by: the view of tables and groups that verification
// works on. Two forms of the same relation, as bits: channels by (switch, leaf), and leaves by
// channel.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fabric/adaptive_groups.h"
#include "fabric/forwarding_tables.h"
#include "fabric/index.h"
#include "fabric/switch_graph.h"
#include "routing/adaptive/leaves.h"

namespace routing {

/// The ports of the group of a destination switch; where it has none there, all ports that the
/// forwarding table names for the LIDs of its hosts.
class Choices {
 public:
  /// `groups`: null, or for this fabric. Keeps no references but to the graph.
  Choices(const fabric::SwitchGraph& graph, const Leaves& leaves,
          const fabric::ForwardingTables& lfts, const fabric::AdaptiveGroups* groups);

  std::size_t leaves() const { return leaves_; }
  /// Words of a set of leaves.
  std::size_t words() const { return words_; }
  /// By leaf: 1 if packets to it may leave by the channel.
  std::span<const std::uint64_t> over(fabric::ChannelIndex channel) const {
    return {over_.data() + channel * words_, words_};
  }
  /// By index of the channel among those of the switch.
  std::span<const std::uint64_t> channels(fabric::SwitchIndex sw, std::size_t leaf) const {
    return set(sw, set_of_[sw * leaves_ + leaf]);
  }
  bool has_channel(fabric::SwitchIndex sw, std::size_t leaf) const {
    return set_of_[sw * leaves_ + leaf] != 0;
  }
  /// By leaf: 1 if packets to it leave the switch by its forwarding table alone, each LID by a port
  /// of its own.
  std::span<const std::uint64_t> by_table(fabric::SwitchIndex sw) const {
    return {by_table_.data() + sw * words_, words_};
  }
  std::size_t channel_words() const { return channel_words_; }
  /// visit(channel) for each channel that packets to the leaf may leave by.
  template <class Visit>
  void for_each(fabric::SwitchIndex sw, std::size_t leaf, Visit&& visit) const;

  /// Entries of forwarding tables that name a port outside the group.
  std::uint64_t outside() const { return outside_; }

 private:
  class Builder;
  std::span<const std::uint64_t> set(fabric::SwitchIndex sw, std::size_t number) const {
    return {sets_[sw].data() + number * channel_words_, channel_words_};
  }

  const fabric::SwitchGraph& graph_;
  std::size_t leaves_, words_, channel_words_ = 1;
  fabric::IndexVector<fabric::SwitchIndex, std::vector<std::uint64_t>>
      sets_;                             // by switch: [number][word], the first one is empty
  std::vector<std::uint16_t> set_of_;    // [switch][leaf]
  std::vector<std::uint64_t> over_;      // [channel][word]
  std::vector<std::uint64_t> by_table_;  // [switch][word]
  std::uint64_t outside_ = 0;
};

template <class Visit>
void Choices::for_each(fabric::SwitchIndex sw, std::size_t leaf, Visit&& visit) const {
  const auto bits_of = channels(sw, leaf);
  for (std::size_t word = 0; word < bits_of.size(); ++word)
    for (std::uint64_t bits = bits_of[word]; bits != 0; bits &= bits - 1)
      visit(graph_.offsets[sw] +
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits))));
}

}  // namespace routing
