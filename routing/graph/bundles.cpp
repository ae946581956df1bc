#include "routing/graph/bundles.h"

#include <numeric>

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

Bundles bundles_of(const fabric::SwitchGraph& full) {
  Bundles out;
  fabric::IndexVector<ChannelIndex, ChannelIndex> bundle_of(full.port.size());
  fabric::IndexVector<SwitchIndex, ChannelIndex> towards(
      full.switches(),
      kNoIndex);  // by neighbour: its bundle at the current switch
  for (const SwitchIndex sw : full.all_switches()) {
    const ChannelIndex begin = out.graph.port.next_index();
    out.graph.offsets.push_back(begin);
    for (const fabric::ChannelIndex channel : full.channels(sw)) {
      ChannelIndex& bundle = towards[full.neighbour[channel]];
      if (bundle == kNoIndex) {
        bundle = out.graph.port.next_index();
        out.graph.neighbour.push_back(full.neighbour[channel]);
        out.graph.port.push_back(full.port[channel]);
      }
      bundle_of[channel] = bundle;
    }
    for (ChannelIndex bundle = begin; bundle < out.graph.port.size(); ++bundle)
      towards[out.graph.neighbour[bundle]] = kNoIndex;
  }
  if (full.switches() > 0) out.graph.offsets.push_back(out.graph.port.next_index());
  out.graph.reverse.resize(out.graph.port.size());
  out.first.assign(out.graph.port.size() + 1, 0);
  for (const fabric::ChannelIndex channel : full.port.indices()) {
    out.graph.reverse[bundle_of[channel]] = bundle_of[full.reverse[channel]];
    ++out.first[bundle_of[channel] + 1];
  }
  std::partial_sum(out.first.begin(), out.first.end(), out.first.begin());
  out.links.resize(full.port.size());
  fabric::IndexVector<ChannelIndex, std::uint32_t> next(out.first);
  for (const fabric::ChannelIndex channel : full.port.indices())
    out.links[next[bundle_of[channel]]++] = channel;
  return out;
}

}  // namespace routing
