// Computes loads of links if switches spread packets over the members of groups.
#include <algorithm>
#include <random>
#include <tuple>

#include "routing/graph/channel_table.h"
#include "routing/quality/quality.h"

namespace routing {

using fabric::ChannelIndex;
using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

using SpreadHost = OrderedHost;

/// Spreads flows over channels. Flows between two switches of one group are spread as one.
class Spreader {
 public:
  Spreader(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts,
           const fabric::AdaptiveGroups& groups)
      : graph_(graph),
        lfts_(lfts),
        groups_(groups),
        channels_(graph),
        load_(graph.port.size()),
        here_(graph.switches(), 0),
        next_(graph.switches(), 0) {}

  void add(const SpreadHost& from, const SpreadHost& to) {
    if (from.sw == to.sw) return;
    const fabric::GroupId group = groups_.find_group(to.lid);
    flows_.push_back({to.sw, group, to.lid, from.sw, 1.0});
  }

  /// Returns the highest load of a channel with all flows, and removes the flows.
  double highest_load() {
    std::ranges::fill(load_, 0.0);
    std::ranges::sort(flows_, {}, [](const Flow& flow) {
      return std::tuple(flow.to, flow.group, flow.from, flow.lid);
    });
    for (std::size_t i = 0; i < flows_.size();) {
      Flow all = flows_[i];
      std::size_t end = i + 1;
      for (; end < flows_.size() && flows_[end].is_as(all); ++end) all.amount += flows_[end].amount;
      spread(all);
      i = end;
    }
    flows_.clear();
    return load_.empty() ? 0 : *std::ranges::max_element(load_);
  }

 private:
  struct Flow {
    SwitchIndex to;
    fabric::GroupId group;
    mad::Lid lid;  // with a group: one of its LIDs, for switches where it has no ports
    SwitchIndex from;
    double amount;
    bool is_as(const Flow& other) const {
      return to == other.to && group == other.group && from == other.from &&
             (group != 0 || lid == other.lid);
    }
  };

  /// Each round moves all parts of the flow by one hop.
  void spread(const Flow& flow) {
    at_.assign(1, flow.from);
    here_[flow.from] = flow.amount;
    for (std::size_t hops = 0; !at_.empty() && hops < graph_.switches(); ++hops) {
      std::vector<SwitchIndex>& reached = reached_;
      reached.clear();
      for (const SwitchIndex sw : at_) {
        find_channels(sw, flow);
        for (const ChannelIndex channel : out_) {
          const double part = here_[sw] / static_cast<double>(out_.size());
          load_[channel] += part;
          const SwitchIndex other = graph_.neighbour[channel];
          if (other == flow.to) continue;
          if (next_[other] == 0) reached.push_back(other);
          next_[other] += part;
        }
        here_[sw] = 0;
      }
      std::swap(here_, next_);
      std::swap(at_, reached);
    }
    for (const SwitchIndex sw : at_) here_[sw] = 0;
  }

  void find_channels(SwitchIndex sw, const Flow& flow) {
    out_.clear();
    const fabric::PortSet& members = groups_.ports(sw, flow.group);
    if (members.any()) {
      for (const ChannelIndex channel : graph_.channels(sw))
        if (members[graph_.port[channel].value]) out_.push_back(channel);
    } else if (const ChannelIndex channel = channels_.channel(sw, lfts_.at(sw, flow.lid).value);
               channel != kNoIndex) {
      out_.push_back(channel);
    }
  }

  const fabric::SwitchGraph& graph_;
  const fabric::ForwardingTables& lfts_;
  const fabric::AdaptiveGroups& groups_;
  const ChannelTable channels_;
  std::vector<Flow> flows_;
  fabric::IndexVector<ChannelIndex, double> load_;
  fabric::IndexVector<SwitchIndex, double> here_, next_;  // of the flow that is spread
  std::vector<SwitchIndex> at_, reached_;
  std::vector<ChannelIndex> out_;
};

void add_permutation(double highest, SpreadLoad& out) {
  out.mean += highest;
  out.worst = std::max(out.worst, highest);
}

}  // namespace

SpreadLoad adaptive_shift_load(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                               const fabric::ForwardingTables& lfts,
                               const fabric::AdaptiveGroups& groups, std::size_t step) {
  const std::vector<SpreadHost> hosts = hosts_by_lid(graph, lids);
  Spreader spreader(graph, lfts, groups);
  SpreadLoad out;
  std::size_t permutations = 0;
  for (std::size_t shift = 1; shift < hosts.size(); shift += step, ++permutations) {
    for (std::size_t i = 0; i < hosts.size(); ++i)
      spreader.add(hosts[i], hosts[(i + shift) % hosts.size()]);
    add_permutation(spreader.highest_load(), out);
  }
  if (permutations > 0) out.mean /= static_cast<double>(permutations);
  return out;
}

SpreadLoad adaptive_random_permutations(const fabric::SwitchGraph& graph,
                                        const fabric::LidMap& lids,
                                        const fabric::ForwardingTables& lfts,
                                        const fabric::AdaptiveGroups& groups, unsigned rounds,
                                        std::uint64_t seed) {
  const std::vector<SpreadHost> hosts = hosts_by_lid(graph, lids);
  std::vector<SpreadHost> to = hosts;
  Spreader spreader(graph, lfts, groups);
  std::mt19937_64 random(seed);
  SpreadLoad out;
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = to.size(); i > 1; --i) std::swap(to[i - 1], to[random() % i]);
    for (std::size_t i = 0; i < hosts.size(); ++i) spreader.add(hosts[i], to[i]);
    add_permutation(spreader.highest_load(), out);
  }
  if (rounds > 0) out.mean /= rounds;
  return out;
}

}  // namespace routing
