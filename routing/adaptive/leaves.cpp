#include "routing/adaptive/leaves.h"

#include <algorithm>

namespace routing {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;

Leaves find_leaves(const fabric::SwitchGraph& graph, const fabric::LidMap& lids) {
  PortIndex ports{0};
  for (const auto& end : graph.end_ports) ports = std::max(ports, end.port + 1);
  constexpr std::uint32_t kNoEnd = 0xFFFFFFFFu;
  fabric::IndexVector<PortIndex, std::uint32_t> end_of(ports, kNoEnd);
  for (std::uint32_t i = 0; i < graph.end_ports.size(); ++i) end_of[graph.end_ports[i].port] = i;
  Leaves out;
  out.leaf_of.assign(graph.switches(), Leaves::kNone);
  struct Entry {
    SwitchIndex sw;
    bool is_switch;
    std::uint16_t lid;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries;
  for (std::size_t lid = 0; lid < lids.port_of_lid.size(); ++lid) {
    const PortIndex port = lids.port_of_lid[lid];
    if (port == kNoIndex || !end_of.has(port) || end_of[port] == kNoEnd) continue;
    const fabric::SwitchGraph::EndPort& end = graph.end_ports[end_of[port]];
    const bool is_switch = end.out == mad::PortNum{0};
    entries.push_back({end.sw, is_switch, static_cast<std::uint16_t>(lid)});
    if (!is_switch) out.leaf_of[end.sw] = 0;
  }
  std::ranges::sort(entries);
  for (const Entry& entry : entries) {
    if (out.leaf_of[entry.sw] == Leaves::kNone) continue;
    if (out.switches.empty() || out.switches.back() != entry.sw) {
      out.leaf_of[entry.sw] = static_cast<std::uint32_t>(out.switches.size());
      out.switches.push_back(entry.sw);
      out.first.push_back(static_cast<std::uint32_t>(out.lids.size()));
      out.own.push_back(0);
    }
    out.lids.push_back(entry.lid);
    if (!entry.is_switch) out.own.back() = static_cast<std::uint32_t>(out.lids.size());
  }
  out.first.push_back(static_cast<std::uint32_t>(out.lids.size()));
  return out;
}

}  // namespace routing
