#pragma once
// What a routing engine is: a pure function from a fabric with LIDs to forwarding tables, or a
// refusal in words.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/published_routing.h"
#include "fabric/switch_graph.h"
#include "mad/ids.h"
#include "routing/core/memory.h"
#include "routing/core/options.h"

namespace routing {

using sm::PathSls;
using sm::SlToVl;
using sm::SlToVlRow;

struct RoutingInput {
  const sm::Fabric& fabric;
  const sm::SwitchGraph& graph;  // of this fabric
  const sm::LidMap& lids;        // of this fabric
  const RoutingOptions& options;
  const sm::ForwardingTables* previous =
      nullptr;  // rows as in fabric.switches; its routes are kept where they are still good. None:
                // start afresh
  const Before* before =
      nullptr;  // a routing of these options to go on from, instead of `previous`: engines that can
                // look only at what may have changed
};

struct RoutingResult : sm::PublishedRouting {
  RoutingResult() = default;
  explicit RoutingResult(sm::ForwardingTables tables) : lfts(std::move(tables)) {}

  sm::ForwardingTables lfts;
  std::vector<std::string> notes = {};  // for the operator
  std::shared_ptr<const RowMemory> rows =
      {};  // what Before wants to have; null: this engine begins anew each time
};

/// Why an engine does not route this fabric, in an operator's words, with the first node that it
/// stumbled over.
struct Refusal {
  std::string why;
};

using RoutingFunction = tl::expected<RoutingResult, Refusal> (*)(const RoutingInput&);

}  // namespace routing
