#include "routing/engines/virtual_lanes/load_balancer.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

LoadBalancer::LoadBalancer(const RoutingInput& input, ShortestGroups groups,
                           const ChannelTable& channels, const HostLids& hosts,
                           fabric::ForwardingTables& lfts, bool last_of_equals)
    : input_(input),
      groups_(std::move(groups)),
      channels_(channels),
      hosts_(hosts),
      lfts_(lfts),
      tile_(input, hosts, lfts),
      flip_(last_of_equals ? 0xFFu : 0u),
      weight_(input.graph.port.size() + NextCosts::kPad, 0),
      cost_(input.graph.switches() + 1, std::numeric_limits<double>::infinity()),
      carried_(input.graph.switches()),
      via_(input.graph.switches()) {
  for (const SwitchIndex sw : input.graph.all_switches())
    for (const fabric::ChannelIndex channel : input.graph.channels(sw))
      weight_[channel] = static_cast<double>(preference(channel, sw));
  joined_ = weight_;
}

void LoadBalancer::route(const Batch& batch, bool again) {
  groups_.find(batch.sw);
  for (std::size_t first = 0; first < batch.lids.size(); first += ColumnTile::kLids) {
    const auto lids = std::span(batch.lids)
                          .subspan(first, std::min(ColumnTile::kLids, batch.lids.size() - first));
    for (std::size_t i = 0; i < lids.size(); ++i) {
      const bool counted = first + i < batch.counted;
      if (again && counted) take_back(mad::Lid{lids[i]});
      choose(batch.sw, tile_.column(i));
      if (counted) carry(1);
    }
    tile_.write(batch.sw, lids, groups_.sources(),
                [](const ShortestGroups::Source& source) { return source.sw; });
  }
}

void LoadBalancer::choose(SwitchIndex last_switch, std::uint8_t* ports) {
  const fabric::SwitchGraph& graph = input_.graph;
  NextCosts costs;
  cost_[last_switch] = 0;
  for (const ShortestGroups::Group& group : groups_.groups()) {
    costs.collect(groups_.next(group), cost_);
    for (const ShortestGroups::Source& source : groups_.sources(group)) {
      const double least = costs.least(weight_.data() + source.first);
      const std::uint64_t index = static_cast<std::uint64_t>(least) % 256;
      cost_[source.sw] = least - static_cast<double>(index);
      const auto channel = fabric::ChannelIndex(graph.offsets[source.sw] + (index ^ flip_));
      via_[source.sw] = channel;
      ports[source.sw] = graph.port[channel].value;
    }
  }
}

void LoadBalancer::take_back(mad::Lid lid) {
  for (const ShortestGroups::Source& source : groups_.sources()) {
    via_[source.sw] = channels_.channel(source.sw, lfts_.at(source.sw, lid).value);
    assert(via_[source.sw] != kNoIndex);
  }
  carry(-1);
}

// Adds the load of the chosen paths; negative `times` subtract it.
void LoadBalancer::carry(double times) {
  std::ranges::copy(hosts_.at_switch, carried_.begin());
  const auto sources = groups_.sources();
  for (std::size_t i = sources.size(); i-- > 0;) {
    const SwitchIndex sw = sources[i].sw;
    weight_[via_[sw]] += times * carried_[sw] * kLoad;
    carried_[input_.graph.neighbour[via_[sw]]] += carried_[sw];
  }
}

std::vector<double> LoadBalancer::loads() const {
  std::vector<double> loads(input_.graph.port.size());
  for (const SwitchIndex sw : input_.graph.all_switches())
    for (const fabric::ChannelIndex channel : input_.graph.channels(sw))
      loads[channel] = (weight_[channel] - static_cast<double>(preference(channel, sw))) / kLoad;
  return loads;
}

void LoadBalancer::join(LoadBalancer& even, LoadBalancer& odd, std::size_t begin, std::size_t end) {
  double *const a = even.weight_.data(), *const a_joined = even.joined_.data(),
                *const b = odd.weight_.data(), *const b_joined = odd.joined_.data();
  for (std::size_t channel = begin; channel < end; ++channel) {
    const double of_even = a[channel] - a_joined[channel], of_odd = b[channel] - b_joined[channel];
    a_joined[channel] = a[channel] += of_odd;
    b_joined[channel] = b[channel] += of_even;
  }
}

}  // namespace routing
