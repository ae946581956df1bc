#include "routing/quality.h"

#include <algorithm>
#include <random>

namespace routing {

using sm::kNoIndex;
using sm::SwitchIndex;

namespace {

struct Host {
  mad::Lid lid;
  SwitchIndex sw;
};

// By base LID.
std::vector<Host> hosts_of(const sm::SwitchGraph& graph, const sm::LidMap& lids) {
  std::vector<SwitchIndex> switch_of_port;
  for (const auto& end : graph.end_ports) {
    if (end.out == mad::PortNum{0}) continue;
    if (end.port >= switch_of_port.size()) switch_of_port.resize(end.port + 1, kNoIndex);
    switch_of_port[end.port] = end.sw;
  }
  std::vector<Host> out;
  sm::PortIndex last = kNoIndex;
  for (std::size_t lid = 0; lid < lids.port_of_lid.size(); ++lid) {
    const sm::PortIndex port = lids.port_of_lid[lid];
    if (port == last) continue;
    last = port;
    if (port < switch_of_port.size() && switch_of_port[port] != kNoIndex)
      out.push_back({mad::Lid{static_cast<std::uint16_t>(lid)}, switch_of_port[port]});
  }
  return out;
}

class Walker {
 public:
  Walker(const sm::SwitchGraph& graph, const sm::ForwardingTables& lfts)
      : graph_(graph), lfts_(lfts), slot_(graph.switches() * 256, kNoIndex) {
    for (SwitchIndex sw = 0; sw < graph.switches(); ++sw)
      for (std::uint32_t slot = graph.offsets[sw]; slot < graph.offsets[sw + 1]; ++slot) slot_[sw * 256 + graph.port[slot].value] = slot;
  }
  // The slots from a switch to a host; empty if the tables do not lead there.
  const std::vector<std::uint32_t>& walk(SwitchIndex sw, const Host& to) {
    way_.clear();
    while (sw != to.sw) {
      const std::uint32_t slot = slot_[sw * 256 + lfts_.at(sw, to.lid).value];
      if (slot == kNoIndex || way_.size() >= graph_.switches()) {
        way_.clear();
        break;
      }
      way_.push_back(slot);
      sw = graph_.neighbour[slot];
    }
    return way_;
  }

 private:
  const sm::SwitchGraph& graph_;
  const sm::ForwardingTables& lfts_;
  std::vector<std::uint32_t> slot_;
  std::vector<std::uint32_t> way_;
};

}  // namespace

std::vector<std::uint32_t> lids_per_slot(const sm::SwitchGraph& graph, const sm::LidMap& lids, const sm::ForwardingTables& lfts) {
  std::vector<std::uint32_t> out(graph.port.size(), 0);
  std::vector<bool> is_host;
  for (const auto& end : graph.end_ports) {
    if (end.port >= is_host.size()) is_host.resize(end.port + 1, false);
    is_host[end.port] = end.out != mad::PortNum{0};
  }
  for (std::size_t lid = 0; lid < lids.port_of_lid.size(); ++lid) {
    const sm::PortIndex port = lids.port_of_lid[lid];
    if (port == kNoIndex || port >= is_host.size() || !is_host[port]) continue;
    for (SwitchIndex sw = 0; sw < graph.switches(); ++sw) {
      const auto ports = graph.out_ports(sw);
      const mad::PortNum exit = lfts.at(sw, mad::Lid{static_cast<std::uint16_t>(lid)});
      const auto it = std::ranges::lower_bound(ports, exit);
      if (it != ports.end() && *it == exit) ++out[graph.offsets[sw] + static_cast<std::size_t>(it - ports.begin())];
    }
  }
  return out;
}

ShiftLoad shift_load(const sm::SwitchGraph& graph, const sm::LidMap& lids, const sm::ForwardingTables& lfts, std::size_t step) {
  const std::vector<Host> hosts = hosts_of(graph, lids);
  Walker walker(graph, lfts);
  ShiftLoad out;
  std::size_t permutations = 0;
  std::vector<unsigned> load(graph.port.size());
  for (std::size_t shift = 1; shift < hosts.size(); shift += step, ++permutations) {
    std::ranges::fill(load, 0u);
    unsigned highest = 0;
    for (std::size_t i = 0; i < hosts.size(); ++i)
      for (const std::uint32_t slot : walker.walk(hosts[i].sw, hosts[(i + shift) % hosts.size()]))
        highest = std::max(highest, ++load[slot]);
    out.mean += highest;
    out.worst = std::max(out.worst, highest);
  }
  if (permutations > 0) out.mean /= static_cast<double>(permutations);
  return out;
}

double effective_bisection(const sm::SwitchGraph& graph, const sm::LidMap& lids, const sm::ForwardingTables& lfts, unsigned rounds,
                           std::uint64_t seed) {
  std::vector<Host> hosts = hosts_of(graph, lids);
  Walker walker(graph, lfts);
  std::mt19937_64 random(seed);
  double sum = 0;
  std::size_t pairs = 0;
  std::vector<unsigned> load(graph.port.size());
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = hosts.size(); i > 1; --i) std::swap(hosts[i - 1], hosts[random() % i]);  // std::shuffle differs between libraries
    std::ranges::fill(load, 0u);
    const std::size_t half = hosts.size() / 2;
    const auto each_way = [&](auto&& visit) {
      for (std::size_t i = 0; i < half; ++i) {
        visit(hosts[i], hosts[half + i]);
        visit(hosts[half + i], hosts[i]);
      }
    };
    each_way([&](const Host& from, const Host& to) {
      for (const std::uint32_t slot : walker.walk(from.sw, to)) ++load[slot];
    });
    each_way([&](const Host& from, const Host& to) {
      unsigned highest = 1;
      for (const std::uint32_t slot : walker.walk(from.sw, to)) highest = std::max(highest, load[slot]);
      sum += 1.0 / highest;
      ++pairs;
    });
  }
  return pairs == 0 ? 0 : sum / static_cast<double>(pairs);
}

}  // namespace routing
