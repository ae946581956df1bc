#include "routing/graph/throttled.h"

#include <algorithm>
#include <bit>

#include "mad/attributes/port_info.h"
#include "mad/format.h"
#include "routing/graph/hops.h"

namespace routing {

using sm::SwitchIndex;

namespace {

// Lanes behind a LinkWidth bit.
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

// Speeds in the order in which they grow: bit 0-2 SDR..QDR, 3-7 FDR..., 8 XDR.
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

bool joins_as_much(const sm::SwitchGraph& graph, const std::vector<std::uint8_t>& open) {
  const auto all = unit_hops(graph), some = unit_hops_over(graph, open);
  if (!all || !some) return false;
  for (SwitchIndex from = 0; from < graph.switches(); ++from)
    for (SwitchIndex to = 0; to < graph.switches(); ++to)
      if (all->row(from)[to] != 255 && some->row(from)[to] == 255) return false;
  return true;
}

}  // namespace

std::vector<std::uint8_t> open_slots(const RoutingInput& input, std::vector<std::string>& notes) {
  const sm::SwitchGraph& graph = input.graph;
  std::vector<std::uint8_t> open(graph.port.size(), 1);
  if (!input.options.avoid_throttled_links) return open;
  const auto info_of = [&](std::uint32_t slot) -> const mad::PortInfo& {
    const SwitchIndex sw = graph.neighbour[graph.reverse[slot]];
    return input.fabric
        .ports[input.fabric.nodes[input.fabric.switches[sw].node].first_port +
               graph.port[slot].value]
        .info;
  };
  for (std::uint32_t slot = 0; slot < open.size(); ++slot) {
    const std::uint32_t other = graph.reverse[slot];
    if (is_throttled(info_of(slot), info_of(other)) || is_throttled(info_of(other), info_of(slot)))
      open[slot] = 0;
  }
  const auto closed = std::ranges::count(open, 0) / 2;
  if (closed == 0) return open;
  if (joins_as_much(graph, open)) {
    notes.push_back(fmt::format(
        "{} cables between switches run below what both ends can do, and are left out", closed));
    return open;
  }
  notes.push_back(
      fmt::format("{} cables between switches run below what both ends can do, but without them "
                  "switches would lose each other: all are used",
                  closed));
  std::ranges::fill(open, std::uint8_t{1});
  return open;
}

}  // namespace routing
