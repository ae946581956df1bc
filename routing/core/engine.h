#pragma once
// Defines the interface of a routing engine: a pure function from a fabric with LIDs to forwarding
// tables, or a refusal.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/published_routing.h"
#include "fabric/switch_graph.h"
#include "mad/ids.h"
#include "routing/core/routing_conditions.h"
#include "routing/core/routing_options.h"
#include "routing/core/routing_state.h"

namespace routing {

using fabric::PathSls;
using fabric::SlToVl;
using fabric::SlToVlRow;

/// Maps the NodeGUID of a switch to the adaptive-routing group of packets to its hosts. A switch
/// keeps its group while it is absent.
using GroupIds = std::map<mad::Guid, fabric::GroupId>;

class Candidates;

/// Says whether engines for trees move entries until fewer flows of a shift permutation share a
/// link (trees/conflict_removal.h). Tables that were adopted stay as they are.
enum class ConflictRemoval : std::uint8_t {
  none,
  if_quick,  // in a small fabric, where that takes some milliseconds
  always,
};

struct RoutingInput {
  const fabric::Fabric& fabric;
  const fabric::SwitchGraph& graph;  // of `fabric`
  const fabric::LidMap& lids;        // of `fabric`
  const RoutingOptions& options;
  const fabric::ForwardingTables* previous =
      nullptr;  // by switch as in fabric.switches; routes that are still valid are kept. Null:
                // all routes are computed again
  const PreviousRouting* previous_routing =
      nullptr;         // the previous routing with the same options, instead of
                       // `previous`; engines that can route incrementally use it
  bool adopt = false;  // `previous` was found on the fabric: entries that fulfil the engine's
                       // guarantees are kept, whichever engine made them (registry.h)
  const fabric::ForwardingTables* current =
      nullptr;  // if `previous_routing` is a remembered one (remembered_routings.h): the tables in
                // use, by switch as in fabric.switches. New entries keep these ports if possible
  std::string_view fallback_engine =
      {};  // with `adopt`: the engine that made `previous` in place of one
           // that refused the fabric; no other engine keeps these tables

  // These are for engines with adaptive routing.
  std::shared_ptr<const GroupIds> group_ids = {};  // of earlier routings; null: none
  fabric::GroupId group_limit =
      4095;  // the highest group that all switches can hold (GroupCap - 1)
  const std::vector<bool>* static_lids =
      nullptr;  // by LID: of ports that cannot reorder packets, so that paths to them stay static;
                // null: there are none

  ConflictRemoval conflict_removal = ConflictRemoval::none;
  TurnRule turn_rule = TurnRule::every_pair;
};

struct RoutingResult : fabric::PublishedRouting {
  RoutingResult() = default;
  explicit RoutingResult(fabric::ForwardingTables tables) : lfts(std::move(tables)) {}
  void note(std::string text) {
    conditions.push_back({.id = kRoutingConditions.routing_note, .text = std::move(text)});
  }

  fabric::ForwardingTables lfts;
  std::vector<fabric::Condition> conditions = {};
  std::shared_ptr<const TableState> rows =
      {};  // for PreviousRouting. Null: the registry makes one, without a part of the engine's own
  std::shared_ptr<const Candidates> candidates =
      {};  // what the engine may choose from on legal paths. Refers to the input; the registry
           // forms groups from it and drops it. Null: the engine does not choose port by port
  bool conflicts_removed = false;  // by the registry
  bool turns = false;  // some paths between end ports go up after going down, in one leaf
  std::shared_ptr<const GroupIds> group_ids =
      {};  // with `adaptive`: groups of the input, and of new switches
};

/// Gives the reason why an engine does not route this fabric, with the first node concerned.
struct Refusal {
  std::string why;
  bool by_turns = false;  // of tables with a credit loop, if paths go up after going down in them
};

using RoutingFunction = tl::expected<RoutingResult, Refusal> (*)(const RoutingInput&);
/// Chooses SLs and VLs for result.lfts, whichever engine made the tables. Errors: the data VLs do
/// not suffice, or an option ties VLs to the engine's own paths.
using VlFunction = tl::expected<void, Refusal> (*)(const RoutingInput&, RoutingResult& result);

}  // namespace routing
