#include "routing/engines/virtual_lanes/mesh_axes.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

constexpr std::size_t kDegreeMax = 16;

// Holds classes of channels of one dimension (union-find).
class Classes {
 public:
  explicit Classes(std::size_t channels) : parent_(channels) {
    std::iota(parent_.begin(), parent_.end(), ChannelIndex{0});
  }
  ChannelIndex of(ChannelIndex channel) {
    while (parent_[channel] != channel) channel = parent_[channel] = parent_[parent_[channel]];
    return channel;
  }
  void join(ChannelIndex a, ChannelIndex b) { parent_[of(a)] = of(b); }

 private:
  fabric::IndexVector<ChannelIndex, ChannelIndex> parent_;
};

}  // namespace

std::optional<MeshAxes> mesh_axes(const fabric::SwitchGraph& graph,
                                  std::span<const SwitchIndex> order) {
  for (const SwitchIndex sw : order)
    if (graph.degree(sw) > kDegreeMax) return std::nullopt;
  Classes classes(graph.port.size());
  for (const ChannelIndex channel : graph.port.indices())
    classes.join(channel, graph.reverse[channel]);
  for (const SwitchIndex sw : order) {
    for (const ChannelIndex a : graph.channels(sw)) {
      for (ChannelIndex b = a + 1; b < graph.offsets[sw + 1]; ++b) {
        // Counts squares with both links, that is, common neighbours of their other ends.
        ChannelIndex beside_a = kNoIndex, beside_b = kNoIndex;
        unsigned squares = 0;
        const SwitchIndex at_a = graph.neighbour[a], at_b = graph.neighbour[b];
        for (const ChannelIndex i : graph.channels(at_a))
          for (const ChannelIndex k : graph.channels(at_b)) {
            if (graph.neighbour[i] != graph.neighbour[k] || graph.neighbour[i] == sw) continue;
            ++squares;
            beside_a = i;
            beside_b = k;
          }
        if (squares == 0) classes.join(a, b);
        if (squares != 1) continue;
        classes.join(a, beside_b);
        classes.join(b, beside_a);
      }
    }
  }
  MeshAxes out{std::vector<std::uint8_t>(graph.port.size()), 0};
  constexpr std::uint32_t kNoAxis = 0xFFFFFFFFu;
  fabric::IndexVector<ChannelIndex, std::uint32_t> number(graph.port.size(), kNoAxis);
  for (const SwitchIndex sw : order) {
    std::array<unsigned, 256> met{};
    for (const ChannelIndex channel : graph.channels(sw)) {
      std::uint32_t& axis = number[classes.of(channel)];
      if (axis == kNoAxis) axis = out.count++;
      if (axis >= met.size() || ++met[axis] > 2) return std::nullopt;
      out.of_channel[channel] = static_cast<std::uint8_t>(axis);
    }
  }
  if (out.count < 2) return std::nullopt;
  return out;
}

}  // namespace routing
