#include "routing/engines/virtual_lanes/lash_result.h"

#include <algorithm>
#include <numeric>

#include "mad/format.h"
#include "routing/graph/destinations.h"
#include "routing/qos/spanning_tree.h"

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

std::string unsafe_pairs(std::size_t count) {
  return fmt::format("{} for packets of switches between {} pairs in which one switch has no hosts",
                     kUnsafePairs, count);
}

PathSls sls_of(const LashInput& frame, const LashLayers& layers) {
  const RoutingInput& input = frame.input;
  const std::size_t switches = input.graph.switches();
  const auto sl = [&](unsigned tree, SwitchIndex from, SwitchIndex to) {
    return static_cast<std::uint8_t>(input.options.lash_start_vl + layers.vl(tree, from, to));
  };
  if (layers.paths().trees() == 1) {
    PathSls sls = PathSls::by_switch_pair(switches);
    for (SwitchIndex from{0}; from < switches; ++from)
      for (SwitchIndex to{0}; to < switches; ++to) sls.row(from)[to] = sl(0, from, to);
    return sls;
  }
  PathSls sls = PathSls::by_source_and_lid(switches, input.lids.lid_top);
  for (const Target& target : targets(input))
    for (SwitchIndex from{0}; from < switches; ++from)
      for (unsigned offset = 0; offset < target.lids.count(); ++offset)
        sls.row(from)[target.lids.base.value + offset] =
            sl(offset % layers.paths().trees(), from, target.end->sw);
  return sls;
}

fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> first_links(
    const Bundles& bundles, fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> up) {
  for (fabric::ChannelIndex& channel : up)
    if (channel != fabric::kNoIndex) channel = bundles.find_links(channel).front();
  return up;
}

fabric::IndexVector<SwitchIndex, fabric::ChannelIndex> lash_multicast_tree(const LashInput& frame,
                                                                           LashLayers& layers) {
  const Bundles& bundles = frame.bundles;
  if (frame.input.options.lash_start_vl > 0) return {};  // multicast uses the VLs below
  if (allows_shared_multicast_vl(layers.first_vl(), bundles.graph, frame.levels)) return {};
  const auto tree =
      spanning_tree_within(layers.first_vl(), bundles.graph,
                           std::vector<std::uint8_t>(bundles.graph.port.size(), 1), frame.order);
  if (!tree) return {};
  return first_links(bundles, tree->up);
}

std::shared_ptr<const TableState> lash_rows(const LashInput& frame, const LashPaths& paths,
                                            std::vector<std::uint32_t> hosts) {
  auto rows = std::make_shared<TableState>(table_state(frame.input));
  auto own = std::make_shared<LashState>(frame.bundles, frame.hops, paths);
  own->switches = rows->switches;
  own->hosts = std::move(hosts);
  rows->own = std::move(own);
  return rows;
}

}  // namespace routing
