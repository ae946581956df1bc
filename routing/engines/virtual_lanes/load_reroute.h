#pragma once
// Routing by load (sssp, dfsssp) that starts from the previous tables.

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/core/engine.h"
#include "routing/core/hop_table.h"
#include "routing/engines/virtual_lanes/path_changes.h"

namespace routing {

struct Rerouted {
  fabric::ForwardingTables lfts;
  std::shared_ptr<const TableState> rows;
  std::vector<mad::Lid>
      lids;  // those that other switches than new ones have other paths to, ascending
};

/// The tables of the previous routing with other entries
/// - where the channel of an entry is lost, or is on no shortest path any more;
/// - for LIDs that are new, or that some switch has a shorter path to than before: all entries;
/// - at both ends of a new link for some LIDs, so that it has about as much load as others there;
/// - of new switches, for all LIDs.
/// All entries are on shortest paths; of these, the least loaded is taken. Nothing: the loads are
/// not known, or so much has changed that a routing from the beginning is better.
/// `open`: by channel, `hops`: over these.
std::optional<Rerouted> reroute_by_load(const RoutingInput& input,
                                        const std::vector<std::uint8_t>& open,
                                        const HopTable<std::uint8_t>& hops);

}  // namespace routing
