#include "routing/graph/throttled.h"

#include <algorithm>
#include <bit>

#include "mad/attributes/port_info.h"
#include "mad/format.h"
#include "routing/graph/hops.h"

namespace routing {

using fabric::SwitchIndex;

namespace {

// Returns the number of physical lanes of a LinkWidth bit.
unsigned lanes(std::uint8_t width) {
  switch (width) {
    case mad::link_width::k12x:
      return 12;
    case mad::link_width::k8x:
      return 8;
    case mad::link_width::k4x:
      return 4;
    case mad::link_width::k2x:
      return 2;
    case mad::link_width::k1x:
      return 1;
  }
  return 0;
}

unsigned most_lanes(std::uint8_t widths) {
  unsigned most = 0;
  for (unsigned bit = 0; bit < 8; ++bit)
    most = std::max(most, lanes(static_cast<std::uint8_t>(widths & 1u << bit)));
  return most;
}

// Returns speeds as bits in ascending order: bits 0-2 SDR..QDR, 3-7 FDR..., 8 XDR.
unsigned speed_bits(std::uint8_t legacy, std::uint8_t ext, std::uint8_t ext2) {
  return (legacy & 7u) | (ext & 31u) << 3 | (ext2 & 1u) << 8;
}

bool is_throttled(const mad::PortInfo& a, const mad::PortInfo& b) {
  const unsigned width = lanes(a.link_width_active());
  if (width > 0 && width < most_lanes(a.link_width_supported() & b.link_width_supported()))
    return true;
  const unsigned now =
      speed_bits(a.link_speed_active(), a.link_speed_ext_active(), a.link_speed_ext_active2());
  const unsigned can = speed_bits(a.link_speed_supported() & b.link_speed_supported(),
                                  a.link_speed_ext_supported() & b.link_speed_ext_supported(),
                                  a.link_speed_ext_supported2() & b.link_speed_ext_supported2());
  return now != 0 && std::bit_width(now) < std::bit_width(can);
}

bool joins_as_much(const fabric::SwitchGraph& graph, const std::vector<std::uint8_t>& open) {
  const auto all = unit_hops(graph), some = unit_hops_over(graph, open);
  if (!all || !some) return false;
  for (const SwitchIndex from : graph.all_switches())
    for (const SwitchIndex to : graph.all_switches())
      if (all->row(from)[to] != 255 && some->row(from)[to] == 255) return false;
  return true;
}

}  // namespace

std::vector<std::uint8_t> open_channels(const RoutingInput& input, fabric::ConditionList& notes) {
  const fabric::SwitchGraph& graph = input.graph;
  std::vector<std::uint8_t> open(graph.port.size(), 1);
  if (!input.options.avoid_throttled_links) return open;
  const auto info_of = [&](fabric::ChannelIndex channel) -> const mad::PortInfo& {
    const SwitchIndex sw = graph.neighbour[graph.reverse[channel]];
    return input.fabric
        .ports[input.fabric.nodes[input.fabric.switches[sw].node].first_port +
               graph.port[channel].value]
        .info;
  };
  for (const fabric::ChannelIndex channel : graph.port.indices()) {
    const fabric::ChannelIndex other = graph.reverse[channel];
    if (is_throttled(info_of(channel), info_of(other)) ||
        is_throttled(info_of(other), info_of(channel)))
      open[channel] = 0;
  }
  const auto closed = std::ranges::count(open, 0) / 2;
  if (closed == 0) return open;
  if (joins_as_much(graph, open)) {
    notes.add(fmt::format(
        "{} links between switches run below the capability of both ends and are not used",
        closed));
    return open;
  }
  notes.add(fmt::format(
      "{} links between switches run below the capability of both ends and are used, since "
      "without them switches would be disconnected",
      closed));
  std::ranges::fill(open, std::uint8_t{1});
  return open;
}

}  // namespace routing
