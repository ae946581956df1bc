#pragma once
// Finds credit loops that tables allow: cycles of channel dependencies, found by following the
// tables and VLs of all traffic (Dally and Seitz 1987).

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

/// Selects the packets that count. Switches send and receive few packets themselves, and few
/// routings of trees are free of credit loops with packets from and to switches.
enum class Traffic : std::uint8_t { between_hosts, all };

struct CreditLoops {
  static constexpr std::size_t kLoopsListed = 10;
  struct Loop {
    std::vector<Channel> cycle;  // each depends on the next, the last on the first; a
                                 // shortest one through its first channel
    std::size_t channels = 0;    // of its strongly connected component
  };
  std::vector<Loop> loops;  // one per strongly connected component, largest components first
  std::size_t loop_count = 0;
  std::uint64_t dependencies = 0;
  bool ok() const { return loop_count == 0; }
};

struct VlMapping {
  const PathSls& sls;
  const SlToVl& sl_to_vl;  // empty: all packets count as on one VL
};

/// Follows all packets between end ports with LIDs (or hosts and routers only), each in the SL of
/// its path, and adds `others`. LIDs are followed as far as the tables lead.
CreditLoops find_credit_loops(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                              const fabric::ForwardingTables& lfts, const VlMapping& mapping,
                              Traffic traffic, std::span<const Dependency> others = {});
/// Returns the dependencies in which find_credit_loops() searches for cycles. Refers to the graph.
ChannelGraph find_dependencies(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                               const fabric::ForwardingTables& lfts, const VlMapping& mapping,
                               Traffic traffic, std::span<const Dependency> others = {});
/// Returns the dependencies of some packets. `to`: by LID; `from`: by first switch; empty: all.
ChannelGraph find_dependencies_of(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                                  const fabric::ForwardingTables& lfts, const VlMapping& mapping,
                                  Traffic traffic, const std::vector<bool>& to,
                                  const std::vector<bool>& from);
/// Finds the cycles of a channel dependency graph.
CreditLoops find_cycles(const ChannelGraph& channels);

/// Returns a text like "credit loop possible: S1 port 3 VL 0 -> S4 port 1 VL 0 -> ... -> S1 port 3
/// VL 0 (24 channels)", with the number of channels of the strongly connected component.
std::string text(const CreditLoops::Loop& loop, const fabric::Fabric& fabric,
                 const fabric::SwitchGraph& graph);

}  // namespace routing
