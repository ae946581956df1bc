#include "routing/engines/virtual_lanes/load_reroute.h"

#include <algorithm>
#include <limits>

#include "routing/graph/channel_table.h"
#include "routing/graph/hops.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

using Hops = HopTable<std::uint8_t>;
using Attachment = TableState::Attachment;

/// Lists all switches with a path to `to`, nearest first; caches the latest list.
class NearFirst {
 public:
  std::span<const SwitchIndex> to(SwitchIndex to, const Hops& hops,
                                  const fabric::SwitchGraph& graph) {
    if (to == last_) return std::span(order_).subspan(1);
    last_ = to;
    const auto all = graph.all_switches();
    order_ = nearest_first(hops.row(to), std::vector<SwitchIndex>(all.begin(), all.end()));
    return std::span(order_).subspan(1);
  }

 private:
  SwitchIndex last_ = kNoIndex;
  std::vector<SwitchIndex> order_;
};

class LoadReroute {
 public:
  LoadReroute(const RoutingInput& input, const LoadState& state,
              const std::vector<std::uint8_t>& open, const Hops& hops, const PathChanges& changes)
      : input_(input),
        graph_(input.graph),
        previous_(input.previous_routing->lfts),
        state_(state),
        open_(open),
        hops_(hops),
        changes_(changes),
        channels_before_(changes.before().graph),
        channels_(input.graph),
        switches_(input.graph.switches()),
        loads_(state.loads),
        hosts_(list_hosts(changes.rows()->attachments, switches_)),
        hosts_before_(list_hosts(state.attachments, changes.before().switches.size())),
        cost_(switches_, 0),
        via_(switches_) {}

  Rerouted run() {
    for (const std::uint16_t lid : changes_.counted()) take_back(lid);
    const std::vector<PathChanges::LostEntry> lost = changes_.lost_entries(loads_);
    weight_ = changes_.moved(loads_);
    lfts_ = changes_.tables();
    for (const PathChanges::LostEntry& entry : lost) set(entry.sw, entry.lid, mad::kNoPort);
    Rerouted out;
    for (const bool of_hosts : {true, false})
      for (std::size_t lid = 1; lid < changes_.lids(); ++lid)
        if (changes_.affected(lid) > PathChanges::Affected::entries &&
            (changes_.now(lid).out != 0) == of_hosts)
          route(static_cast<std::uint16_t>(lid));
    for (const PathChanges::LostEntry& entry : lost) route_from(entry.sw, entry.lid, entry.hosts);
    for (std::size_t lid = 1; lid < changes_.lids(); ++lid)
      if (changes_.affected(lid) != PathChanges::Affected::no)
        out.lids.push_back(mad::Lid{static_cast<std::uint16_t>(lid)});
    out.lfts = std::move(lfts_);
    const auto rows = changes_.rows();
    add_load_state(*rows, std::move(weight_), open_, hops_);
    out.rows = rows;
    return out;
  }

 private:
  // Subtracts the previous paths of a LID from the loads.
  void take_back(std::uint16_t lid) {
    const fabric::SwitchGraph& before = changes_.before().graph;
    const auto order = near_before_.to(state_.attachments[lid].sw, state_.hops, before);
    carried_.assign(hosts_before_.begin(), hosts_before_.end());
    for (std::size_t i = order.size(); i-- > 0;) {
      const ChannelIndex channel =
          channels_before_.channel(order[i], previous_.at(order[i], mad::Lid{lid}).value);
      if (channel == kNoIndex) continue;
      loads_[channel] -= carried_[order[i]];
      carried_[before.neighbour[channel]] += carried_[order[i]];
    }
  }

  /// After a return, returns the channel that the entry uses now, if that is a shortest hop.
  ChannelIndex current(SwitchIndex sw, std::uint16_t lid, const std::uint8_t* distance) const {
    if (input_.current == nullptr) return kNoIndex;
    const ChannelIndex channel = channels_.channel(sw, input_.current->at(sw, mad::Lid{lid}).value);
    const bool is_hop = channel != kNoIndex && open_[channel] != 0 &&
                        distance[graph_.neighbour[channel]] + 1 == distance[sw];
    return is_hop ? channel : ChannelIndex(kNoIndex);
  }

  ChannelIndex least_loaded(SwitchIndex sw, const std::uint8_t* distance) const {
    ChannelIndex best = kNoIndex;
    double least = std::numeric_limits<double>::infinity();
    for (const ChannelIndex channel : graph_.channels(sw)) {
      const SwitchIndex to = graph_.neighbour[channel];
      if (open_[channel] == 0 || distance[to] + 1 != distance[sw]) continue;
      if (const double cost = cost_[to] + weight_[channel]; cost < least) {
        least = cost;
        best = channel;
      }
    }
    return best;
  }

