#include "routing/qos/acyclic_channels.h"

#include <algorithm>
#include <bit>

namespace routing {

using sm::SwitchIndex;

AcyclicChannels::AcyclicChannels(const sm::SwitchGraph& graph, std::span<const std::uint32_t> order)
    : graph_(graph), words_(1) {
  for (SwitchIndex sw = 0; sw < graph.switches(); ++sw)
    words_ = std::max(words_, (graph.degree(sw) + 63) / 64);
  in_.assign(graph.port.size() * words_, 0);
  out_ = in_;
  place_in_order_.resize(graph.port.size());
  for (std::uint32_t place = 0; place < order.size(); ++place)
    place_in_order_[order[place]] = place;
  seen_.assign(graph.port.size(), false);
}

bool AcyclicChannels::insert(std::uint32_t from, std::uint32_t to) {
  if (place_in_order_[from] < place_in_order_[to]) return true;
  const bool closes = from == to || !find_after(to, from);
  if (!closes) {
    find_before(from, place_in_order_[to]);
    reorder();
  }
  for (const std::uint32_t channel : after_) seen_[channel] = false;
  for (const std::uint32_t channel : before_) seen_[channel] = false;
  after_.clear();
  before_.clear();
  return !closes;
}

// What waits behind `to`, up to the place of `from`; false if `from` does.
bool AcyclicChannels::find_after(std::uint32_t to, std::uint32_t from) {
  const std::uint32_t bound = place_in_order_[from];
  stack_.assign(1, to);
  seen_[to] = true;
  after_.push_back(to);
  while (!stack_.empty()) {
    const std::uint32_t channel = stack_.back();
    stack_.pop_back();
    const std::uint32_t first = graph_.offsets[graph_.neighbour[channel]];
    for (std::size_t word = 0; word < words_; ++word)
      for (std::uint64_t bits = in_[channel * words_ + word]; bits != 0; bits &= bits - 1) {
        const std::uint32_t next =
            first +
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
        if (next == from) return false;
        if (seen_[next] || place_in_order_[next] > bound) continue;
        seen_[next] = true;
        after_.push_back(next);
        stack_.push_back(next);
      }
  }
  return true;
}

// What waits for `from`, down to `bound`.
void AcyclicChannels::find_before(std::uint32_t from, std::uint32_t bound) {
  stack_.assign(1, from);
  seen_[from] = true;
  before_.push_back(from);
  while (!stack_.empty()) {
    const std::uint32_t channel = stack_.back();
    stack_.pop_back();
    const SwitchIndex sw = graph_.neighbour[graph_.reverse[channel]];
    const std::uint32_t place = channel - graph_.offsets[sw];
    for (std::uint32_t slot = graph_.offsets[sw]; slot < graph_.offsets[sw + 1]; ++slot) {
      const std::uint32_t previous = graph_.reverse[slot];
      if ((in_[previous * words_ + place / 64] >> place % 64 & 1) == 0 || seen_[previous] ||
          place_in_order_[previous] < bound)
        continue;
      seen_[previous] = true;
      before_.push_back(previous);
      stack_.push_back(previous);
    }
  }
}

// All that waits for `from`, then all that waits behind `to`, in the places that they have
// together.
void AcyclicChannels::reorder() {
  const auto by_place = [&](std::uint32_t channel) { return place_in_order_[channel]; };
  std::ranges::sort(before_, {}, by_place);
  std::ranges::sort(after_, {}, by_place);
  places_.clear();
  for (const std::uint32_t channel : before_) places_.push_back(place_in_order_[channel]);
  for (const std::uint32_t channel : after_) places_.push_back(place_in_order_[channel]);
  std::ranges::sort(places_);
  std::size_t next = 0;
  for (const std::uint32_t channel : before_) place_in_order_[channel] = places_[next++];
  for (const std::uint32_t channel : after_) place_in_order_[channel] = places_[next++];
}

}  // namespace routing
