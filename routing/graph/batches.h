#pragma once
// Destinations one after the other, for engines that route each of them with the loads of all
// before it in mind.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

/// LIDs of one switch that are routed in a row.
struct Batch {
  sm::SwitchIndex sw = sm::kNoIndex;
  std::vector<std::uint16_t> lids;
  std::size_t counted =
      0;  // so many first ones are of hosts; the ways to switches themselves are no load
};

/// Compute nodes first, then I/O nodes, then others, switches last; within these, switches with
/// most hosts first, then by GUID and port. The LID of a switch with hosts comes along with these.
std::vector<Batch> batches_of(const RoutingInput& input);

/// The ends of all ways.
struct HostLids {
  std::vector<std::uint32_t> at_switch;  // per switch: LIDs of hosts and routers there
  std::vector<std::uint8_t>
      home_port;  // by LID: the port of its own switch, 0xFF where nobody lives
};
HostLids host_lids(const RoutingInput& input);

/// All switches in the order of their GUIDs: one that discovery has no part in.
std::vector<sm::SwitchIndex> by_guid(const RoutingInput& input);

/// The same by another key; equals stay in their order.
template <class T, class Key>
std::vector<T> sorted_by(const std::vector<T>& order, Key&& key) {
  std::vector<std::pair<decltype(key(order.front())), std::size_t>> keys;
  keys.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) keys.emplace_back(key(order[i]), i);
  std::ranges::sort(keys);
  std::vector<T> out;
  out.reserve(order.size());
  for (const auto& [value, i] : keys) out.push_back(order[i]);
  return out;
}

}  // namespace routing
