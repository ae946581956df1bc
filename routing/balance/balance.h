#pragma once
// Distributes destinations over the candidate ports of each switch.

#include "routing/core/engine.h"
#include "routing/core/hop_table.h"
#include "routing/graph/candidates.h"
#include "routing/graph/channel_settings.h"
#include "routing/graph/destinations.h"

namespace routing {

/// What an incremental routing over candidates starts from.
struct CandidateState : EngineState {
  std::vector<HopTable<std::uint8_t>> tables;  // LocalCandidates::tables()
  std::vector<std::uint8_t> channel_flags;     // LocalCandidates::channel_flags()
  std::vector<std::uint16_t> loads;            // [switch][port]: PortLoads
};

/// Makes result.lfts: each switch gives a LID to the candidate with the fewest LIDs so far
/// (engines.h). 0xFF: LIDs whose switch no candidate leads to, and LIDs from the switch's
/// LinearFDBCap on. Entries of the previous routing, or else of the previous tables, are kept where
/// they are still candidates. The tables of switches are independent of each other, and made in
/// parallel. With input.previous_routing, only entries that a change can affect are computed; the
/// result is the same as with its tables as the previous ones.
void route_tables(const RoutingInput& input, const ChannelSettings& settings, const Plan& plan,
                  const Candidates& candidates, RoutingResult& result);

}  // namespace routing
