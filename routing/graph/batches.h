#pragma once
// Orders destinations for engines that route each of them with the loads of all previous ones.

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "routing/core/engine.h"

namespace routing {

/// A sequence of LIDs of one switch that are routed together.
struct Batch {
  fabric::SwitchIndex sw = fabric::kNoIndex;
  std::vector<std::uint16_t> lids;
  std::size_t counted = 0;  // the first `counted` LIDs are of hosts; paths to switches are not load
};

/// Returns batches of compute nodes first, then I/O nodes, other hosts, switches. Within each kind,
/// switches with most hosts come first, then the order is by GUID and port. The LID of a switch
/// with hosts is in the batch of its last hosts.
std::vector<Batch> batches_of(const RoutingInput& input);

/// Holds where host LIDs are attached.
struct HostLids {
  std::vector<std::uint32_t> at_switch;  // by switch: number of host and router LIDs
  std::vector<std::uint8_t>
      last_port;  // by LID: the port of its switch towards it; 0xFF: not assigned
};
HostLids host_lids(const RoutingInput& input);

/// Returns all switches in the order of their NodeGUIDs, which does not depend on discovery.
std::vector<fabric::SwitchIndex> by_guid(const RoutingInput& input);

/// Returns a copy sorted by `key`; equal elements keep their order.
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
