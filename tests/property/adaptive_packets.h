#pragma once
// A reference for adaptive routing: packets that take any member of a group at each switch,
// followed hop by hop over the published groups and tables. Shares no code with routing/.

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "property/packets.h"

namespace adaptive_packets {

using fabric::kNoIndex;
using fabric::PortIndex;
using fabric::SwitchIndex;
using fabrics::Subnet;
using packets::Hop;

/// Ports of switches without a link, in both directions.
using DownPorts = std::set<std::pair<SwitchIndex, mad::PortNum>>;

/// What all choices together lead to, for packets between hosts.
struct Findings {
  packets::Findings dependencies;
  std::size_t lost = 0;  // (switch, LID): packets get there, and some choice does not arrive
  unsigned longest = 0;  // hops between switches
};

/// One LID and all that may happen to packets with it.
class Packets {
 public:
  Packets(const Subnet& subnet, const fabric::PublishedRouting& routing,
          const fabric::ForwardingTables& lfts, mad::Lid lid, const DownPorts& down = {},
          bool static_first = false)
      : subnet_(subnet),
        routing_(routing),
        lfts_(lfts),
        lid_(lid),
        down_(down),
        static_first_(static_first) {
    owner_ = subnet.lids.owner(lid);
    std::tie(last_, delivery_) = packets::attachment_of(subnet, owner_);
  }
  SwitchIndex last() const { return last_; }

  /// Ports between which the switch chooses, by its own tables and the state of its links.
  std::vector<mad::PortNum> choices(SwitchIndex sw) const {
    std::set<mad::PortNum> ports;
    const mad::PortNum entry = lfts_.at(sw, lid_);
    if (static_first_ && entry != mad::kNoPort && !down_.contains({sw, entry})) return {entry};
    if (routing_.adaptive != nullptr) {
      const fabric::PortSet& members =
          routing_.adaptive->ports(sw, routing_.adaptive->group_to[last_]);
      for (unsigned port = 1; port < 255; ++port)
        if (members[port]) ports.insert(mad::PortNum{static_cast<std::uint8_t>(port)});
    }
    if (entry != mad::kNoPort) ports.insert(entry);
    std::vector<mad::PortNum> out;
    for (const mad::PortNum port : ports)
      if (!down_.contains({sw, port})) out.push_back(port);
    return out;
  }

  /// The switch and its port at the other end; kNoIndex: there is none.
  std::pair<SwitchIndex, mad::PortNum> beyond(SwitchIndex sw, mad::PortNum port) const {
    const fabric::Node& node = subnet_.fabric.nodes[subnet_.fabric.switches[sw].node];
    if (port.value > node.num_ports || !subnet_.fabric.is_link_up(node.first_port + port.value))
      return {kNoIndex, {}};
    const PortIndex peer = subnet_.fabric.ports[node.first_port + port.value].peer;
    return {subnet_.fabric.owning_node(peer).switch_index, subnet_.fabric.ports[peer].number};
  }

  /// Hops of the longest path by any choices; nothing: some choices do not arrive.
  std::optional<unsigned> longest(SwitchIndex sw) {
    if (sw == last_) return lfts_.at(sw, lid_) == delivery_ ? std::optional(0u) : std::nullopt;
    if (const auto known = longest_.find(sw); known != longest_.end()) return known->second;
    longest_[sw] = std::nullopt;  // while it is followed: what comes back here is a loop
    std::optional<unsigned> most = 0;
    const std::vector<mad::PortNum> ports = choices(sw);
    for (const mad::PortNum port : ports) {
      const SwitchIndex next = beyond(sw, port).first;
      const auto further = next == kNoIndex ? std::nullopt : longest(next);
      most = most && further ? std::optional(std::max(*most, *further + 1)) : std::nullopt;
    }
    if (ports.empty()) most = std::nullopt;
    return longest_[sw] = most;
  }
  /// Some choices arrive. For groups without loops.
  bool can_arrive(SwitchIndex sw) {
    if (sw == last_) return lfts_.at(sw, lid_) == delivery_;
    if (const auto known = arrives_.find(sw); known != arrives_.end()) return known->second;
    arrives_[sw] = false;
    for (const mad::PortNum port : choices(sw))
      if (const SwitchIndex next = beyond(sw, port).first; next != kNoIndex && can_arrive(next))
        return arrives_[sw] = true;
    return false;
  }

