#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "routing/engines/virtual_lanes/lash_paths.h"
#include "routing/qos/acyclic_channels.h"

namespace routing {

/// Assigns VLs to the paths of all pairs of switches; both directions of a pair use one VL.
class LashLayers {
 public:
  /// Keeps references to the graph and the spans. `hosts`: by switch; `order`: all switches;
  /// `channels`: all, in the order that further VLs start from; `vls`: at least one, with its
  /// dependencies; `mapped_vl`: VLs that pairs already have, [tree][from][to]; empty if none.
  LashLayers(const fabric::SwitchGraph& graph, LashPaths paths,
             std::span<const std::uint32_t> hosts, std::span<const fabric::SwitchIndex> order,
             std::vector<fabric::ChannelIndex> channels, std::vector<AcyclicChannels> vls,
             std::vector<std::uint8_t> mapped_vl = {});

  struct Pair {
    fabric::SwitchIndex a, b;
    std::uint8_t tree;
  };
  /// Assigns to each pair of switches with hosts the first VL on which it closes no cycle, in the
  /// order of descending path length. Stops when more than `vls_max` VLs are needed.
  void assign(std::size_t vls_max);
  bool complete() const { return complete_; }
  std::size_t vls() const { return vls_.size(); }
  /// Returns the number of pairs on VLs from `vls` on.
  std::size_t pairs_beyond(std::size_t vls) const;
  const Pair& first_beyond(std::size_t vls) const;

  /// Assigns a pair whose path has changed: it keeps its VL if it closes no cycle there, otherwise
  /// it gets the first VL on which it closes none. Returns false if it closes a cycle on all
  /// `vls_max` VLs.
  bool assign_again(const Pair& pair, std::size_t vls_max);
  /// Like assign_again(), for a pair in which a switch has no hosts. Returns false if the pair
  /// closes a cycle on all VLs; it then gets the first one.
  bool assign_other(const Pair& pair);

  /// Moves pairs from VLs with many pairs of hosts to VLs with few, if they close no cycle there.
  void balance();
  /// Assigns the pairs in which a switch has no hosts. Returns how many pairs close a cycle on
  /// every VL; these use the first VL.
  std::size_t assign_others();

  std::uint8_t vl(unsigned tree, fabric::SwitchIndex from, fabric::SwitchIndex to) const {
    return vl_of_[(tree * switches_ + from) * switches_ + to];
  }
  const LashPaths& paths() const { return paths_; }
  AcyclicChannels& first_vl() { return vls_.front(); }

 private:
  bool has_path(const Pair& pair) const {
    return paths_.position(pair.tree, pair.a, pair.b) != LashPaths::kNone;
  }
  template <class Allow>
  bool path_fits(const Pair& pair, Allow&& allow) const;
  bool fits(std::size_t vl, const Pair& pair);
  void put(const Pair& pair, std::size_t vl);

  const fabric::SwitchGraph& graph_;
  const LashPaths paths_;
  std::span<const std::uint32_t> hosts_;
  std::span<const fabric::SwitchIndex> order_;
  const std::size_t switches_;
  std::vector<fabric::ChannelIndex> channels_;
  std::vector<AcyclicChannels> vls_;
  std::vector<std::uint8_t> vl_of_;  // [tree][from][to]
  std::vector<Pair> pairs_;          // pairs of assign()
  bool complete_ = false;
};

}  // namespace routing
