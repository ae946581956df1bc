#pragma once
// The operator's settings for single switches and ports, by channel of the graph.

#include <cstdint>
#include <vector>

#include "fabric/condition.h"
#include "routing/core/engine.h"

namespace routing {

struct ChannelSettings {
  std::vector<std::uint8_t> weight;     // by channel
  std::vector<std::uint8_t> uncounted;  // by channel: 1 if its load is not counted
  std::vector<const PortOrder*> order;  // by switch, or null
  bool weighted = false;                // some weight is not 1
};

/// Adds a note for each setting of a switch that is not in the fabric. A setting of a port without
/// a link to a switch is ignored without a note: the link may be down.
ChannelSettings channel_settings(const RoutingInput& input, fabric::ConditionList& notes);

}  // namespace routing
