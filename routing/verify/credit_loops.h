#pragma once
// Deadlocks that tables allow: packets that wait for each other's buffers in a circle (credit
// loops), by following the tables and lanes of all traffic.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.h"
#include "fabric/forwarding_tables.h"
#include "fabric/lid_map.h"
#include "fabric/switch_graph.h"
#include "routing/core/channel_graph.h"
#include "routing/core/engine.h"

namespace routing {

/// Whose packets count. Switches send next to nothing themselves, and few routings of trees stay
/// free of loops with packets of and to them.
enum class Traffic : std::uint8_t { between_hosts, all };

struct CreditLoops {
  static constexpr std::size_t kLoopsListed = 10;
  struct Loop {
    std::vector<Channel> circle;  // each waits for the next, the last for the first; a shortest one
                                  // through its first channel
    std::size_t channels = 0;     // in circles that hang together with this one
  };
  std::vector<Loop> loops;  // one for each knot of circles, largest knots first
  std::size_t loop_count = 0;
  std::uint64_t dependencies = 0;
  bool ok() const { return loop_count == 0; }
};

struct Lanes {
  const PathSls& sls;
  const SlToVl& sl_to_vl;  // empty: all packets count as on one lane
};

/// All packets between end ports with LIDs (or hosts and routers only), each in the SL of its path,
/// plus `others`. LIDs are followed as far as the tables lead.
CreditLoops find_credit_loops(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                              const sm::ForwardingTables& lfts, const Lanes& lanes, Traffic traffic,
                              std::span<const Dependency> others = {});
/// Who waits for whom: what find_credit_loops() searches for circles. Refers to the graph.
ChannelGraph find_dependencies(const sm::SwitchGraph& graph, const sm::LidMap& lids,
                               const sm::ForwardingTables& lfts, const Lanes& lanes,
                               Traffic traffic, std::span<const Dependency> others = {});
/// The circles of a graph.
CreditLoops find_circles(const ChannelGraph& channels);

/// "S1 port 3 -> S4 port 1 -> ... -> S1 port 3 on VL 0; 24 channels are in such circles"
std::string text(const CreditLoops::Loop& loop, const sm::Fabric& fabric,
                 const sm::SwitchGraph& graph);

}  // namespace routing
