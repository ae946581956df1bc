#pragma once
// What a routing engine is: a pure function from a fabric with LIDs to forwarding tables, or a
// refusal in words.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "mad/ids.h"
#include "routing/options.h"
#include "routing/path_sls.h"
#include "routing/sl_to_vl.h"

namespace routing {

struct Before;  // memory.h
struct RowMemory;

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

struct RoutingResult {
  sm::ForwardingTables lfts;
  std::vector<std::string> notes = {};  // for the operator

  PathSls sls = {};      // SL of each path
  SlToVl sl_to_vl = {};  // empty: as configured
  unsigned vls = 1;      // data VLs that unicast uses, 0 .. vls - 1
  std::vector<std::uint8_t> vl_weights =
      {};  // arbitration: share that each of them should have; empty: as configured
  bool may_deadlock = false;  // an option asked for ways that can (max_reverse_hops): what the
                              // engine promises else does not hold
  /// The one tree that multicast has to stay on: per switch the slot to its parent, kNoIndex at
  /// roots. Empty: any tree will do.
  std::vector<std::uint32_t> multicast_up = {};

  std::shared_ptr<const RowMemory> rows =
      {};  // what Before wants to have; null: this engine begins anew each time

  // For dumps.
  std::vector<mad::Guid> roots = {};     // node GUIDs (opensm-updn-roots.dump)
  std::vector<mad::Guid> ca_order = {};  // port GUIDs in the order in which shifts meet no
                                         // contention; 0: a gap (opensm-ftree-ca-order.dump)
};

/// Why an engine does not route this fabric, in an operator's words, with the first node that it
/// stumbled over.
struct Refusal {
  std::string why;
};

/// From where to where a path leads: the switch that the sender hangs on (or is), the LID, and the
/// switch that the LID's owner hangs on or is. Ends that no switch forwards for (kNoIndex) have no
/// lanes to heed.
struct PathEnds {
  sm::SwitchIndex from = sm::kNoIndex;
  mad::Lid to;
  sm::SwitchIndex home = sm::kNoIndex;
};
/// The SL of a path: what the routing wants; of a wish only the bits that it leaves free. Routings
/// without lanes of their own leave all.
mad::Sl path_sl(const RoutingResult& routing, const PathEnds& path, mad::Sl wish);

using RoutingFunction = tl::expected<RoutingResult, Refusal> (*)(const RoutingInput&);

/// Data VLs (1 .. 15) that every cable between switches can have, by VLCap of both ends and
/// RoutingOptions::vls_max.
unsigned data_vls(const RoutingInput& input);

}  // namespace routing