  /// Adds all dependencies of packets of this SL that enter the fabric at `sw` by port `in`.
  void add_dependencies(SwitchIndex sw, mad::PortNum in, unsigned sl, packets::Findings& out) {
    std::vector<std::tuple<SwitchIndex, mad::PortNum, std::optional<Hop>>> open{{sw, in, {}}};
    while (!open.empty()) {
      const auto [at, by, before] = open.back();
      open.pop_back();
      if (at == last_ || !passed_.insert({at, by, sl, before ? before->vl : 99}).second) continue;
      for (const mad::PortNum port : choices(at)) {
        const auto [next, next_in] = beyond(at, port);
        if (next == kNoIndex) continue;
        const unsigned vl = routing_.sl_to_vl.empty() ? 0u : routing_.sl_to_vl.at(at, by, port)[sl];
        const Hop hop{at, port, vl};
        if (before) out.edges[*before].insert(hop);
        open.emplace_back(next, next_in, hop);
      }
    }
  }
  std::set<SwitchIndex> passed() const {
    std::set<SwitchIndex> out;
    for (const auto& entry : passed_) out.insert(std::get<0>(entry));
    return out;
  }

 private:
  const Subnet& subnet_;
  const fabric::PublishedRouting& routing_;
  const fabric::ForwardingTables& lfts_;
  const mad::Lid lid_;
  const DownPorts down_;
  const bool static_first_;  // fast recovery alone: other members while the entry's port is down
  PortIndex owner_;
  SwitchIndex last_{0};
  mad::PortNum delivery_{};
  std::map<SwitchIndex, std::optional<unsigned>> longest_;
  std::map<SwitchIndex, bool> arrives_;
  std::set<std::tuple<SwitchIndex, mad::PortNum, unsigned, unsigned>> passed_;
};

/// Pairs of switches with hosts, while ports are down: whatever is chosen, packets to all LIDs
/// arrive; or those to some LID never do; or it depends on the choice.
struct Pairs {
  std::size_t kept = 0, at_risk = 0, cut = 0;
};

/// LIDs of hosts and routers that are attached to a switch.
inline std::vector<mad::Lid> lids_of_hosts(const Subnet& subnet) {
  std::vector<mad::Lid> out;
  for (unsigned value = 1; value <= subnet.lids.lid_top.value; ++value) {
    const mad::Lid lid{static_cast<std::uint16_t>(value)};
    const PortIndex owner = subnet.lids.owner(lid);
    if (owner == kNoIndex || subnet.fabric.owning_node(owner).is_switch()) continue;
    if (packets::attachment_of(subnet, owner).first != kNoIndex) out.push_back(lid);
  }
  return out;
}

inline Findings follow_all(const Subnet& subnet, const routing::RoutingResult& result) {
  Findings out;
  const std::vector<SwitchIndex> component = packets::components(subnet);
  for (const mad::Lid to : lids_of_hosts(subnet)) {
    Packets lid(subnet, result, result.lfts, to);
    for (const PortIndex source : subnet.fabric.end_ports) {
      if (subnet.fabric.owning_node(source).is_switch() || subnet.find_lid(source) == mad::Lid{})
        continue;
      const auto [from, in] = packets::attachment_of(subnet, source);
      if (from == kNoIndex || component[from] != component[lid.last()]) continue;
      const unsigned sl = result.sls.at(from, to, lid.last()).value;
      for (unsigned chosen = 0; chosen < 16; ++chosen)
        if ((chosen & ~unsigned{result.sls.free_bits}) == 0)
          lid.add_dependencies(from, in, sl | chosen, out.dependencies);
    }
    for (const SwitchIndex sw : lid.passed()) {
      const auto longest = lid.longest(sw);
      out.lost += longest ? 0u : 1u;
      out.longest = std::max(out.longest, longest.value_or(0));
    }
  }
  return out;
}

inline Pairs follow_pairs(const Subnet& subnet, const routing::RoutingResult& result,
                          const DownPorts& down, bool static_first) {
  std::set<SwitchIndex> sources;
  std::map<std::pair<SwitchIndex, SwitchIndex>, int> worst;  // 0: kept, 1: at risk, 2: cut
  const std::vector<mad::Lid> lids = lids_of_hosts(subnet);
  for (const mad::Lid lid : lids) sources.insert(Packets(subnet, result, result.lfts, lid).last());
  for (const mad::Lid to : lids) {
    Packets intact(subnet, result, result.lfts, to),
        now(subnet, result, result.lfts, to, down, static_first);
    for (const SwitchIndex from : sources) {
      if (from == now.last() || !intact.can_arrive(from)) continue;
      int& state = worst[{from, now.last()}];
      state = std::max(state, now.longest(from) ? 0 : now.can_arrive(from) ? 1 : 2);
    }
  }
  Pairs out;
  for (const auto& [pair, state] : worst)
    ++(state == 0 ? out.kept : state == 1 ? out.at_risk : out.cut);
  return out;
}

}  // namespace adaptive_packets
