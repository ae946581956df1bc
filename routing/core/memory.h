#pragma once
// What a routing leaves behind, so that after a small change the next one need not begin anew.
// Immutable values that own all that they hold.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/switch_graph.h"
#include "routing/core/channel_graph.h"
#include "routing/core/hop_table.h"
#include "routing/core/options.h"
#include "routing/core/verify_report.h"

namespace routing {

/// Of tables that were made row by row (row_router.h): what each entry followed from.
struct RowMemory {
  struct Home {
    sm::SwitchIndex sw = sm::kNoIndex;  // kNoIndex: nobody has the LID
    std::uint8_t out = 0;               // of that switch
    std::uint8_t counted = 0;           // 1: it counts as load
    bool operator==(const Home&) const = default;
  };
  std::vector<mad::Guid> switches;  // NodeGUIDs, by row
  sm::SwitchGraph graph;
  std::vector<Home> homes;                     // by LID
  std::vector<HopTable<std::uint8_t>> tables;  // LocalCandidates::tables()
  std::vector<std::uint8_t> slot_flags;
  std::vector<std::uint16_t> loads;  // [switch][port]: PortLoads
};

/// Of an engine's tables that stood the test.
struct RoutingMemory {
  std::string engine;
  RoutingOptions options;
  std::shared_ptr<const RowMemory> rows;  // null: this engine begins anew each time
  VerifyReport verification;
  std::optional<ChannelGraph> waits;  // of rows->graph: who waited for whom, between hosts; nothing
                                      // if that closed a circle, or over several lanes
};

/// A routing to go on from.
struct Before {
  const RoutingMemory& memory;
  const sm::ForwardingTables& lfts;  // the tables that it made
};

/// Where switches, slots and LIDs of a fabric were before.
struct Correspondence {
  std::vector<sm::SwitchIndex> switch_before;  // by switch; kNoIndex: it is new
  std::vector<sm::SwitchIndex> switch_now;     // by switch before; kNoIndex: it is gone
  std::vector<std::uint32_t>
      slot_now;  // by slot before; kNoIndex: that cable is gone, or leads elsewhere
  std::vector<bool> lost_slot, other_slots;  // by switch: a cable to another switch is gone; any
                                             // came, went, or stands elsewhere in the row of slots
  bool same_rows = false;                    // switch numbers are the same
};
Correspondence correspondence(const RowMemory& before, const sm::Fabric& fabric,
                              const sm::SwitchGraph& graph);

}  // namespace routing
