#pragma once
// Gives the channels by which a packet may leave a switch: verification reads tables and groups in
// this form. Holds the relation twice, as bits: channels by (switch, leaf), and leaves by channel.

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

/// Holds the ports of the group of each destination switch. If a destination switch has no group at
/// a switch, holds all ports that the forwarding table names for the LIDs of its hosts.
class Choices {
 public:
  /// `groups` is null or belongs to this fabric. Keeps a reference to the graph only.
  Choices(const fabric::SwitchGraph& graph, const Leaves& leaves,
          const fabric::ForwardingTables& lfts, const fabric::AdaptiveGroups* groups);

  std::size_t leaves() const { return leaves_; }
  /// Returns the number of words in a set of leaves.
  std::size_t words() const { return words_; }
  /// Returns a bit per leaf: 1 if packets to it may leave by the channel.
  std::span<const std::uint64_t> over(fabric::ChannelIndex channel) const {
    return {over_.data() + channel * words_, words_};
  }
  /// Returns the channels to a leaf; bits count the index among the switch's channels.
  std::span<const std::uint64_t> channels(fabric::SwitchIndex sw, std::size_t leaf) const {
    return set(sw, set_of_[sw * leaves_ + leaf]);
  }
  bool has_channel(fabric::SwitchIndex sw, std::size_t leaf) const {
    return set_of_[sw * leaves_ + leaf] != 0;
  }
  /// Returns a bit per leaf: 1 if packets to it leave the switch by its forwarding table alone,
  /// each LID by its own port.
  std::span<const std::uint64_t> by_table(fabric::SwitchIndex sw) const {
    return {by_table_.data() + sw * words_, words_};
  }
  std::size_t channel_words() const { return channel_words_; }
  /// Calls visit(channel) for each channel by which packets to the leaf may leave.
  template <class Visit>
  void for_each(fabric::SwitchIndex sw, std::size_t leaf, Visit&& visit) const;

  /// Returns how many entries of forwarding tables name a port outside the group.
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
