#include "routing/engines/virtual_lanes/mesh_axes.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

constexpr std::size_t kDegreeMax = 16;

// Classes of channels of one dimension (union-find).
class Classes {
 public:
  explicit Classes(std::size_t channels) : parent_(channels) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t of(std::uint32_t channel) {
    while (parent_[channel] != channel) channel = parent_[channel] = parent_[parent_[channel]];
    return channel;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[of(a)] = of(b); }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

std::optional<MeshAxes> mesh_axes(const sm::SwitchGraph& graph,
                                  std::span<const SwitchIndex> order) {
  for (const SwitchIndex sw : order)
    if (graph.degree(sw) > kDegreeMax) return std::nullopt;
  Classes classes(graph.port.size());
  for (std::uint32_t channel = 0; channel < graph.port.size(); ++channel)
    classes.join(channel, graph.reverse[channel]);
  for (const SwitchIndex sw : order) {
    for (std::uint32_t a = graph.offsets[sw]; a < graph.offsets[sw + 1]; ++a) {
      for (std::uint32_t b = a + 1; b < graph.offsets[sw + 1]; ++b) {
        // Squares with both links: common neighbours of their other ends.
        std::uint32_t beside_a = kNoIndex, beside_b = kNoIndex;
        unsigned squares = 0;
        const SwitchIndex at_a = graph.neighbour[a], at_b = graph.neighbour[b];
        for (std::uint32_t i = graph.offsets[at_a]; i < graph.offsets[at_a + 1]; ++i)
          for (std::uint32_t k = graph.offsets[at_b]; k < graph.offsets[at_b + 1]; ++k) {
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
  std::vector<std::uint32_t> number(graph.port.size(), kNoIndex);
  for (const SwitchIndex sw : order) {
    std::array<unsigned, 256> met{};
    for (std::uint32_t channel = graph.offsets[sw]; channel < graph.offsets[sw + 1]; ++channel) {
      std::uint32_t& axis = number[classes.of(channel)];
      if (axis == kNoIndex) axis = out.count++;
      if (axis >= met.size() || ++met[axis] > 2) return std::nullopt;
      out.of_channel[channel] = static_cast<std::uint8_t>(axis);
    }
  }
  if (out.count < 2) return std::nullopt;
  return out;
}

}  // namespace routing
