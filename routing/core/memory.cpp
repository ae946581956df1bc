#include "routing/core/memory.h"

#include <algorithm>
#include <unordered_map>

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

Correspondence correspondence(const RowMemory& before, const sm::Fabric& fabric,
                              const sm::SwitchGraph& graph) {
  Correspondence out;
  const std::size_t switches = graph.switches();
  out.switch_before.assign(switches, kNoIndex);
  out.switch_now.assign(before.switches.size(), kNoIndex);
  out.same_rows = before.switches.size() == switches;
  std::unordered_map<mad::Guid, SwitchIndex> before_of;
  for (SwitchIndex sw = 0; sw < switches; ++sw) {
    const mad::Guid guid = fabric.nodes[fabric.switches[sw].node].guid;
    SwitchIndex was = sw < before.switches.size() && before.switches[sw] == guid ? sw : kNoIndex;
    if (was == kNoIndex) {
      out.same_rows = false;
      if (before_of.empty())
        for (SwitchIndex i = 0; i < before.switches.size(); ++i)
          before_of.emplace(before.switches[i], i);
      if (const auto found = before_of.find(guid); found != before_of.end()) was = found->second;
    }
    out.switch_before[sw] = was;
    if (was != kNoIndex) out.switch_now[was] = sw;
  }

  out.slot_now.assign(before.graph.port.size(), kNoIndex);
  out.lost_slot.assign(switches, false);
  out.other_slots.assign(switches, true);
  for (SwitchIndex sw = 0; sw < switches; ++sw) {
    const SwitchIndex was = out.switch_before[sw];
    if (was == kNoIndex) continue;
    out.other_slots[sw] = graph.degree(sw) != before.graph.degree(was);
    std::uint32_t channel = graph.offsets[sw];
    const std::uint32_t end = graph.offsets[sw + 1];
    for (std::uint32_t old = before.graph.offsets[was]; old < before.graph.offsets[was + 1];
         ++old) {
      while (channel < end && graph.port[channel] < before.graph.port[old]) ++channel;
      const SwitchIndex old_neighbour = out.switch_now[before.graph.neighbour[old]];
      const bool there =
          channel < end && graph.port[channel] == before.graph.port[old] &&
          graph.neighbour[channel] == old_neighbour &&
          graph.port[graph.reverse[channel]] == before.graph.port[before.graph.reverse[old]];
      if (there) out.slot_now[old] = channel;
      if (!there) out.lost_slot[sw] = true;
      if (!there || channel - graph.offsets[sw] != old - before.graph.offsets[was])
        out.other_slots[sw] = true;
    }
  }
  return out;
}

}  // namespace routing
