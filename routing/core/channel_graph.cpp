#include "routing/core/channel_graph.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

std::size_t largest_degree(const fabric::SwitchGraph& graph) {
  std::size_t degree = 1;
  for (const SwitchIndex sw : graph.all_switches()) degree = std::max(degree, graph.degree(sw));
  return degree;
}

}  // namespace

ChannelGraph::ChannelGraph(const fabric::SwitchGraph& graph, unsigned vls, bool vls_change)
    : graph_(&graph),
      channels_(graph.port.size()),
      words_((largest_degree(graph) + 63) / 64),
      row_words_(words_ * (vls_change ? vls : 1)),
      vls_(vls),
      vls_change_(vls_change),
      rows_(vls * channels_ * row_words_, 0) {}

void ChannelGraph::add(const Dependency& dependency) {
  const auto [from, to] = dependency;
  if (from.channel >= channels_ || to.channel >= channels_ || from.vl >= vls_ || to.vl >= vls_ ||
      (!vls_change_ && from.vl != to.vl))
    return;
  const SwitchIndex sw = graph_->neighbour[from.channel];
  if (to.channel < graph_->offsets[sw] || to.channel >= graph_->offsets[sw + 1]) return;
  add(from.channel, from.vl, to.channel - graph_->offsets[sw], to.vl);
}

ChannelGraph ChannelGraph::moved_to(const fabric::SwitchGraph& graph,
                                    std::span<const ChannelIndex> current_channel) const {
  ChannelGraph moved(graph, vls_, vls_change_);
  // If the channels of a switch keep their indices, the bits of their dependencies keep them, too.
  std::vector<bool> same_indices(graph_->switches(), moved.words_ == words_);
  for (SwitchIndex sw{0}; sw < graph_->switches(); ++sw) {
    const ChannelIndex first = graph_->offsets[sw];
    for (ChannelIndex channel = first; channel < graph_->offsets[sw + 1] && same_indices[sw];
         ++channel) {
      const ChannelIndex now = current_channel[channel];
      same_indices[sw] =
          now != kNoIndex &&
          now - graph.offsets[graph.neighbour[graph.reverse[now]]] == channel - first;
    }
  }
  for (const ChannelIndex channel : graph_->port.indices()) {
    const ChannelIndex now = current_channel[channel];
    if (now == kNoIndex) continue;
    const SwitchIndex to = graph.neighbour[now];
    for (unsigned vl = 0; vl < vls_; ++vl) {
      const std::uint32_t vertex = static_cast<std::uint32_t>(vl * channels_ + channel);
      if (same_indices[graph_->neighbour[channel]]) {
        std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(vertex * row_words_), row_words_,
                    moved.rows_.begin() +
                        static_cast<std::ptrdiff_t>((vl * moved.channels_ + now) * row_words_));
        continue;
      }
      for_each_next(vertex, [&](std::uint32_t next) {
        const ChannelIndex next_now = current_channel[next % channels_];
        if (next_now != kNoIndex)
          moved.add(now, vl, next_now - graph.offsets[to], static_cast<unsigned>(next / channels_));
      });
    }
  }
  return moved;
}

void ChannelGraph::merge(const ChannelGraph& other) {
  for (std::size_t i = 0; i < rows_.size(); ++i) rows_[i] |= other.rows_[i];
}

std::uint64_t ChannelGraph::dependencies() const {
  return std::accumulate(rows_.begin(), rows_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, std::uint64_t word) {
                           return sum + static_cast<unsigned>(std::popcount(word));
                         });
}

}  // namespace routing
