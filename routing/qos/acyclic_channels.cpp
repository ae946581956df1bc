#include "routing/qos/acyclic_channels.h"

#include <algorithm>
#include <bit>

namespace routing {

using sm::SwitchIndex;

AcyclicChannels::AcyclicChannels(const sm::SwitchGraph& graph, std::span<const std::uint32_t> order)
    : graph_(graph), words_(1) {
  for (SwitchIndex sw = 0; sw < graph.switches(); ++sw)
    words_ = std::max(words_, (graph.degree(sw) + 63) / 64);
  accepted_.assign(graph.port.size() * words_, 0);
  rejected_ = accepted_;
  position_.resize(graph.port.size());
  for (std::uint32_t position = 0; position < order.size(); ++position)
    position_[order[position]] = position;
  seen_.assign(graph.port.size(), false);
}

bool AcyclicChannels::insert(std::uint32_t from, std::uint32_t to) {
  if (position_[from] < position_[to]) return true;
  const bool closes = from == to || !find_after(to, from);
  if (!closes) {
    find_before(from, position_[to]);
    reorder();
  }
  for (const std::uint32_t channel : after_) seen_[channel] = false;
  for (const std::uint32_t channel : before_) seen_[channel] = false;
  after_.clear();
  before_.clear();
  return !closes;
}

// Collects what `to` depends on, up to the position of `from`; false if `from` is among it.
bool AcyclicChannels::find_after(std::uint32_t to, std::uint32_t from) {
  const std::uint32_t bound = position_[from];
  stack_.assign(1, to);
  seen_[to] = true;
  after_.push_back(to);
  while (!stack_.empty()) {
    const std::uint32_t channel = stack_.back();
    stack_.pop_back();
    const std::uint32_t first = graph_.offsets[graph_.neighbour[channel]];
    for (std::size_t word = 0; word < words_; ++word)
      for (std::uint64_t bits = accepted_[channel * words_ + word]; bits != 0; bits &= bits - 1) {
        const std::uint32_t next =
            first +
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
        if (next == from) return false;
        if (seen_[next] || position_[next] > bound) continue;
        seen_[next] = true;
        after_.push_back(next);
        stack_.push_back(next);
      }
  }
  return true;
}

// Collects what depends on `from`, down to the position `bound`.
void AcyclicChannels::find_before(std::uint32_t from, std::uint32_t bound) {
  stack_.assign(1, from);
  seen_[from] = true;
  before_.push_back(from);
  while (!stack_.empty()) {
    const std::uint32_t channel = stack_.back();
    stack_.pop_back();
    const SwitchIndex sw = graph_.neighbour[graph_.reverse[channel]];
    const std::uint32_t to = channel - graph_.offsets[sw];
    for (std::uint32_t out = graph_.offsets[sw]; out < graph_.offsets[sw + 1]; ++out) {
      const std::uint32_t previous = graph_.reverse[out];
      if ((accepted_[previous * words_ + to / 64] >> to % 64 & 1) == 0 || seen_[previous] ||
          position_[previous] < bound)
        continue;
      seen_[previous] = true;
      before_.push_back(previous);
      stack_.push_back(previous);
    }
  }
}

// All that depends on `from`, then all that `to` depends on, at the positions that both have
// together.
void AcyclicChannels::reorder() {
  const auto by_position = [&](std::uint32_t channel) { return position_[channel]; };
  std::ranges::sort(before_, {}, by_position);
  std::ranges::sort(after_, {}, by_position);
  positions_.clear();
  for (const std::uint32_t channel : before_) positions_.push_back(position_[channel]);
  for (const std::uint32_t channel : after_) positions_.push_back(position_[channel]);
  std::ranges::sort(positions_);
  std::size_t next = 0;
  for (const std::uint32_t channel : before_) position_[channel] = positions_[next++];
  for (const std::uint32_t channel : after_) position_[channel] = positions_[next++];
}

}  // namespace routing
