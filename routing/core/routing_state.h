#pragma once
// The state of a routing from which the next, incremental one starts. Immutable; owns its contents.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/published_routing.h"
#include "fabric/switch_graph.h"
#include "routing/core/channel_graph.h"
#include "routing/core/routing_options.h"
#include "routing/core/verify_report.h"

namespace routing {

/// Holds what one engine keeps for its next routing besides TableState.
struct EngineState {
  virtual ~EngineState() = default;
};

/// Describes the fabric that verified tables were made for; common to all engines.
struct TableState {
  struct Attachment {
    fabric::SwitchIndex sw = fabric::kNoIndex;  // the switch that the LID is attached to; kNoIndex:
                                                // the LID is not assigned
    std::uint8_t out = 0;                       // of that switch
    std::uint8_t counted = 0;                   // 1: the LID counts as load
    bool operator==(const Attachment&) const = default;
  };
  fabric::IndexVector<fabric::SwitchIndex, mad::Guid> switches;  // NodeGUIDs, by switch
  fabric::SwitchGraph graph;
  std::vector<Attachment> attachments;     // by LID
  std::shared_ptr<const EngineState> own;  // null: the engine keeps no state
};

struct RememberedRouting;

/// Says for which pairs without an Up*/Down* path packets may turn up again in a leaf. Where such
/// paths close a cycle of channel dependencies, the next rule is tried.
enum class TurnRule : std::uint8_t {
  every_pair,        // of end ports
  pairs_with_hosts,  // CAs inside of switches without hosts get no path to each other
  no_pair,  // one leaf is above all switches then (trees/tree_levels.h): every pair has a path
};

/// Holds an engine's verified tables and what is known of them.
struct RoutingState {
  std::string engine;
  RoutingOptions options;
  std::shared_ptr<const TableState> rows;  // not null in the state of a ChainResult
  VerifyReport verification;
  std::optional<ChannelGraph> dependencies;   // over rows->graph, between hosts; empty if the graph
                                              // has a cycle
  std::vector<fabric::Condition> notes = {};  // of the engine
  bool adopted = false;  // tables that were found on the fabric may be among them
  std::shared_ptr<const fabric::ForwardingTables> choice =
      {};  // if adopted: what the engine would have chosen. Null: that was not computed
  /// Routings from before losses that have not ended, oldest first (remembered_routings.h).
  std::vector<std::shared_ptr<const RememberedRouting>> remembered = {};
  std::shared_ptr<const RememberedRouting> returned_to =
      {};               // the routing that this one restored after links or switches came back
  bool gained = false;  // since all routes were chosen, links or switches were added that no
                        // remembered routing has: they may carry less than their share
  bool conflicts_removed = false;  // or the engine does not do that: ConflictRemoval::always would
                                   // move nothing
  TurnRule turn_rule = TurnRule::every_pair;
  bool is_fallback = false;  // engines that come first in the chain have refused
};

/// Refers to the routing from which an incremental one starts.
struct PreviousRouting {
  const RoutingState& memory;
  const fabric::ForwardingTables& lfts;       // its tables
  const fabric::PublishedRouting& published;  // its SLs and VLs
};

/// Maps switches and channels of the previous fabric to those of the current one.
struct Correspondence {
  std::vector<fabric::SwitchIndex>
      previous_switch;  // by current switch: its previous index; kNoIndex: it is new
  std::vector<fabric::SwitchIndex>
      current_switch;  // by previous switch: its current index; kNoIndex: it has disappeared
  std::vector<fabric::ChannelIndex>
      current_channel;  // by previous channel: its current index; kNoIndex:
                        // the link is down, or connects other switches
  std::vector<bool> lost_channel,
      channels_changed;  // by current switch: a previous link to another switch has disappeared;
                         // any link was added, removed or has another index
  bool same_switches = false;  // switches have the same indices in both
  bool same_graph = false;     // no switch and no link between switches has been added or lost, as
                               // far as their names go: indices may differ
};
Correspondence correspondence(const TableState& before, const fabric::Fabric& fabric,
                              const fabric::SwitchGraph& graph);

}  // namespace routing
