#include "routing/engines/virtual_lanes/lash_result.h"

#include <algorithm>

#include "fabric/parallel.h"
#include "mad/format.h"
#include "routing/graph/destinations.h"
#include "routing/qos/spanning_tree.h"

namespace routing {

using sm::SwitchIndex;

std::string unsafe_pairs(std::size_t count) {
  return fmt::format("{} for packets of switches between {} pairs in which one switch has no hosts",
                     kUnsafePairs, count);
}

void write_tables(const LashInput& frame, const LashPaths& paths, sm::ForwardingTables& lfts) {
  const RoutingInput& input = frame.input;
  std::vector<Target> all = targets(input);
  std::ranges::sort(all, {}, [](const Target& target) { return target.lids.base; });
  sm::in_parallel(input.graph.switches(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> load(input.graph.port.size(), 0);
    for (auto sw = SwitchIndex(begin); sw < end; ++sw) {
      const std::size_t cap = input.fabric.switches[sw].info.linear_fdb_cap();
      const auto row = lfts.writable_row(sw);
      for (const Target& target : all) {
        for (unsigned offset = 0; offset < target.lids.count(); ++offset) {
          const std::size_t lid = target.lids.base.value + offset;
          if (lid >= cap) continue;
          const unsigned tree = offset % paths.trees();
          if (target.end->sw == sw) {
            row[lid] = target.end->out.value;
          } else if (paths.position(tree, sw, target.end->sw) != LashPaths::kNone) {
            const auto links = frame.bundles.links_of(paths.channel(tree, sw, target.end->sw));
            const sm::ChannelIndex link = *std::ranges::min_element(
                links, {}, [&](sm::ChannelIndex channel) { return load[channel]; });
            load[link] += target.is_switch() ? 0 : 1;
            row[lid] = input.graph.port[link].value;
          }
        }
      }
    }
  });
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

sm::IndexVector<SwitchIndex, sm::ChannelIndex> first_links(
    const Bundles& bundles, sm::IndexVector<SwitchIndex, sm::ChannelIndex> up) {
  for (sm::ChannelIndex& channel : up)
    if (channel != sm::kNoIndex) channel = bundles.links_of(channel).front();
  return up;
}

sm::IndexVector<SwitchIndex, sm::ChannelIndex> lash_multicast_tree(const LashInput& frame,
                                                                   LashLayers& layers) {
  const Bundles& bundles = frame.bundles;
  if (frame.input.options.lash_start_vl > 0) return {};  // multicast uses the VLs below
  if (multicast_fits_anyway(layers.first_vl(), bundles.graph, frame.levels)) return {};
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
