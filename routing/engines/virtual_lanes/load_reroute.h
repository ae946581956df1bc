#pragma once
// Routing by load (sssp, dfsssp) that starts from the previous tables.

#include <cstdint>
#include <optional>
#include <vector>

#include "routing/core/engine.h"
#include "routing/core/hop_table.h"

namespace routing {

/// What sssp() and dfsssp() keep for the next routing; by channel and switch of TableState::graph.
struct LoadState : EngineState {
  explicit LoadState(HopTable<std::uint8_t> distances) : hops(std::move(distances)) {}
  sm::IndexVector<sm::SwitchIndex, mad::Guid> switches;  // those of the TableState that it is for
  std::vector<double> loads;                             // by channel: pairs of host LIDs over it
  std::vector<std::uint8_t> open;                        // by channel: it may be used
  HopTable<std::uint8_t> hops;                           // over these
  std::vector<TableState::Attachment> attachments;       // of the LIDs that `loads` counts
};

struct Rerouted {
  sm::ForwardingTables lfts;
  std::shared_ptr<const TableState> rows;
  std::vector<mad::Lid> lids;  // those that have been routed again, ascending
};

/// The tables of the previous routing with other entries
/// - where the channel of an entry is lost, or is on no shortest path any more;
/// - for LIDs that are new, or that some switch has a shorter path to than before: all entries;
/// - at both ends of a new link for some LIDs, so that it has about as much load as others there.
/// All entries are on shortest paths; of these, the least loaded is taken. Nothing: a switch is
/// new, the loads are not known, or so much has changed that a routing from the beginning is
/// better.
/// `open`: by channel, `hops`: over these.
std::optional<Rerouted> reroute_by_load(const RoutingInput& input,
                                        const std::vector<std::uint8_t>& open,
                                        const HopTable<std::uint8_t>& hops);

/// The state after a routing from the beginning. `loads`: by channel.
std::shared_ptr<const TableState> load_state(const RoutingInput& input, std::vector<double> loads,
                                             const std::vector<std::uint8_t>& open,
                                             const HopTable<std::uint8_t>& hops);

}  // namespace routing
