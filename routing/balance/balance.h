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
  TurningHops turning;                                // LocalCandidates::turning_hops()
  std::vector<std::uint16_t> loads;  // [switch][port]: PortLoads; empty: not counted yet
  virtual std::shared_ptr<CandidateState> copied() const {
    return std::make_shared<CandidateState>(*this);
  }
};

/// Refers to the previous routing, if it was a routing over candidates with the same options. No
/// other routing can be the start of an incremental one.
struct CandidatesBefore {
  const TableState& common;
  const CandidateState& own;
  Correspondence was;
  /// Returns, by switch, 1 if a link to another switch, or the flag of such a link, has changed.
  /// `flags`: by channel now. Precondition: same_switches.
  std::vector<std::uint8_t> changed(const fabric::SwitchGraph& graph,
                                    std::span<const std::uint8_t> flags) const;
};
std::optional<CandidatesBefore> candidates_before(const RoutingInput& input);

/// Returns unit_hops(input.graph), incrementally if `before` is a routing over these distances.
std::optional<HopTable<std::uint8_t>> unit_hops_since(
    const RoutingInput& input, const std::optional<CandidatesBefore>& before);
/// Returns up_down_distances(), incrementally if `before` is a routing over these distances.
std::optional<UpDownDistances> up_down_distances_since(
    const RoutingInput& input, const std::optional<CandidatesBefore>& before,
    const UpDownOrder& order, const UpDownNeeds& needs);

/// Makes result.lfts: each switch gives a LID to the candidate with the fewest LIDs so far
/// (distance_engines.h). An entry is 0xFF if no candidate leads to the LID's switch, and for LIDs
/// from the switch's LinearFDBCap on. Entries of the previous routing, otherwise of the previous
/// tables, are kept if they are still candidates. The tables of switches are independent of each
/// other, and made in parallel. With input.previous_routing, only entries that a change can affect
/// are computed; the result is the same as with its tables as the previous ones. `own`: the
/// engine's state, of which the common part is filled; null: one without more.
void route_tables(const RoutingInput& input, const ChannelSettings& settings, const Plan& plan,
                  const Candidates& candidates, const std::optional<CandidatesBefore>& before,
                  RoutingResult& result);

/// Repairs the tables of engines that use their own rule to choose among the candidates when they
/// route from the beginning. New entries are those that the engine prefers, otherwise those that
/// route_tables() chooses. Fills the part of `own`, the engine's state, that belongs to a routing
/// over candidates.
void repair_tables(const RoutingInput& input, const Candidates& candidates,
                   const CandidatesBefore& before, const Preference& preference,
                   std::shared_ptr<CandidateState> own, RoutingResult& result);
/// Sets result.rows after a routing from the beginning over candidates that are local().
void keep_state(const RoutingInput& input, const Candidates& candidates,
                std::shared_ptr<CandidateState> own, RoutingResult& result);
/// Makes the next routing count the loads, after other rules have changed tables.
void forget_loads(RoutingResult& result);

}  // namespace routing
