// Credit loops: packets that hold a buffer and wait for the next one. Without a cycle of channel
// dependencies there is no deadlock (Dally and Seitz, 1987).

#include <algorithm>
#include <unordered_map>

#include "mad/format.h"
#include "sim/check/checks.h"
#include "sim/world/forwarding.h"

namespace sim {
namespace {

/// A buffer: one direction of a link and a VL.
using Channel = std::uint64_t;
Channel channel(const Hop& hop) { return Channel{hop.out} << 4 | hop.vl.value; }

class DependencyGraph {
 public:
  void add(const std::vector<Hop>& hops) {
    for (std::size_t i = 0; i + 1 < hops.size(); ++i) {
      auto& next = edges_[channel(hops[i])];
      const Channel to = channel(hops[i + 1]);
      if (std::ranges::find(next, to) == next.end()) next.push_back(to);
    }
  }

  /// The channels of some cycle; empty if there is none.
  std::vector<Channel> cycle() const {
    std::unordered_map<Channel, int> state;  // 1: on the way down, 2: done
    for (const auto& [start, ignored] : edges_) {
      if (state[start] != 0) continue;
      std::vector<std::pair<Channel, std::size_t>> stack{{start, 0}};
      state[start] = 1;
      while (!stack.empty()) {
        auto& [here, next] = stack.back();
        const auto out = edges_.find(here);
        if (out == edges_.end() || next == out->second.size()) {
          state[here] = 2;
          stack.pop_back();
          continue;
        }
        const Channel to = out->second[next++];
        if (state[to] == 1) {
          std::vector<Channel> found;
          auto at = std::ranges::find(stack, to, &std::pair<Channel, std::size_t>::first);
          for (; at != stack.end(); ++at) found.push_back(at->first);
          return found;
        }
        if (state[to] == 0) {
          state[to] = 1;
          stack.emplace_back(to, 0);
        }
      }
    }
    return {};
  }

 private:
  std::unordered_map<Channel, std::vector<Channel>> edges_;
};

}  // namespace

Complaints check_credit_loops(const Model& model, const std::vector<bool>& reach, Traffic traffic,
                              const ServiceLevel& sl) {
  DependencyGraph graph;
  std::vector<PortIndex> ends;
  for (PortIndex port = 0; port < model.ports.size(); ++port) {
    if (traffic == Traffic::between_hosts && model.node_of(port).is_switch()) continue;
    if (reach[model.ports[port].node] && model.is_end_port(port) &&
        is_unicast(model.ports[port].info.lid()))
      ends.push_back(port);
  }
  std::vector<Hop> hops;
  for (const PortIndex to : ends) {
    const mad::PortInfo& info = model.ports[to].info;
    for (unsigned lid = info.lid().value; lid < info.lid().value + (1u << info.lmc()); ++lid) {
      const mad::Lid dlid{static_cast<std::uint16_t>(lid)};
      for (const PortIndex from : ends) {
        hops.clear();
        const Walk walk =
            walk_unicast(model, from, {.dlid = dlid, .sl = sl ? sl(from, dlid) : mad::Sl{}}, &hops);
        // A packet that is dropped holds the buffers of its path up to there.
        if (walk.drop != Drop::too_long) graph.add(hops);
      }
    }
  }
  const std::vector<Channel> cycle = graph.cycle();
  if (cycle.empty()) return {};
  std::string text = "credit loop:";
  for (const Channel each : cycle)
    text += fmt::format(" {} VL {},", model.name(static_cast<PortIndex>(each >> 4)), each & 0xFu);
  text.pop_back();
  return {text};
}

}  // namespace sim
