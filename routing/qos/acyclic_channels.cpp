#include "routing/qos/acyclic_channels.h"

#include <algorithm>
#include <bit>

namespace routing {

using fabric::ChannelIndex;
using fabric::SwitchIndex;

AcyclicChannels::AcyclicChannels(const fabric::SwitchGraph& graph,
                                 std::span<const ChannelIndex> order)
    : graph_(graph), words_(1) {
  for (const SwitchIndex sw : graph.all_switches())
    words_ = std::max(words_, (graph.degree(sw) + 63) / 64);
  accepted_.assign(graph.port.size() * words_, 0);
  rejected_ = accepted_;
  position_.resize(graph.port.size());
  for (std::uint32_t position = 0; position < order.size(); ++position)
    position_[order[position]] = position;
  seen_.assign(graph.port.size(), false);
  for (Channels* channels : {&after_, &before_, &stack_}) channels->make_room(graph.port.size());
}

bool AcyclicChannels::insert(ChannelIndex from, ChannelIndex to) {
  if (position_[from] < position_[to]) return true;
  const bool closes = from == to || !find_after(to, from);
  if (!closes) {
    find_before(from, position_[to]);
    reorder();
  }
  for (const ChannelIndex channel : after_) seen_[channel] = false;
  for (const ChannelIndex channel : before_) seen_[channel] = false;
  after_.clear();
  before_.clear();
  return !closes;
}

// Collects what `to` depends on, up to the position of `from`; returns false if it contains `from`.
bool AcyclicChannels::find_after(ChannelIndex to, ChannelIndex from) {
  const std::uint32_t bound = position_[from];
  stack_.clear();
  stack_.add(to);
  seen_[to] = true;
  after_.add(to);
  while (!stack_.empty()) {
    const ChannelIndex channel = stack_.take_last();
    const ChannelIndex first = graph_.offsets[graph_.neighbour[channel]];
    for (std::size_t word = 0; word < words_; ++word)
      for (std::uint64_t bits = accepted_[channel * words_ + word]; bits != 0; bits &= bits - 1) {
        const ChannelIndex next =
            first +
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
        if (next == from) return false;
        if (seen_[next] || position_[next] > bound) continue;
        seen_[next] = true;
        after_.add(next);
        stack_.add(next);
      }
  }
  return true;
}

// Collects the channels that depend on `from`, down to the position `bound`.
void AcyclicChannels::find_before(ChannelIndex from, std::uint32_t bound) {
  stack_.clear();
  stack_.add(from);
  seen_[from] = true;
  before_.add(from);
  while (!stack_.empty()) {
    const ChannelIndex channel = stack_.take_last();
    const SwitchIndex sw = graph_.neighbour[graph_.reverse[channel]];
    const std::uint32_t to = channel - graph_.offsets[sw];
    for (const ChannelIndex out : graph_.channels(sw)) {
      const ChannelIndex previous = graph_.reverse[out];
      if ((accepted_[previous * words_ + to / 64] >> to % 64 & 1) == 0 || seen_[previous] ||
          position_[previous] < bound)
        continue;
      seen_[previous] = true;
      before_.add(previous);
      stack_.add(previous);
    }
  }
}

// Puts the channels that depend on `from` before the channels on which `to` depends, at the
// positions that both sets had together.
void AcyclicChannels::reorder() {
  const auto by_position = [&](ChannelIndex channel) { return position_[channel]; };
  std::ranges::sort(before_, {}, by_position);
  std::ranges::sort(after_, {}, by_position);
  positions_.clear();
  for (const ChannelIndex channel : before_) positions_.push_back(position_[channel]);
  for (const ChannelIndex channel : after_) positions_.push_back(position_[channel]);
  std::ranges::sort(positions_);
  std::size_t next = 0;
  for (const ChannelIndex channel : before_) position_[channel] = positions_[next++];
  for (const ChannelIndex channel : after_) position_[channel] = positions_[next++];
}

}  // namespace routing
