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
#include "routing/path_sls.h"
#include "routing/sl_to_vl.h"

namespace routing {

/// One direction of a cable between switches, on one lane. Cables of hosts are left out: they are
/// never part of a circle.
struct Channel {
  std::uint32_t slot = 0;  // of the graph: the end that sends
  std::uint8_t vl = 0;
  bool operator==(const Channel&) const = default;
};

/// Whose packets count. Switches send next to nothing themselves, and few routings of trees stay
/// free of loops with packets of and to them.
enum class Traffic : std::uint8_t { between_hosts, all };

/// Packets on `from` wait for `to`, which leaves the switch that `from` leads to: what other
/// traffic than unicast adds, such as a multicast tree.
struct Dependency {
  Channel from, to;
};

/// Which channel waits for which: a bit for each pair that meets at a switch.
class ChannelGraph {
 public:
  /// For lanes 0 .. vls - 1. `lanes_change`: packets may go on on another lane than they came on.
  ChannelGraph(const sm::SwitchGraph& graph, unsigned vls, bool lanes_change);

  unsigned vls() const { return vls_; }
  /// `to` is given by its place among the slots of the switch that `from_slot` leads to. `to_vl` is
  /// `from_vl` unless lanes change.
  void add(std::uint32_t from_slot, unsigned from_vl, unsigned to_place, unsigned to_vl) {
    std::uint64_t* const row = rows_.data() + (from_vl * slots_ + from_slot) * row_words_;
    row[(lanes_change_ ? to_vl : 0) * words_ + to_place / 64] |= std::uint64_t{1} << to_place % 64;
  }
  /// Dependencies that are not of this graph (lanes, slots, no common switch) are left out.
  void add(const Dependency& dependency);
  /// The same among the slots of another graph, which the result refers to: `slot_now` gives each
  /// slot's place there, kNoIndex: it is gone.
  ChannelGraph moved_to(const sm::SwitchGraph& graph,
                        std::span<const std::uint32_t> slot_now) const;
  /// Refers to another copy of the same graph from now on.
  void refer_to(const sm::SwitchGraph& graph) { graph_ = &graph; }
  /// The other graph is of the same shape.
  void merge(const ChannelGraph& other);

  std::uint64_t dependencies() const;
  /// visit(vertex) for each vertex that this one waits for.
  template <class Visit>
  void for_each_next(std::uint32_t vertex, Visit&& visit) const;
  std::uint32_t vertices() const { return static_cast<std::uint32_t>(vls_ * slots_); }
  Channel channel(std::uint32_t vertex) const {
    return {static_cast<std::uint32_t>(vertex % slots_),
            static_cast<std::uint8_t>(vertex / slots_)};
  }

 private:
  const sm::SwitchGraph* graph_;
  std::size_t slots_, words_, row_words_;
  unsigned vls_;
  bool lanes_change_;
  std::vector<std::uint64_t>
      rows_;  // [vl][slot][vl of the next, if lanes change][place of the next / 64]
};

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
