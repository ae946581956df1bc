#include "routing/graph/bundles.h"

#include <algorithm>

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

Bundles bundles_of(const sm::SwitchGraph& full) {
  Bundles out;
  std::vector<std::uint32_t> bundle_of(full.port.size());
  std::vector<std::uint32_t> towards(full.switches(),
                                     kNoIndex);  // by neighbour: its bundle at the current switch
  for (SwitchIndex sw = 0; sw < full.switches(); ++sw) {
    const auto begin = static_cast<std::uint32_t>(out.graph.port.size());
    out.graph.offsets.push_back(begin);
    for (std::uint32_t channel = full.offsets[sw]; channel < full.offsets[sw + 1]; ++channel) {
      std::uint32_t& bundle = towards[full.neighbour[channel]];
      if (bundle == kNoIndex) {
        bundle = static_cast<std::uint32_t>(out.graph.port.size());
        out.graph.neighbour.push_back(full.neighbour[channel]);
        out.graph.port.push_back(full.port[channel]);
      }
      bundle_of[channel] = bundle;
    }
    for (std::uint32_t bundle = begin; bundle < out.graph.port.size(); ++bundle)
      towards[out.graph.neighbour[bundle]] = kNoIndex;
  }
  if (full.switches() > 0)
    out.graph.offsets.push_back(static_cast<std::uint32_t>(out.graph.port.size()));
  out.graph.reverse.resize(out.graph.port.size());
  out.first.assign(out.graph.port.size() + 1, 0);
  for (std::uint32_t channel = 0; channel < full.port.size(); ++channel) {
    out.graph.reverse[bundle_of[channel]] = bundle_of[full.reverse[channel]];
    ++out.first[bundle_of[channel] + 1];
  }
  for (std::size_t i = 1; i < out.first.size(); ++i) out.first[i] += out.first[i - 1];
  out.links.resize(full.port.size());
  std::vector<std::uint32_t> next(out.first);
  for (std::uint32_t channel = 0; channel < full.port.size(); ++channel)
    out.links[next[bundle_of[channel]]++] = channel;
  return out;
}

}  // namespace routing
