#pragma once

#include <cstdint>
#include <span>

#include "routing/graph/channel_table.h"
#include "routing/verify/credit_loops.h"

namespace routing {

/// Adds the channel dependencies of packets whose VL depends on the destination alone. Visits
/// switch after switch and LID after LID; a visit reads the forwarding tables of the switch and of
/// its neighbours only, which keeps them in the cache.
/// Shape: `vl_of_lid` by LID, ChannelGraph::vls() or more for LIDs without senders; LIDs in
/// [lid_begin, lid_end), multiples of 64; `sources`: the switches with senders.
void add_dependencies(const sm::SwitchGraph& graph, const sm::ForwardingTables& lfts,
                      const ChannelTable& channel_table, std::span<const std::uint8_t> vl_of_lid,
                      std::span<const sm::SwitchIndex> sources, std::size_t lid_begin,
                      std::size_t lid_end, ChannelGraph& channels);

}  // namespace routing
