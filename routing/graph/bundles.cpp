#include "routing/graph/bundles.h"

#include <algorithm>

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

Bundles bundles_of(const sm::SwitchGraph& full) {
  Bundles out;
  std::vector<std::uint32_t> bundle_of(full.port.size());
  std::vector<std::uint32_t> towards(full.switches(),
                                     kNoIndex);  // bundle of the switch at work, by neighbour
  for (SwitchIndex sw = 0; sw < full.switches(); ++sw) {
    const auto begin = static_cast<std::uint32_t>(out.graph.port.size());
    out.graph.offsets.push_back(begin);
    for (std::uint32_t slot = full.offsets[sw]; slot < full.offsets[sw + 1]; ++slot) {
      std::uint32_t& bundle = towards[full.neighbour[slot]];
      if (bundle == kNoIndex) {
        bundle = static_cast<std::uint32_t>(out.graph.port.size());
        out.graph.neighbour.push_back(full.neighbour[slot]);
        out.graph.port.push_back(full.port[slot]);
      }
      bundle_of[slot] = bundle;
    }
    for (std::uint32_t bundle = begin; bundle < out.graph.port.size(); ++bundle)
      towards[out.graph.neighbour[bundle]] = kNoIndex;
  }
  if (full.switches() > 0)
    out.graph.offsets.push_back(static_cast<std::uint32_t>(out.graph.port.size()));
  out.graph.reverse.resize(out.graph.port.size());
  out.first.assign(out.graph.port.size() + 1, 0);
  for (std::uint32_t slot = 0; slot < full.port.size(); ++slot) {
    out.graph.reverse[bundle_of[slot]] = bundle_of[full.reverse[slot]];
    ++out.first[bundle_of[slot] + 1];
  }
  for (std::size_t i = 1; i < out.first.size(); ++i) out.first[i] += out.first[i - 1];
  out.cables.resize(full.port.size());
  std::vector<std::uint32_t> next(out.first);
  for (std::uint32_t slot = 0; slot < full.port.size(); ++slot)
    out.cables[next[bundle_of[slot]]++] = slot;
  return out;
}

}  // namespace routing
