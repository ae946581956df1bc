#include "routing/quality/quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "routing/graph/in_tree.h"

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;

namespace {

using Host = OrderedHost;

class Walker {
 public:
  Walker(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts)
      : graph_(graph), lfts_(lfts), channel_(graph.switches() * 256, kNoIndex) {
    for (const SwitchIndex sw : graph.all_switches())
      for (const fabric::ChannelIndex channel : graph.channels(sw))
        channel_[sw * 256 + graph.port[channel].value] = channel;
  }
  // Returns the channels from a switch to a host; empty if the tables do not lead there.
  const std::vector<fabric::ChannelIndex>& walk(SwitchIndex sw, const Host& to) {
    path_.clear();
    while (sw != to.sw) {
      const fabric::ChannelIndex channel = channel_[sw * 256 + lfts_.at(sw, to.lid).value];
      if (channel == kNoIndex || path_.size() >= graph_.switches()) {
        path_.clear();
        break;
      }
      path_.push_back(channel);
      sw = graph_.neighbour[channel];
    }
    return path_;
  }

 private:
  const fabric::SwitchGraph& graph_;
  const fabric::ForwardingTables& lfts_;
  std::vector<fabric::ChannelIndex> channel_;  // [switch][port]
  std::vector<fabric::ChannelIndex> path_;
};

// Holds all LIDs of hosts and routers, with the port to which their owner is attached, and the
// number of hosts and routers with LIDs on each switch. CAs inside of switches do not count.
struct EndPorts {
  struct Destination {
    mad::Lid lid;
    SwitchIndex last_switch;
    mad::PortNum out;
  };
  std::vector<Destination> destinations;
  std::vector<std::uint32_t> senders;
};

EndPorts end_ports_of(const fabric::SwitchGraph& graph, const fabric::LidMap& lids) {
  EndPorts out;
  out.senders.assign(graph.switches(), 0);
  std::vector<const fabric::SwitchGraph::EndPort*> end_of_port;
  for (const auto& end : graph.end_ports) {
    if (!end.is_host()) continue;
    if (end.port >= end_of_port.size()) end_of_port.resize(end.port + std::size_t{1}, nullptr);
    end_of_port[end.port] = &end;
  }
  fabric::PortIndex last = kNoIndex;
  for (std::size_t lid = 0; lid < lids.port_of_lid.size(); ++lid) {
    const fabric::PortIndex port = lids.port_of_lid[lid];
    if (port >= end_of_port.size() || end_of_port[port] == nullptr) continue;
    out.destinations.push_back(
        {mad::Lid{static_cast<std::uint16_t>(lid)}, end_of_port[port]->sw, end_of_port[port]->out});
    if (port != last) ++out.senders[end_of_port[port]->sw];
    last = port;
  }
  return out;
}

// Adds the packets that the senders of all switches send along a tree to the loads of its channels.
void add_load(const fabric::SwitchGraph& graph, const std::vector<std::uint32_t>& senders,
              const InTree& tree, std::vector<std::uint32_t>& carried,
              std::vector<std::uint64_t>& load) {
  carried = senders;
  const auto near_first = tree.near_first();
  for (std::size_t i = near_first.size(); i-- > 0;) {
    const fabric::ChannelIndex channel = tree.channel(near_first[i]);
    load[channel] += carried[near_first[i]];
    carried[graph.neighbour[channel]] += carried[near_first[i]];
  }
}

// Returns the `share` quantile by nearest rank, rounded down; 0 if there are no values.
template <class Number>
Number quantile(std::vector<Number> values, double share) {
  if (values.empty()) return 0;
  const auto index = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + index, values.end());
  return values[static_cast<std::size_t>(index)];
}

void shuffle(std::vector<Host>& hosts,
             std::mt19937_64& random) {  // std::shuffle differs between libraries
  for (std::size_t i = hosts.size(); i > 1; --i) std::swap(hosts[i - 1], hosts[random() % i]);
}

}  // namespace

