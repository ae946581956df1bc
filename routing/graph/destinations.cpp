#include "routing/graph/destinations.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace routing {

using fabric::kNoIndex;
using fabric::SwitchIndex;
using EndPort = fabric::SwitchGraph::EndPort;

namespace {

// OpenSM's node tables are in this order: it compares GUIDs in network byte order on a
// little-endian host.
std::uint64_t bytes_reversed(std::uint64_t value) {
  std::uint64_t out = 0;
  for (int i = 0; i < 8; ++i, value >>= 8) out = out << 8 | (value & 0xFF);
  return out;
}

// Numbers the switches by the lowest LID of their hosts, those without hosts after them by their
// own LID. LIDs assigned in the order of the topology then number the leaves of a tree from left to
// right.
std::vector<std::uint32_t> rank_switches(const RoutingInput& input,
                                         const std::vector<Target>& targets) {
  const std::size_t switches = input.graph.switches();
  constexpr std::uint32_t kNoLid = 0xFFFFFFFFu;
  std::vector<std::uint32_t> lowest(switches, kNoLid), rank(switches);
  std::vector<SwitchIndex> order(switches);
  for (const Target& target : targets)
    lowest[target.end->sw] = std::min(lowest[target.end->sw],
                                      target.lids.base.value + (target.is_host() ? 0u : 0x10000u));
  std::iota(order.begin(), order.end(), SwitchIndex{0});
  if (input.options.lowest_port_first) {
    const auto key = [&](SwitchIndex sw) {
      return bytes_reversed(input.fabric.nodes[input.fabric.switches[sw].node].guid.value);
    };
    std::ranges::sort(order, {}, key);
    for (std::uint32_t i = 0; i < switches; ++i) rank[order[i]] = i;
    return rank;
  }
  // Ports with equal keys have no LIDs, so they have no routes.
  std::ranges::sort(order, {}, [&](SwitchIndex sw) { return std::pair(lowest[sw], sw); });
  for (std::uint32_t i = 0; i < switches; ++i) rank[order[i]] = i;
  return rank;
}

}  // namespace

std::vector<Target> targets(const RoutingInput& input) {
  fabric::IndexVector<fabric::PortIndex, fabric::EndPortIndex> end_port_index(
      input.fabric.ports.size(), kNoIndex);
  for (const fabric::EndPortIndex end_port : input.fabric.end_ports.indices())
    end_port_index[input.fabric.end_ports[end_port]] = end_port;
  std::vector<Target> out;
  out.reserve(input.graph.end_ports.size());
  for (const EndPort& end : input.graph.end_ports) {
    const fabric::EndPortIndex end_port = end_port_index[end.port];
    if (end_port == kNoIndex || !input.lids.of_end_port.has(end_port) ||
        input.lids.of_end_port[end_port].count() == 0)
      continue;
    out.push_back({&end, input.lids.of_end_port[end_port], input.fabric.ports[end.port].guid});
  }
  return out;
}

TableState table_state(const RoutingInput& input) {
  TableState state;
  state.graph = input.graph;
  for (const fabric::Switch& sw : input.fabric.switches)
    state.switches.push_back(input.fabric.nodes[sw.node].guid);
  state.attachments.resize(input.lids.lid_top.value + std::size_t{1});
  for (const Target& target : targets(input))
    for (unsigned k = 0; k < target.lids.count(); ++k)
      state.attachments[target.lids.base.value + k] = {
          target.end->sw, target.end->out.value,
          static_cast<std::uint8_t>(target.is_switch() ? 0 : 1)};
  return state;
}

PortList::PortList(const RoutingInput& input, const std::vector<mad::Guid>& guids)
    : fabric_(input.fabric), guids_(guids) {
  std::erase_if(guids_, [&](mad::Guid guid) {
    const auto node = fabric_.node_of_guid.find(guid);
    if (node != fabric_.node_of_guid.end()) return fabric_.nodes[node->second].is_switch();
    const auto port = fabric_.port_of_guid.find(guid);
    return port != fabric_.port_of_guid.end() && fabric_.owning_node(port->second).is_switch();
  });
  std::ranges::sort(guids_);
}

