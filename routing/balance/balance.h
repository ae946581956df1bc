#pragma once
// Distributes destinations over the candidate ports of each switch.

#include <optional>
#include <span>
#include <vector>

#include "routing/balance/switch_table_router.h"
#include "routing/core/engine.h"
#include "routing/core/hop_table.h"
#include "routing/graph/candidates.h"
#include "routing/graph/channel_settings.h"
#include "routing/graph/destinations.h"
#include "routing/graph/up_down.h"

namespace routing {

/// The state that an incremental routing over candidates starts from.
struct CandidateState : EngineState {
  std::vector<const HopTable<std::uint8_t>*> tables;  // LocalCandidates::tables()
  std::vector<std::shared_ptr<const void>> owners;    // of the tables
  std::vector<std::uint8_t> channel_flags;            // LocalCandidates::channel_flags()
  std::vector<std::uint16_t> loads;  // [switch][port]: PortLoads; empty: not counted yet
};

/// The previous routing, if it was one over candidates with the same options. Nothing else may be
/// started from.
struct CandidatesBefore {
  const TableState& common;
  const CandidateState& own;
  Correspondence was;
  /// By switch: 1 if a link to another switch, or the flag of one, has changed; `flags`: by channel
  /// now. For same_switches.
  std::vector<std::uint8_t> changed(const fabric::SwitchGraph& graph,
                                    std::span<const std::uint8_t> flags) const;
};
std::optional<CandidatesBefore> candidates_before(const RoutingInput& input);

/// unit_hops(input.graph), incrementally where `before` is a routing over these alone.
std::optional<HopTable<std::uint8_t>> unit_hops_since(
    const RoutingInput& input, const std::optional<CandidatesBefore>& before);
/// up_down_distances(), incrementally where `before` is a routing over these.
std::optional<UpDownDistances> up_down_distances_since(
    const RoutingInput& input, const std::optional<CandidatesBefore>& before,
    const UpDownOrder& order, std::span<const std::uint8_t> complete);

/// Makes result.lfts: each switch gives a LID to the candidate with the fewest LIDs so far
/// (engines.h). 0xFF: LIDs whose switch no candidate leads to, and LIDs from the switch's
/// LinearFDBCap on. Entries of the previous routing, or else of the previous tables, are kept where
/// they are still candidates. The tables of switches are independent of each other, and made in
/// parallel. With input.previous_routing, only entries that a change can affect are computed; the
/// result is the same as with its tables as the previous ones.
void route_tables(const RoutingInput& input, const ChannelSettings& settings, const Plan& plan,
                  const Candidates& candidates, const std::optional<CandidatesBefore>& before,
                  RoutingResult& result);

/// Repairs the tables of engines that choose among the candidates by a rule of their own when they
/// route from the beginning: new entries are those that the engine prefers, or else those that
/// route_tables() chooses. `own`: the engine's state, whose part of a routing over candidates is
/// filled.
void repair_tables(const RoutingInput& input, const Candidates& candidates,
                   const CandidatesBefore& before, const Preference& preference,
                   std::shared_ptr<CandidateState> own, RoutingResult& result);
/// Sets result.rows after a routing from the beginning over candidates that are local().
void keep_state(const RoutingInput& input, const Candidates& candidates,
                std::shared_ptr<CandidateState> own, RoutingResult& result);
/// After tables were changed by other rules: the next routing counts their loads.
void forget_loads(RoutingResult& result);

}  // namespace routing
