#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"

namespace routing {

/// The graph with all parallel links between two switches merged into one. If routes on it have no
/// credit loop, neither have the same routes on the single links. The channels of a switch are in
/// the order of the lowest port of each bundle, which is their port in `graph`. `graph` has no end
/// ports.
struct Bundles {
  fabric::SwitchGraph graph;
  fabric::IndexVector<fabric::ChannelIndex, std::uint32_t>
      first;  // by channel of `graph`, and one more: index into `links`
  std::vector<fabric::ChannelIndex> links;  // channels of the full graph, in port order
  std::span<const fabric::ChannelIndex> find_links(fabric::ChannelIndex bundle) const {
    return std::span(links).subspan(first[bundle], first[bundle + 1] - first[bundle]);
  }
};

Bundles bundles_of(const fabric::SwitchGraph& full);

}  // namespace routing
