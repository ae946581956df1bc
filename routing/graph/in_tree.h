#pragma once
// Follows the paths of one LID from all switches through forwarding tables.

#include <cstdint>
#include <span>
#include <vector>

#include "fabric/forwarding_tables.h"
#include "fabric/switch_graph.h"
#include "routing/graph/channel_table.h"

namespace routing {

/// An InTree is constructed once for a fabric and its tables, then used for LID after LID.
class InTree {
 public:
  InTree(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts)
      : graph_(graph),
        lfts_(lfts),
        channels_(graph),
        channel_(graph.switches()),
        state_(graph.switches()),
        hops_(graph.switches()) {}

  /// Follows the LID, which is attached to port `out` of `last_switch`, from all switches.
  void trace(mad::Lid lid, fabric::SwitchIndex last_switch, mad::PortNum out) {
    near_first_.clear();
    state_.assign(graph_.switches(), State::unknown);
    state_[last_switch] = lfts_.at(last_switch, lid) == out ? State::arrives : State::lost;
    hops_[last_switch] = 0;
    for (const fabric::SwitchIndex from : graph_.all_switches()) {
      path_.clear();
      fabric::SwitchIndex sw = from;
      while (state_[sw] == State::unknown) {
        state_[sw] = State::lost;  // until it is known to arrive; a forwarding loop ends here
        channel_[sw] = channels_.channel(sw, lfts_.at(sw, lid).value);
        if (channel_[sw] == fabric::kNoIndex) break;
        path_.push_back(sw);
        sw = graph_.neighbour[channel_[sw]];
      }
      if (state_[sw] != State::arrives) continue;
      for (std::size_t i = path_.size(); i-- > 0;) {
        state_[path_[i]] = State::arrives;
        hops_[path_[i]] = hops_[graph_.neighbour[channel_[path_[i]]]] + 1;
        near_first_.push_back(path_[i]);
      }
    }
  }

  bool arrives(fabric::SwitchIndex sw) const { return state_[sw] == State::arrives; }
  // These functions are valid for switches from which the LID arrives.
  std::uint32_t hops(fabric::SwitchIndex sw) const { return hops_[sw]; }
  /// Not valid for `last_switch`.
  fabric::ChannelIndex channel(fabric::SwitchIndex sw) const { return channel_[sw]; }
  /// Returns the switches without `last_switch`; each comes after the next switch on its path.
  std::span<const fabric::SwitchIndex> near_first() const { return near_first_; }

 private:
  enum class State : std::uint8_t { unknown, lost, arrives };
  const fabric::SwitchGraph& graph_;
  const fabric::ForwardingTables& lfts_;
  const ChannelTable channels_;
  std::vector<fabric::ChannelIndex> channel_;
  std::vector<State> state_;
  std::vector<std::uint32_t> hops_;
  std::vector<fabric::SwitchIndex> near_first_, path_;
};

}  // namespace routing
