#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/engines/virtual_lanes/column_tile.h"
#include "routing/graph/batches.h"
#include "routing/graph/channel_table.h"
#include "routing/graph/shortest_groups.h"

namespace routing {

/// Routes one batch after the other over shortest paths with the smallest sum of loads, and adds
/// these paths to its copy of the loads. Keeps references to all arguments except the groups.
class LoadBalancer {
 public:
  /// If `last_of_equals` is set, the balancer takes the last of equally loaded channels in port
  /// order, otherwise the first.
  LoadBalancer(const RoutingInput& input, ShortestGroups groups, const ChannelTable& channels,
               const HostLids& hosts, fabric::ForwardingTables& lfts, bool last_of_equals = false);

  /// Routes a batch. `again`: the batch is already in the tables, which hold all LIDs; it is routed
  /// again with the loads of all others.
  void route(const Batch& batch, bool again = false);

  /// Returns, by channel, the number of pairs of host LIDs whose path uses it.
  std::vector<double> loads() const;
  /// Adds to each balancer the loads that the other has added since the last call, for channels in
  /// [begin, end).
  static void join(LoadBalancer& even, LoadBalancer& odd, std::size_t begin, std::size_t end);

 private:
  static constexpr double kLoad = 256;
  std::uint64_t preference(fabric::ChannelIndex channel, fabric::SwitchIndex sw) const {
    return (channel - input_.graph.offsets[sw]) ^ flip_;
  }
  void choose(fabric::SwitchIndex last_switch, std::uint8_t* ports);
  void take_back(mad::Lid lid);
  void carry(double times);

  const RoutingInput& input_;
  ShortestGroups groups_;
  const ChannelTable& channels_;
  const HostLids& hosts_;
  fabric::ForwardingTables& lfts_;
  ColumnTile tile_;
  std::uint64_t flip_;  // 0xFF reverses the order of the channels
  // Each channel has the pairs of host LIDs that use it, in units of kLoad; the low bits hold its
  // index among the channels of its switch. One minimum therefore gives both cost and channel, and
  // selects the first (or last) of equal channels. Sums stay below 2^53, so they are exact.
  // Floating-point numbers have a minimum in one instruction.
  std::vector<double> weight_, joined_;  // joined_: after the last join()
  std::vector<double> cost_;     // by switch: sum of the loads on its path, in units of kLoad; the
                                 // last one stands for no switch
  std::vector<double> carried_;  // by switch: senders there and before it
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> via_;
};

}  // namespace routing
