#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/core/hop_table.h"

namespace routing {

/// Computes sums over the next hops of a switch.
class NextCosts {
 public:
  /// Lists of next hops are padded to a multiple of this.
  static constexpr std::uint32_t kPad = 4;

  /// Collects cost[next] for each next hop in the list.
  void collect(std::span<const std::uint16_t> next, const std::vector<double>& cost) {
    count_ = static_cast<std::uint32_t>(next.size());
    for (std::uint32_t i = 0; i < count_; ++i) costs_[i] = cost[next[i]];
  }
  /// Returns the least sum of a cost and a weight. `weights` is as long as the list. Four separate
  /// minima shorten the chain of dependent instructions.
  double least(const double* weights) const {
    std::array<double, kPad> best;
    best.fill(std::numeric_limits<double>::infinity());
    for (std::uint32_t i = 0; i < count_; i += kPad)
      for (std::uint32_t k = 0; k < kPad; ++k)
        best[k] = std::min(best[k], costs_[i + k] + weights[i + k]);
    return std::min(std::min(best[0], best[1]), std::min(best[2], best[3]));
  }
  /// Returns the least sum above `bound`.
  double least_above(const double* weights, double bound) const {
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < count_; ++i)
      if (const double sum = costs_[i] + weights[i]; sum > bound) best = std::min(best, sum);
    return best;
  }
  /// Returns the least sum for which accept(sum) is true.
  template <class Accept>
  double least_if(const double* weights, Accept&& accept) const {
    double best = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < count_; ++i)
      if (const double sum = costs_[i] + weights[i]; sum < best && accept(sum)) best = sum;
    return best;
  }

 private:
  std::uint32_t count_ = 0;
  std::array<double, 256> costs_;
};

/// The directed acyclic graph of all shortest paths to one switch, with its switches in groups. The
/// next hops of all switches in a group lead to the same switches, in the same order of ports.
/// Costs of these next switches are then collected once for the group. In a tree, all leaves of a
/// pod form such a group. Keeps references to the graph and the distances.
class ShortestGroups {
 public:
  /// `hops`: distances over the channels that are `open`; a link is open in both directions or in
  /// none. `order`: all switches; it decides the order of groups and of switches at equal distance.
  ShortestGroups(const fabric::SwitchGraph& graph, const HopTable<std::uint8_t>& hops,
                 std::span<const std::uint8_t> open, std::vector<fabric::SwitchIndex> order);

  struct Source {
    fabric::SwitchIndex sw;
    fabric::ChannelIndex first;  // the channel to the first of the group's next switches; those to
                                 // the others follow
  };
  struct Group {
    std::uint32_t next_begin, next_end;      // indices of next switches
    std::uint32_t source_begin, source_end;  // indices into sources()
  };

  void find(fabric::SwitchIndex to);
  const std::vector<fabric::SwitchIndex>& order() const { return order_; }

  // These describe the switch of find():
  /// Returns the groups, nearest first.
  std::span<const Group> groups() const { return groups_; }
  /// Returns all switches with a path to the switch of find(), without this switch, by group.
  std::span<const Source> sources() const { return sources_; }
  std::span<const Source> sources(const Group& group) const {
    return sources().subspan(group.source_begin, group.source_end - group.source_begin);
  }
  /// Returns the next switches by channel; the number of switches stands for a channel that is on
  /// no shortest path.
  std::span<const std::uint16_t> next(const Group& group) const {
    return std::span(next_).subspan(group.next_begin, group.next_end - group.next_begin);
  }

 private:
  const HopTable<std::uint8_t>& hops_;
  std::size_t switches_;
  std::vector<fabric::SwitchIndex> order_;
  std::vector<fabric::ChannelIndex> offsets_;
  std::vector<std::uint16_t> neighbour_;  // by channel; its own switch if it is not open
  std::vector<fabric::SwitchIndex> near_first_;
  std::vector<std::uint16_t> next_;
  std::vector<Group> groups_;
  std::vector<Source> sources_, unsorted_;
  std::vector<std::uint32_t> group_of_;    // by position in unsorted_
  std::vector<std::uint32_t> last_group_;  // by switch: the last group that it is the first next
                                           // switch of
};

}  // namespace routing