std::vector<std::uint32_t> lids_per_channel(const fabric::SwitchGraph& graph,
                                            const fabric::LidMap& lids,
                                            const fabric::ForwardingTables& lfts) {
  std::vector<std::uint32_t> out(graph.port.size(), 0);
  std::vector<bool> is_host;
  for (const auto& end : graph.end_ports) {
    if (end.port >= is_host.size()) is_host.resize(end.port + 1, false);
    is_host[end.port] = end.out != mad::PortNum{0};
  }
  for (std::size_t lid = 0; lid < lids.port_of_lid.size(); ++lid) {
    const fabric::PortIndex port = lids.port_of_lid[lid];
    if (port == kNoIndex || port >= is_host.size() || !is_host[port]) continue;
    for (const SwitchIndex sw : graph.all_switches()) {
      const auto ports = graph.out_ports(sw);
      const mad::PortNum exit = lfts.at(sw, mad::Lid{static_cast<std::uint16_t>(lid)});
      const auto it = std::ranges::lower_bound(ports, exit);
      if (it != ports.end() && *it == exit)
        ++out[graph.offsets[sw] + static_cast<std::size_t>(it - ports.begin())];
    }
  }
  return out;
}

namespace {

/// Adds the loads of one permutation after another.
class ShiftSum {
 public:
  ShiftSum(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts)
      : walker_(graph, lfts), load_(graph.port.size()) {}

  void add_flow(const OrderedHost& from, const OrderedHost& to) {
    for (const fabric::ChannelIndex channel : walker_.walk(from.sw, to)) {
      highest_ = std::max(highest_, ++load_[channel]);
      paths_.push_back(channel);
    }
    ends_.push_back(paths_.size());
  }

  void end_permutation() {
    for (std::size_t i = 0, at = 0; i < ends_.size(); ++i) {
      unsigned on_path = 0;
      pairs_ += at < ends_[i] ? 1u : 0u;
      for (; at < ends_[i]; ++at) on_path = std::max(on_path, load_[paths_[at]]);
      sum_ += on_path;
    }
    out_.mean += highest_;
    out_.worst = std::max(out_.worst, highest_);
    ++permutations_;
    std::ranges::fill(load_, 0u);
    ends_.clear();
    paths_.clear();
    highest_ = 0;
  }

  ShiftLoad result() const {
    ShiftLoad out = out_;
    if (permutations_ > 0) out.mean /= static_cast<double>(permutations_);
    if (pairs_ > 0) out.mean_per_pair = sum_ / static_cast<double>(pairs_);
    return out;
  }

 private:
  Walker walker_;
  std::vector<unsigned> load_;
  std::vector<std::size_t> ends_;  // by flow: where its path ends in paths_
  std::vector<fabric::ChannelIndex> paths_;
  unsigned highest_ = 0;
  std::size_t permutations_ = 0, pairs_ = 0;
  double sum_ = 0;
  ShiftLoad out_;
};

}  // namespace

ShiftLoad shift_load(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts,
                     std::span<const std::vector<OrderedHost>> lists, std::size_t step) {
  std::size_t longest = 0;
  for (const auto& list : lists) longest = std::max(longest, list.size());
  ShiftSum sum(graph, lfts);
  for (std::size_t shift = 1; shift < longest; shift += step) {
    for (const auto& list : lists)
      for (std::size_t i = 0; i < list.size(); ++i)
        sum.add_flow(list[i], list[(i + shift) % list.size()]);
    sum.end_permutation();
  }
  return sum.result();
}

ShiftLoad shift_load(const fabric::SwitchGraph& graph, const fabric::ForwardingTables& lfts,
                     std::span<const OrderedHost> hosts, std::size_t step) {
  const std::vector<std::vector<OrderedHost>> one{{hosts.begin(), hosts.end()}};
  return shift_load(graph, lfts, one, step);
}

ShiftLoad shift_load(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                     const fabric::ForwardingTables& lfts, std::size_t step) {
  return shift_load(graph, lfts, hosts_by_lid(graph, lids), step);
}

double effective_bisection(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                           const fabric::ForwardingTables& lfts, unsigned rounds,
                           std::uint64_t seed) {
  std::vector<Host> hosts = hosts_by_lid(graph, lids);
  Walker walker(graph, lfts);
  std::mt19937_64 random(seed);
  double sum = 0;
  std::size_t pairs = 0;
  std::vector<unsigned> load(graph.port.size());
  for (unsigned round = 0; round < rounds; ++round) {
    shuffle(hosts, random);
    std::ranges::fill(load, 0u);
    const std::size_t half = hosts.size() / 2;
    const auto for_each_pair = [&](auto&& visit) {
      for (std::size_t i = 0; i < half; ++i) {
        visit(hosts[i], hosts[half + i]);
        visit(hosts[half + i], hosts[i]);
      }
    };
    for_each_pair([&](const Host& from, const Host& to) {
      for (const fabric::ChannelIndex channel : walker.walk(from.sw, to)) ++load[channel];
    });
    for_each_pair([&](const Host& from, const Host& to) {
      unsigned highest = 1;
      for (const fabric::ChannelIndex channel : walker.walk(from.sw, to))
        highest = std::max(highest, load[channel]);
      sum += 1.0 / highest;
      ++pairs;
    });
  }
  return pairs == 0 ? 0 : sum / static_cast<double>(pairs);
}

