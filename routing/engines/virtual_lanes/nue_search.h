#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "fabric/switch_graph.h"
#include "routing/graph/shortest_dag.h"
#include "routing/qos/acyclic_channels.h"
#include "routing/qos/spanning_tree.h"

namespace routing {

/// A lane of nue: what may wait for what on it, and the tree that is always left.
struct NueLane {
  AcyclicChannels
      channels;  // with the dependencies of the tree, for the destinations that it serves
  SpanningTree escape;
  bool keep_order =
      false;  // dependencies that the order of `channels` has already are preferred to less load
};

/// The ways to one destination after the other, each on a lane where others have theirs already.
/// All choices follow GUIDs and port numbers.
class NueSearch {
 public:
  /// `order`: all switches by GUID. `senders`: per switch, who must not wait in circles. Keeps
  /// references to the graph and both spans.
  NueSearch(const sm::SwitchGraph& graph, ShortestDag dag, std::span<const std::uint8_t> open,
            std::vector<sm::SwitchIndex> order, std::span<const std::uint32_t> senders);

  struct Found {
    bool detours = false;  // some ways are longer than they would have to be on lanes without end
    bool tree = false;     // some switches are on the tree
  };
  enum class Care : std::uint8_t {
    search,   // to let in whatever closes no circle
    at_once,  // only what is in already, or clear without a search
  };
  /// Ways to `home` that fit into the lane, by hops, then load. If the lane's tree serves it, all
  /// senders that cables lead here from have one afterwards.
  Found search(NueLane& lane, sm::SwitchIndex home, bool tree_serves, Care care);
  /// Takes the ways that `slot_of(switch)` tells (kNoIndex: none) out of the loads; the lane keeps
  /// what it has. Then search() chooses once more.
  template <class SlotOf>
  void take_back(sm::SwitchIndex home, SlotOf&& slot_of) {
    begin(home);
    for (const ShortestDag::Source& source : dag_.sources()) {
      via_[source.sw] = slot_of(source.sw);
      if (via_[source.sw] != sm::kNoIndex) cost_[source.sw] = 0;
    }
    sort_near_first();
    carry();
    for (const sm::SwitchIndex sw : near_first_) load_[via_[sw]] -= carried_[sw];
  }
  /// Keeps in the lane what packets of senders use of the new dependencies, and nothing else;
  /// `as_load`: and counts them.
  void keep_used(NueLane& lane, bool as_load);
  /// Shortest ways for all that have none, whatever waits for what. Ways of others do not lead over
  /// these.
  void complete();

  /// Switches that have a way, each behind the next one on it; without the home.
  std::span<const sm::SwitchIndex> near_first() const { return near_first_; }
  std::uint32_t slot(sm::SwitchIndex sw) const { return via_[sw]; }
  /// Per slot: pairs (sender, destination) over it.
  std::span<const std::uint32_t> load() const { return load_; }

 private:
  static constexpr std::uint64_t kNoWay = std::uint64_t{1} << 48;  // loads of ways are below

  void begin(sm::SwitchIndex home);
  bool has_way(sm::SwitchIndex sw) const { return cost_[sw] < kNoWay; }
  bool allow(NueLane& lane, std::uint32_t from, std::uint32_t to, Care care) const {
    const unsigned place = to - graph_.offsets[graph_.neighbour[from]];
    return care == Care::search ? lane.channels.allow(from, place)
                                : lane.channels.allow_at_once(from, place);
  }
  bool fits(NueLane& lane, std::uint32_t slot, Care care) const;
  void take(sm::SwitchIndex sw, std::uint32_t slot, std::uint64_t cost);
  bool take_shortest(NueLane* lane, const ShortestDag::Source& source, Care care);

  /// A way that a switch without one could take; the best is the smallest.
  struct Offer {
    std::uint32_t hops;
    std::uint64_t cost;
    std::uint32_t place;  // of the switch in order_
    std::uint32_t port;   // place of the slot
    auto operator<=>(const Offer&) const = default;
  };
  Offer offer(std::uint32_t slot) const;
  std::uint32_t slot_of(const Offer& offer) const {
    return graph_.offsets[order_[offer.place]] + offer.port;
  }
  void take_detours(NueLane& lane, Care care);

  template <class Visit>
  bool all_children(sm::SwitchIndex sw, Visit&& visit) const;
  bool take_any(NueLane& lane, sm::SwitchIndex sw, Care care);
  void lose_way(sm::SwitchIndex sw);
  void pull_onto_tree(NueLane& lane, sm::SwitchIndex sw, Care care);
  bool repair(NueLane& lane, bool tree_serves, Care care);
  void sort_near_first();
  void carry();

  const sm::SwitchGraph& graph_;
  ShortestDag dag_;
  std::span<const std::uint8_t> open_;
  std::vector<sm::SwitchIndex> order_;
  std::span<const std::uint32_t> senders_;
  std::vector<std::uint32_t> load_;
  sm::SwitchIndex home_ = sm::kNoIndex;
  std::vector<sm::SwitchIndex> near_first_;
  std::priority_queue<Offer, std::vector<Offer>, std::greater<>> offers_;
  std::queue<sm::SwitchIndex> pending_;   // that have no way, but should
  std::vector<std::uint32_t> tree_slot_;  // per switch, towards home
  std::vector<Offer> any_;
  // By switch:
  std::vector<std::uint32_t> place_;
  std::vector<std::uint8_t> useful_;  // senders have a shortest way over it
  std::vector<std::uint32_t> via_;    // slot
  std::vector<std::uint64_t> cost_;   // sum of the loads on the way, kNoWay without one
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint32_t> carried_;  // senders there and behind it
};

}  // namespace routing
