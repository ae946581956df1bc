#pragma once
// The ways of one LID from all switches, as tables have them.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forwarding_tables.h"
#include "fabric/switch_graph.h"
#include "routing/graph/slot_table.h"

namespace routing {

/// Made once for a fabric and its tables, then for one LID after the other.
class InTree {
 public:
  InTree(const sm::SwitchGraph& graph, const sm::ForwardingTables& lfts)
      : graph_(graph),
        lfts_(lfts),
        slots_(graph),
        slot_(graph.switches()),
        state_(graph.switches()),
        hops_(graph.switches()) {}

  /// Follows the LID, which lives at port `out` of `home`, from everywhere.
  void follow(mad::Lid lid, sm::SwitchIndex home, mad::PortNum out) {
    near_first_.clear();
    state_.assign(graph_.switches(), State::unknown);
    state_[home] = lfts_.at(home, lid) == out ? State::arrives : State::lost;
    hops_[home] = 0;
    for (sm::SwitchIndex from = 0; from < graph_.switches(); ++from) {
      way_.clear();
      sm::SwitchIndex sw = from;
      while (state_[sw] == State::unknown) {
        state_[sw] = State::lost;  // until it is known better; a circle ends here
        slot_[sw] = slots_.slot(sw, lfts_.at(sw, lid).value);
        if (slot_[sw] == sm::kNoIndex) break;
        way_.push_back(sw);
        sw = graph_.neighbour[slot_[sw]];
      }
      if (state_[sw] != State::arrives) continue;
      for (std::size_t i = way_.size(); i-- > 0;) {
        state_[way_[i]] = State::arrives;
        hops_[way_[i]] = hops_[graph_.neighbour[slot_[way_[i]]]] + 1;
        near_first_.push_back(way_[i]);
      }
    }
  }

  bool arrives(sm::SwitchIndex sw) const { return state_[sw] == State::arrives; }
  // Of switches that the LID arrives from:
  std::uint32_t hops(sm::SwitchIndex sw) const { return hops_[sw]; }
  /// Not of the home.
  std::uint32_t slot(sm::SwitchIndex sw) const { return slot_[sw]; }
  /// Without the home; each comes behind the next switch on its way.
  std::span<const sm::SwitchIndex> near_first() const { return near_first_; }

 private:
  enum class State : std::uint8_t { unknown, lost, arrives };
  const sm::SwitchGraph& graph_;
  const sm::ForwardingTables& lfts_;
  const SlotTable slots_;
  std::vector<std::uint32_t> slot_;
  std::vector<State> state_;
  std::vector<std::uint32_t> hops_;
  std::vector<sm::SwitchIndex> near_first_, way_;
};

}  // namespace routing
