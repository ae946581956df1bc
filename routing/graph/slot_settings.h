#pragma once
// What an operator wants of single switches and ports, by slot of the graph.

#include <cstdint>
#include <vector>

#include "routing/core/engine.h"
#include "routing/core/note_list.h"

namespace routing {

struct SlotSettings {
  std::vector<std::uint8_t> weight;     // per slot of the graph
  std::vector<std::uint8_t> uncounted;  // per slot: 1 if its load is not counted
  std::vector<const PortOrder*> order;  // per switch, or null
  bool weighted = false;                // some weight is not 1
};

/// Wishes about switches that the fabric does not have are noted; ports that have no cable to a
/// switch now are passed over silently: they may have one tomorrow.
SlotSettings slot_settings(const RoutingInput& input, NoteList& notes);

}  // namespace routing
