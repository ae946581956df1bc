#pragma once

#include <cstdint>
#include <span>

#include "routing/graph/slot_table.h"
#include "routing/verify/credit_loops.h"

namespace routing {

/// Adds what packets wait for, where the lane of a packet is a matter of its destination only:
/// every switch is gone through LID after LID, and needs no more than its own row of the tables and
/// those of its neighbours. Shape: `vl_of_lid` by LID, ChannelGraph::vls() or more for LIDs that
/// nobody sends to; only LIDs in [lid_begin, lid_end) are looked at, multiples of 64.
///        `sources`: the switches that somebody sends from.
void add_dependencies(const sm::SwitchGraph& graph, const sm::ForwardingTables& lfts,
                      const SlotTable& slots, std::span<const std::uint8_t> vl_of_lid,
                      std::span<const sm::SwitchIndex> sources, std::size_t lid_begin,
                      std::size_t lid_end, ChannelGraph& channels);

}  // namespace routing
