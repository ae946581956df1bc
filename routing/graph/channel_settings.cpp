#include "routing/graph/channel_settings.h"

#include <algorithm>

#include "mad/format.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

ChannelSettings channel_settings(const RoutingInput& input, fabric::ConditionList& notes) {
  const fabric::SwitchGraph& graph = input.graph;
  ChannelSettings out;
  out.weight.assign(graph.port.size(), 1);
  out.uncounted.assign(graph.port.size(), 0);
  out.order.assign(graph.switches(), nullptr);
  const auto find_switch = [&](mad::Guid guid, const char* option) -> SwitchIndex {
    const auto it = input.fabric.node_of_guid.find(guid);
    if (it != input.fabric.node_of_guid.end() && input.fabric.nodes[it->second].is_switch())
      return input.fabric.nodes[it->second].switch_index;
    notes.add(fmt::format("{}: no switch {} in the fabric", option, guid));
    return kNoIndex;
  };
  const auto find_channel = [&](const SwitchPort& port,
                                const char* option) -> fabric::ChannelIndex {
    const SwitchIndex sw = find_switch(port.sw, option);
    if (sw == kNoIndex) return kNoIndex;
    const auto ports = graph.out_ports(sw);
    const auto it = std::ranges::lower_bound(ports, port.port);
    return it != ports.end() && *it == port.port
               ? graph.offsets[sw] + static_cast<std::uint32_t>(it - ports.begin())
               : kNoIndex;
  };
  for (const HopWeight& hop : input.options.hop_weights) {
    const fabric::ChannelIndex channel = find_channel(hop.from, "hop_weights_file");
    if (channel != kNoIndex) out.weight[channel] = std::max<std::uint8_t>(1, hop.weight);
  }
  out.weighted = std::ranges::any_of(out.weight, [](std::uint8_t weight) { return weight != 1; });
  for (const SwitchPort& port : input.options.port_prof_ignore) {
    const fabric::ChannelIndex channel = find_channel(port, "port_prof_ignore_file");
    if (channel != kNoIndex) out.uncounted[channel] = 1;
  }
  for (const PortOrder& order : input.options.port_search_ordering) {
    const SwitchIndex sw = find_switch(order.sw, "port_search_ordering_file");
    if (sw != kNoIndex && out.order[sw] == nullptr) out.order[sw] = &order;
  }
  return out;
}

}  // namespace routing
