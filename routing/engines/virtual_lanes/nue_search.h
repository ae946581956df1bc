#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/shortest_groups.h"
#include "routing/qos/acyclic_channels.h"
#include "routing/qos/spanning_tree.h"

namespace routing {

/// Holds one VL of nue: its channel dependencies and its escape paths.
struct NueVl {
  AcyclicChannels
      channels;  // includes the dependencies of the escape paths, for the destinations on this VL
  SpanningTree escape;
  bool keep_order = false;  // dependencies that agree with the present order of `channels` are
                            // preferred to less load
};

/// Finds the paths to one destination after the other, on a VL that it shares with other paths. All
/// choices follow GUIDs and port numbers.
class NueSearch {
 public:
  /// `groups` are in the order of GUIDs. `senders`: by switch, the number of sources whose packets
  /// must not be part of a credit loop. Keeps references to the graph and both spans.
  NueSearch(const fabric::SwitchGraph& graph, ShortestGroups groups,
            std::span<const std::uint8_t> open, std::span<const std::uint32_t> senders);

  struct Found {
    bool detours = false;  // some paths are longer than the shortest
    bool tree = false;     // some switches use the escape paths
  };
  enum class Effort : std::uint8_t {
    search,   // accepts each dependency that closes no cycle
    at_once,  // accepts only present dependencies, and those that need no search for a cycle
  };
  /// Finds paths to `last_switch` that close no cycle on the VL, by hops, then load. If the escape
  /// paths serve `last_switch`, all connected senders have a path afterwards.
  Found search(NueVl& vl, fabric::SwitchIndex last_switch, bool tree_serves, Effort effort);
  /// Searches for all connected senders without escape paths; returns false if one has no path.
  bool search_all(NueVl& vl, fabric::SwitchIndex last_switch);
  /// Searches as search() and search_all() do, but switches keep the path that begins with
  /// `get_channel(switch)` (kNoIndex: none) if it leads to `last_switch` and, with Effort::search,
  /// fits on the VL.
  template <class ChannelOf>
  bool keep_and_search(NueVl& vl, fabric::SwitchIndex last_switch, Effort effort,
                       ChannelOf&& get_channel) {
    begin(last_switch);
    for (const ShortestGroups::Source& source : groups_.sources()) {
      via_[source.sw] = get_channel(source.sw);
      if (via_[source.sw] != fabric::kNoIndex) cost_[source.sw] = 0;
    }
    sort_near_first();
    return search_others(vl, effort);
  }
  /// Adds loads by channel.
  void add_load(std::span<const double> loads) {
    for (std::size_t channel = 0; channel < loads.size(); ++channel)
      weight_[channel] += kLoad * loads[channel];
  }
  /// Adds a load, which may be negative; the result is at least 0.
  void add_load(fabric::ChannelIndex channel, double pairs) {
    const auto index =
        static_cast<double>(static_cast<std::uint64_t>(weight_[channel]) % kLoadUnit);
    weight_[channel] = std::max(weight_[channel] + kLoad * pairs, index);
  }
  /// Subtracts the paths given by `get_channel(switch)` (kNoIndex: none) from the loads; the VL
  /// keeps their dependencies. Then search() can route the destination again.
  template <class ChannelOf>
  void take_back(fabric::SwitchIndex last_switch, ChannelOf&& get_channel) {
    begin(last_switch);
    for (const ShortestGroups::Source& source : groups_.sources()) {
      via_[source.sw] = get_channel(source.sw);
      if (via_[source.sw] != fabric::kNoIndex) cost_[source.sw] = 0;
    }
    sort_near_first();
    carry();
    for (const fabric::SwitchIndex sw : near_first_) weight_[via_[sw]] -= kLoad * carried_[sw];
  }
  /// Removes new dependencies that no packets of senders use from the VL. With `as_load`, adds the
  /// load of the paths.
  void keep_used(NueVl& vl, bool as_load);
  /// Finds shortest paths for all switches without a path, regardless of dependencies. Paths of
  /// other switches do not use these.
  void complete();

  /// Returns the switches with a path, without `last_switch`; each comes after its next switch.
  std::span<const fabric::SwitchIndex> near_first() const { return near_first_; }
  fabric::ChannelIndex channel(fabric::SwitchIndex sw) const { return via_[sw]; }
  /// Returns the number of pairs (sender, destination) that use the channel.
  std::uint64_t load(fabric::ChannelIndex channel) const {
    return static_cast<std::uint64_t>(weight_[channel]) / kLoadUnit;
  }

