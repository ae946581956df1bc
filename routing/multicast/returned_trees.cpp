#include "routing/multicast/returned_trees.h"

#include <algorithm>
#include <vector>

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;
using mad::Mlid;

namespace {

/// True if all links of the tree exist in the fabric. `tables`: by the switches of `then`.
bool is_whole(const fabric::MulticastTables& tables, Mlid mlid, const TableState& then,
              const Correspondence& was) {
  for (const SwitchIndex sw : then.graph.all_switches())
    for (const ChannelIndex channel : then.graph.channels(sw))
      if (tables.test(sw, mlid, then.graph.port[channel]) &&
          was.current_channel[channel] == kNoIndex)
        return false;
  return true;
}

/// Returns channels of `graph` that `then` had and `before` had not.
std::vector<ChannelIndex> returned_channels(const fabric::SwitchGraph& graph,
                                            const Correspondence& was_then,
                                            const Correspondence& was_before) {
  std::vector<bool> returned(graph.port.size(), false);
  for (const ChannelIndex channel : was_then.current_channel)
    if (channel != kNoIndex) returned[channel] = true;
  for (const ChannelIndex channel : was_before.current_channel)
    if (channel != kNoIndex) returned[channel] = false;
  std::vector<ChannelIndex> channels;
  for (const ChannelIndex channel : graph.port.indices())
    if (returned[channel]) channels.push_back(channel);
  return channels;
}

}  // namespace

fabric::MulticastTables with_returned_trees(const fabric::Fabric& fabric,
                                            const fabric::SwitchGraph& graph,
                                            fabric::MulticastTables current,
                                            const fabric::MulticastTables& remembered,
                                            const TableState& then, const TableState& before) {
  if (remembered.switches() != then.switches.size() || current.switches() != graph.switches())
    return current;
  const Correspondence was = correspondence(then, fabric, graph);
  const std::size_t positions = std::max(current.positions(), remembered.positions());
  const fabric::MulticastTables moved = remembered.rearranged(was.previous_switch, positions);
  if (current.positions() != positions) {
    std::vector<SwitchIndex> same;
    for (const SwitchIndex sw : graph.all_switches()) same.push_back(sw);
    current = current.rearranged(same, positions);
  }
  current.grow(moved.blocks());
  const std::vector<ChannelIndex> returned =
      returned_channels(graph, was, correspondence(before, fabric, graph));
  const std::size_t mlids = moved.blocks() * fabric::kMftBlockMlids;
  for (std::size_t index = 0; index < mlids; ++index) {
    const Mlid mlid{static_cast<std::uint16_t>(mad::kMlidMin.value + index)};
    const auto is_used = [&](ChannelIndex channel) {
      const SwitchIndex near = graph.neighbour[graph.reverse[channel]];
      return moved.test(near, mlid, graph.port[channel]);
    };
    if (std::ranges::none_of(returned, is_used) || !is_whole(remembered, mlid, then, was)) continue;
    for (const SwitchIndex sw : graph.all_switches())
      for (std::size_t position = 0; position < positions; ++position)
        if (const std::uint16_t ports = moved.mask(sw, mlid, position);
            ports != current.mask(sw, mlid, position))
          current.set_mask(sw, mlid, position, ports);
  }
  return current;
}

}  // namespace routing