  void set(SwitchIndex sw, std::uint16_t lid, mad::PortNum port) {
    if (lfts_.row(sw)[lid] != port.value) lfts_.writable_row(sw)[lid] = port.value;
  }

  void route(std::uint16_t lid) {
    const SwitchIndex last = changes_.now(lid).sw;
    const std::uint8_t* const distance = hops_.row(last);
    const auto order = near_.to(last, hops_, graph_);
    if (order.size() + 1 < switches_)
      for (const SwitchIndex sw : graph_.all_switches())
        if (distance[sw] == Hops::kNoPath) set(sw, lid, mad::kNoPort);
    cost_[last] = 0;
    for (const SwitchIndex sw : order) {
      ChannelIndex channel = changes_.kept(sw, lid);
      if (channel == kNoIndex || distance[graph_.neighbour[channel]] + 1 != distance[sw])
        channel = current(sw, lid, distance);
      if (channel == kNoIndex) channel = least_loaded(sw, distance);
      via_[sw] = channel;
      cost_[sw] = cost_[graph_.neighbour[channel]] + weight_[channel];
      set(sw, lid, graph_.port[channel]);
    }
    if (changes_.now(lid).out == 0) return;  // paths to switches are not load
    carried_.assign(hosts_.begin(), hosts_.end());
    for (std::size_t i = order.size(); i-- > 0;) {
      const ChannelIndex channel = via_[order[i]];
      weight_[channel] += carried_[order[i]];
      carried_[graph_.neighbour[channel]] += carried_[order[i]];
    }
  }

  // Chooses the hop of a switch; nearer switches have theirs. `hosts`: those that send over it.
  void route_from(SwitchIndex sw, std::uint16_t lid, double hosts) {
    const std::uint8_t* const distance = hops_.row(changes_.now(lid).sw);
    ChannelIndex chosen = current(sw, lid, distance);
    if (chosen == kNoIndex) {
      for (const ChannelIndex channel : graph_.channels(sw))
        if (open_[channel] != 0 && distance[graph_.neighbour[channel]] + 1 == distance[sw])
          cost_[graph_.neighbour[channel]] = cost_of_path(graph_.neighbour[channel], lid);
      chosen = least_loaded(sw, distance);
    }
    set(sw, lid, graph_.port[chosen]);
    if (changes_.now(lid).out == 0) return;  // paths to switches are not load
    for_each_channel(sw, lid, [&](ChannelIndex channel) { weight_[channel] += hosts; });
  }
  double cost_of_path(SwitchIndex from, std::uint16_t lid) const {
    double cost = 0;
    for_each_channel(from, lid, [&](ChannelIndex channel) { cost += weight_[channel]; });
    return cost;
  }
  template <class Visit>
  void for_each_channel(SwitchIndex from, std::uint16_t lid, Visit&& visit) const {
    const SwitchIndex last = changes_.now(lid).sw;
    std::size_t hops = 0;
    for (SwitchIndex sw = from; sw != last && hops < switches_; ++hops) {
      const ChannelIndex channel = channels_.channel(sw, lfts_.at(sw, mad::Lid{lid}).value);
      if (channel == kNoIndex) return;
      visit(channel);
      sw = graph_.neighbour[channel];
    }
  }

  const RoutingInput& input_;
  const fabric::SwitchGraph& graph_;
  const fabric::ForwardingTables& previous_;
  const LoadState& state_;
  const std::vector<std::uint8_t>& open_;
  const Hops& hops_;
  const PathChanges& changes_;
  const ChannelTable channels_before_, channels_;
  const std::size_t switches_;
  std::vector<double> loads_;  // by previous channel
  fabric::ForwardingTables lfts_;
  NearFirst near_, near_before_;
  std::vector<double> hosts_, hosts_before_, carried_, cost_;  // by switch
  std::vector<double> weight_;                                 // by channel
  fabric::IndexVector<SwitchIndex, ChannelIndex> via_;
};

}  // namespace

std::optional<Rerouted> reroute_by_load(const RoutingInput& input,
                                        const std::vector<std::uint8_t>& open, const Hops& hops) {
  const LoadState* const state = previous_load_state(input);
  if (state == nullptr) return std::nullopt;
  const PathChanges changes(input, *state, open, hops);
  if (!changes.are_few()) return std::nullopt;
  return LoadReroute(input, *state, open, hops, changes).run();
}

}  // namespace routing