bool PortList::has(const Target& target) const {
  return std::ranges::binary_search(guids_, target.guid) ||
         std::ranges::binary_search(guids_, fabric_.owning_node(target.end->port).guid);
}

std::vector<std::uint32_t> hosts_per_switch(const RoutingInput& input) {
  std::vector<std::uint32_t> hosts(input.graph.switches(), 0);
  for (const Target& target : targets(input)) hosts[target.end->sw] += target.is_host() ? 1u : 0u;
  return hosts;
}

std::vector<std::uint32_t> senders_per_switch(const RoutingInput& input) {
  std::vector<std::uint32_t> senders(input.graph.switches(), 0);
  for (const Target& target : targets(input))
    senders[target.end->sw] += target.is_switch() ? 0u : 1u;
  return senders;
}

namespace {

/// For OpenSM, CAs inside of switches are hosts.
bool counts_as_host(const RoutingInput& input, const Target& target) {
  return input.options.lowest_port_first ? !target.is_switch() : target.is_host();
}

}  // namespace

Plan make_plan(const RoutingInput& input) {
  const std::vector<Target> all = targets(input);
  const std::vector<std::uint32_t> rank = rank_switches(input, all);
  std::vector<std::uint32_t> hosts(input.graph.switches(), 0);
  for (const Target& target : all) hosts[target.end->sw] += counts_as_host(input, target) ? 1u : 0u;
  std::unordered_map<mad::Guid, std::uint32_t> wanted_index;
  for (const mad::Guid guid : input.options.guid_routing_order)
    wanted_index.try_emplace(guid, static_cast<std::uint32_t>(wanted_index.size()));
  static constexpr std::uint32_t kNotListed = 0xFFFFFFFFu;
  struct Key {
    std::uint32_t listed = kNotListed;  // in guid_routing_order
    std::uint32_t hosts_missing = 0;    // most hosts first; LIDs of switches last
    std::uint32_t rank = 0;
    std::uint8_t port = 0;
    const Target* target = nullptr;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  keys.reserve(all.size());
  for (const Target& target : all) {
    Key index{.target = &target};
    if (const auto it = wanted_index.find(target.guid); it != wanted_index.end())
      index.listed = it->second;
    index.hosts_missing = ~(counts_as_host(input, target) ? hosts[target.end->sw] : 0u);
    index.rank = rank[target.end->sw];
    index.port = target.end->out.value;
    keys.push_back(index);
  }
  std::ranges::sort(keys);

  Plan plan;
  plan.lids.reserve(input.lids.port_of_lid.size());
  plan.out.resize(input.lids.lid_top.value + 1u);
  plan.range.resize(input.lids.lid_top.value + 1u);
  unsigned lids_max = 0;
  for (const Target& target : all) lids_max = std::max(lids_max, target.lids.count());
  for (unsigned offset = 0; offset < lids_max; ++offset) {
    for (const Key& index : keys) {
      const Target& target = *index.target;
      if (offset >= target.lids.count()) continue;
      const auto at = static_cast<std::uint32_t>(plan.lids.size());
      const auto lid = static_cast<std::uint16_t>(target.lids.base.value + offset);
      const bool counted = counts_as_host(input, target) ||
                           (target.is_switch() && input.options.port_profile_switch_nodes);
      const bool scattered =
          input.options.scatter_ports != 0 &&
          !(index.listed != kNotListed && input.options.guid_routing_order_no_scatter);
      plan.out[lid] = target.end->out.value;
      plan.range[lid] = target.lids;
      plan.lids.push_back(lid);
      if (!plan.runs.empty()) {
        Run& last = plan.runs.back();
        if (last.sw == target.end->sw && last.counted == counted && last.scattered == scattered &&
            last.first_lids == (offset == 0)) {
          last.end = at + 1;
          last.consecutive &= plan.lids[at - 1] + 1 == lid;
          continue;
        }
      }
      plan.runs.push_back(
          {target.end->sw, at, at + 1, index.rank, counted, scattered, offset == 0, true});
    }
  }
  return plan;
}

}  // namespace routing
