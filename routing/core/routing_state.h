#pragma once
// State of a routing that the next, incremental routing starts from. Immutable; owns its contents.

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

/// What each entry of per-switch tables was derived from (engines/distance/row_router.h).
struct TableState {
  struct Attachment {
    sm::SwitchIndex sw =
        sm::kNoIndex;  // the switch that the LID is attached to; kNoIndex: the LID is not assigned
    std::uint8_t out = 0;      // of that switch
    std::uint8_t counted = 0;  // 1: the LID counts as load
    bool operator==(const Attachment&) const = default;
  };
  sm::IndexVector<sm::SwitchIndex, mad::Guid> switches;  // NodeGUIDs, by switch
  sm::SwitchGraph graph;
  std::vector<Attachment> attachments;         // by LID
  std::vector<HopTable<std::uint8_t>> tables;  // LocalCandidates::tables()
  std::vector<std::uint8_t> channel_flags;
  std::vector<std::uint16_t> loads;  // [switch][port]: PortLoads
};

/// State of an engine's verified tables.
struct RoutingState {
  std::string engine;
  RoutingOptions options;
  std::shared_ptr<const TableState> rows;  // null: this engine does not route incrementally
  VerifyReport verification;
  std::optional<ChannelGraph> dependencies;  // over rows->graph, between hosts; empty if the graph
                                             // has a cycle or more than one VL is used
  bool adopted = false;  // tables that were found on the fabric may be among them
  std::shared_ptr<const sm::ForwardingTables> choice =
      {};  // if adopted: what the engine would have chosen. Null: that was not computed
};

/// The previous routing, for an incremental one.
struct PreviousRouting {
  const RoutingState& memory;
  const sm::ForwardingTables& lfts;  // its tables
};

/// How switches and channels of the previous fabric correspond to those of the current one.
struct Correspondence {
  std::vector<sm::SwitchIndex>
      previous_switch;  // by current switch: its previous index; kNoIndex: it is new
  std::vector<sm::SwitchIndex>
      current_switch;  // by previous switch: its current index; kNoIndex: it has disappeared
  std::vector<sm::ChannelIndex>
      current_channel;  // by previous channel: its current index; kNoIndex:
                        // the link is down, or connects other switches
  std::vector<bool> lost_channel,
      channels_changed;  // by current switch: a previous link to another switch has disappeared;
                         // any link was added, removed or has another index
  bool same_switches = false;  // switches have the same indices in both
};
Correspondence correspondence(const TableState& before, const sm::Fabric& fabric,
                              const sm::SwitchGraph& graph);

}  // namespace routing