PermutationLoad random_permutations(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                                    const fabric::ForwardingTables& lfts, unsigned rounds,
                                    std::uint64_t seed) {
  const std::vector<Host> hosts = hosts_by_lid(graph, lids);
  std::vector<Host> to = hosts;
  Walker walker(graph, lfts);
  std::mt19937_64 random(seed);
  std::vector<unsigned> load(graph.port.size()), highest;
  for (unsigned round = 0; round < rounds; ++round) {
    shuffle(to, random);
    std::ranges::fill(load, 0u);
    highest.push_back(0);
    for (std::size_t i = 0; i < hosts.size(); ++i)
      for (const fabric::ChannelIndex channel : walker.walk(hosts[i].sw, to[i]))
        highest.back() = std::max(highest.back(), ++load[channel]);
  }
  if (highest.empty()) return {};
  return {std::accumulate(highest.begin(), highest.end(), 0.0) / rounds,
          *std::ranges::max_element(highest), quantile(highest, 0.99)};
}

LinkLoads all_to_all(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                     const fabric::ForwardingTables& lfts) {
  const EndPorts end_ports = end_ports_of(graph, lids);
  LinkLoads out;
  out.per_channel.assign(graph.port.size(), 0);
  InTree tree(graph, lfts);
  std::vector<std::uint32_t> carried;
  for (const auto& destination : end_ports.destinations) {
    tree.trace(destination.lid, destination.last_switch, destination.out);
    add_load(graph, end_ports.senders, tree, carried, out.per_channel);
  }
  if (out.per_channel.empty()) return out;
  const auto channels = static_cast<double>(out.per_channel.size());
  out.mean = std::accumulate(out.per_channel.begin(), out.per_channel.end(), 0.0) / channels;
  double squares = 0;
  for (const std::uint64_t load : out.per_channel) {
    squares += (static_cast<double>(load) - out.mean) * (static_cast<double>(load) - out.mean);
    out.worst = std::max(out.worst, load);
    out.unused += load == 0 ? 1u : 0u;
  }
  out.variation = out.mean > 0 ? std::sqrt(squares / channels) / out.mean : 0;
  out.p99 = quantile(out.per_channel, 0.99);
  return out;
}

PathLengths path_lengths(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                         const fabric::ForwardingTables& lfts) {
  const EndPorts end_ports = end_ports_of(graph, lids);
  PathLengths out;
  InTree tree(graph, lfts);
  double hops = 0, pairs = 0;
  for (const auto& destination : end_ports.destinations) {
    tree.trace(destination.lid, destination.last_switch, destination.out);
    for (const SwitchIndex sw : graph.all_switches()) {
      const std::uint32_t senders =
          end_ports.senders[sw] -
          (sw == destination.last_switch ? 1u : 0u);  // no end port sends to itself
      if (senders == 0) continue;
      if (!tree.arrives(sw)) {
        out.lost += senders;
        continue;
      }
      if (tree.hops(sw) >= out.pairs.size()) out.pairs.resize(tree.hops(sw) + std::size_t{1}, 0);
      out.pairs[tree.hops(sw)] += senders;
      hops += static_cast<double>(tree.hops(sw)) * senders;
      pairs += senders;
    }
  }
  out.mean = pairs > 0 ? hops / pairs : 0;
  return out;
}

std::vector<std::uint64_t> pairs_per_vl(const fabric::SwitchGraph& graph,
                                        const fabric::LidMap& lids,
                                        const fabric::ForwardingTables& lfts,
                                        const fabric::PathSls& sls,
                                        const fabric::SlToVl& sl_to_vl) {
  const EndPorts end_ports = end_ports_of(graph, lids);
  std::vector<std::uint64_t> out;
  InTree tree(graph, lfts);
  // `ins` lists the ports of a switch to which senders are attached.
  std::vector<std::vector<mad::PortNum>> ins(graph.switches());
  for (const auto& end : graph.end_ports)
    if (end.out != mad::PortNum{0} &&
        std::ranges::find(lids.port_of_lid, end.port) != lids.port_of_lid.end())
      ins[end.sw].push_back(end.out);
  for (const auto& destination : end_ports.destinations) {
    tree.trace(destination.lid, destination.last_switch, destination.out);
    for (const SwitchIndex sw : tree.near_first())
      for (const mad::PortNum in : ins[sw]) {
        const std::uint8_t sl = sls.at(sw, destination.lid, destination.last_switch).value;
        const std::size_t vl =
            sl_to_vl.empty() ? 0u : sl_to_vl.at(sw, in, graph.port[tree.channel(sw)])[sl & 15];
        if (vl >= out.size()) out.resize(vl + 1, 0);
        ++out[vl];
      }
  }
  return out;
}

