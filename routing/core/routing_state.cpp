#include "routing/core/routing_state.h"

#include <algorithm>
#include <unordered_map>

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

Correspondence correspondence(const TableState& before, const fabric::Fabric& fabric,
                              const fabric::SwitchGraph& graph) {
  const auto is_none = [](const auto index) { return index == kNoIndex; };
  Correspondence out;
  const std::size_t switches = graph.switches();
  out.previous_switch.assign(switches, kNoIndex);
  out.current_switch.assign(before.switches.size(), kNoIndex);
  out.same_switches = before.switches.size() == switches;
  std::unordered_map<mad::Guid, SwitchIndex> before_of;
  for (SwitchIndex sw{0}; sw < switches; ++sw) {
    const mad::Guid guid = fabric.nodes[fabric.switches[sw].node].guid;
    SwitchIndex was = sw < before.switches.size() && before.switches[sw] == guid ? sw : kNoIndex;
    if (was == kNoIndex) {
      out.same_switches = false;
      if (before_of.empty())
        for (const SwitchIndex i : before.switches.indices())
          before_of.emplace(before.switches[i], i);
      if (const auto found = before_of.find(guid); found != before_of.end()) was = found->second;
    }
    out.previous_switch[sw] = was;
    if (was != kNoIndex) out.current_switch[was] = sw;
  }

  out.current_channel.assign(before.graph.port.size(), kNoIndex);
  out.lost_channel.assign(switches, false);
  out.channels_changed.assign(switches, true);
  for (SwitchIndex sw{0}; sw < switches; ++sw) {
    const SwitchIndex was = out.previous_switch[sw];
    if (was == kNoIndex) continue;
    out.channels_changed[sw] = graph.degree(sw) != before.graph.degree(was);
    fabric::ChannelIndex channel = graph.offsets[sw];
    const fabric::ChannelIndex end = graph.offsets[sw + 1];
    for (const fabric::ChannelIndex old : before.graph.channels(was)) {
      while (channel < end && graph.port[channel] < before.graph.port[old]) ++channel;
      const SwitchIndex old_neighbour = out.current_switch[before.graph.neighbour[old]];
      const bool there =
          channel < end && graph.port[channel] == before.graph.port[old] &&
          graph.neighbour[channel] == old_neighbour &&
          graph.port[graph.reverse[channel]] == before.graph.port[before.graph.reverse[old]];
      if (there) out.current_channel[old] = channel;
      if (!there) out.lost_channel[sw] = true;
      if (!there || channel - graph.offsets[sw] != old - before.graph.offsets[was])
        out.channels_changed[sw] = true;
    }
  }
  out.same_graph = before.switches.size() == switches &&
                   before.graph.port.size() == graph.port.size() &&
                   std::ranges::none_of(out.current_switch, is_none) &&
                   std::ranges::none_of(out.current_channel, is_none);
  return out;
}

}  // namespace routing