 private:
  static constexpr double kNoPathCost = std::numeric_limits<double>::infinity();
  static constexpr std::uint64_t kLoadUnit = 256;
  static constexpr double kLoad = kLoadUnit;

  void begin(fabric::SwitchIndex last_switch);
  bool has_path(fabric::SwitchIndex sw) const { return cost_[sw] < kNoPathCost; }
  bool allow(NueVl& vl, fabric::ChannelIndex from, fabric::ChannelIndex to, Effort effort) const {
    return allow(vl, from, to - graph_.offsets[graph_.neighbour[from]], effort);
  }
  static bool allow(NueVl& vl, fabric::ChannelIndex from, unsigned to_index, Effort effort) {
    return effort == Effort::search ? vl.channels.allow(from, to_index)
                                    : vl.channels.allow_at_once(from, to_index);
  }
  /// Accepts the dependency of `channel` on the path of `to`, where it leads; returns false if it
  /// would close a cycle on the VL.
  bool fits(NueVl& vl, fabric::ChannelIndex channel, fabric::SwitchIndex to, Effort effort) const;
  bool fits(NueVl& vl, fabric::ChannelIndex channel, Effort effort) const {
    return fits(vl, channel, graph_.neighbour[channel], effort);
  }
  double cost_over(fabric::ChannelIndex channel) const {
    return cost_[graph_.neighbour[channel]] + kLoad * static_cast<double>(load(channel));
  }
  void take(fabric::SwitchIndex sw, fabric::ChannelIndex channel, fabric::SwitchIndex to,
            double cost);
  void take(fabric::SwitchIndex sw, fabric::ChannelIndex channel, double cost) {
    take(sw, channel, graph_.neighbour[channel], cost);
  }
  bool take_shortest(NueVl* vl, const NextCosts& costs, std::span<const std::uint16_t> next,
                     const ShortestGroups::Source& source, Effort effort);

  /// A path that a switch without a path could take; the smallest offer is the best.
  struct Offer {
    std::uint32_t hops;
    double cost;
    std::uint32_t position;  // of the switch in the order of GUIDs
    std::uint32_t port;      // index of the channel
    auto operator<=>(const Offer&) const = default;
  };
  Offer offer(fabric::ChannelIndex channel) const;
  fabric::ChannelIndex get_channel(const Offer& offer) const {
    return graph_.offsets[groups_.order()[offer.position]] + offer.port;
  }
  void take_detours(NueVl& vl, Effort effort);
  bool search_others(NueVl& vl, Effort effort);
  bool all_senders_have_paths() const;

  template <class Visit>
  bool all_children(fabric::SwitchIndex sw, Visit&& visit) const;
  bool take_any(NueVl& vl, fabric::SwitchIndex sw, Effort effort);
  void lose_path(fabric::SwitchIndex sw);
  void fall_back_to_escape(NueVl& vl, fabric::SwitchIndex sw, Effort effort);
  bool repair(NueVl& vl, bool tree_serves, Effort effort);
  void sort_near_first();
  void carry();

  const fabric::SwitchGraph& graph_;
  ShortestGroups groups_;
  std::span<const std::uint8_t> open_;
  std::span<const std::uint32_t> senders_;
  // Each channel has the pairs (sender, destination) that use it, in units of kLoad; the low bits
  // hold its index among the channels of its switch, so that one minimum gives both. Sums are
  // exact.
  std::vector<double> weight_;
  fabric::SwitchIndex last_switch_ = fabric::kNoIndex;
  std::vector<fabric::SwitchIndex> near_first_;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers_;
  std::queue<fabric::SwitchIndex> pending_;  // have no path, but need one
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex>
      tree_channel_;  // towards last_switch
  std::vector<Offer> any_;
  // These are by switch.
  std::vector<std::uint32_t> position_;       // in the order of GUIDs
  std::vector<std::uint8_t> on_sender_path_;  // a shortest path of a sender leads over it
  fabric::IndexVector<fabric::SwitchIndex, fabric::ChannelIndex> via_;
  std::vector<double> cost_;  // sum of the loads on the path, in units of kLoad; kNoPathCost: no
                              // path. The last one stands for no switch
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint32_t> carried_;  // senders at the switch and before it
  fabric::IndexVector<fabric::SwitchIndex, fabric::SwitchIndex> first_child_, next_child_;
};

}  // namespace routing