struct TableComparison::Parts {
  Parts(const fabric::SwitchGraph& of, const fabric::LidMap& lids,
        const fabric::ForwardingTables& before, const fabric::ForwardingTables& after)
      : graph(of),
        end_ports(end_ports_of(of, lids)),
        old_tree(of, before),
        new_tree(of, after),
        moved(of.switches()),
        old_load(of.port.size()),
        new_load(of.port.size()) {}

  void compare(const EndPorts::Destination& destination) {
    old_tree.trace(destination.lid, destination.last_switch, destination.out);
    new_tree.trace(destination.lid, destination.last_switch, destination.out);
    moved.assign(graph.switches(), false);
    for (const SwitchIndex sw : new_tree.near_first())
      moved[sw] = !old_tree.arrives(sw) || old_tree.channel(sw) != new_tree.channel(sw) ||
                  moved[graph.neighbour[new_tree.channel(sw)]];
    for (const SwitchIndex sw : graph.all_switches()) {
      if (old_tree.arrives(sw) != new_tree.arrives(sw)) moved[sw] = true;
      if (moved[sw]) paths += end_ports.senders[sw] - (sw == destination.last_switch ? 1u : 0u);
    }
    add_load(graph, end_ports.senders, old_tree, carried, old_load);
    add_load(graph, end_ports.senders, new_tree, carried, new_load);
  }

  const fabric::SwitchGraph& graph;
  const EndPorts end_ports;
  InTree old_tree, new_tree;
  std::vector<bool> moved;
  std::vector<std::uint32_t> carried;
  std::vector<std::uint64_t> old_load, new_load;
  std::uint64_t paths = 0;
  std::size_t next = 0;
};

TableComparison::TableComparison(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                                 const fabric::ForwardingTables& before,
                                 const fabric::ForwardingTables& after)
    : parts_(std::make_unique<Parts>(graph, lids, before, after)) {
  for (const SwitchIndex sw : graph.all_switches())
    for (std::size_t block = 0; block < std::max(before.blocks(), after.blocks()); ++block) {
      if (block < std::min(before.blocks(), after.blocks()) &&
          std::ranges::equal(before.block(sw, block), after.block(sw, block)))
        continue;
      std::size_t entries = 0;
      for (unsigned i = 0; i < fabric::kLftBlockLids; ++i) {
        const mad::Lid lid{static_cast<std::uint16_t>(block * fabric::kLftBlockLids + i)};
        entries += before.at(sw, lid) != after.at(sw, lid) ? 1u : 0u;
      }
      changes_.entries += entries;
      changes_.blocks += entries > 0 ? 1u : 0u;
    }
}

TableComparison::~TableComparison() = default;

bool TableComparison::proceed(std::size_t destinations) {
  const auto& all = parts_->end_ports.destinations;
  for (; destinations > 0 && parts_->next < all.size(); --destinations)
    parts_->compare(all[parts_->next++]);
  changes_.paths = parts_->paths;
  return parts_->next < all.size();
}

std::uint64_t TableComparison::worst_load_before() const {
  return parts_->old_load.empty() ? 0 : std::ranges::max(parts_->old_load);
}
std::uint64_t TableComparison::worst_load_after() const {
  return parts_->new_load.empty() ? 0 : std::ranges::max(parts_->new_load);
}
std::size_t TableComparison::unused_before() const {
  return static_cast<std::size_t>(std::ranges::count(parts_->old_load, 0u));
}
std::size_t TableComparison::unused_after() const {
  return static_cast<std::size_t>(std::ranges::count(parts_->new_load, 0u));
}

TableChanges table_changes(const fabric::SwitchGraph& graph, const fabric::LidMap& lids,
                           const fabric::ForwardingTables& before,
                           const fabric::ForwardingTables& after) {
  TableComparison comparison(graph, lids, before, after);
  comparison.proceed(lids.port_of_lid.size());
  return comparison.changes();
}

}  // namespace routing
