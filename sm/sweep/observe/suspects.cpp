#include "sm/sweep/observe/suspects.h"

#include <numeric>

namespace sm {

std::optional<PortIndex> heaviest_branch(std::span<const PortIndex> found_behind,
                                         std::span<const std::uint64_t> weight,
                                         const std::function<NodeIndex(PortIndex)>& owning_node,
                                         const std::function<bool(NodeIndex)>& is_known,
                                         NodeIndex own) {
  // A node has a higher index than the one that it was found behind.
  const std::size_t count = found_behind.size();
  std::vector<std::uint64_t> behind(weight.begin(), weight.end());
  behind.resize(count);
  const std::uint64_t total = std::accumulate(behind.begin(), behind.end(), std::uint64_t{0});
  for (std::size_t node = count; node-- > 0;) {
    if (found_behind[node] != kNoIndex) behind[owning_node(found_behind[node])] += behind[node];
  }
  // Each of these nodes has more than half of the weight, so they are on one path.
  PortIndex branch = kNoIndex;
  for (std::size_t node = 0; node < count; ++node) {
    if (behind[node] * 2 <= total) continue;
    branch = found_behind[node];
    if (is_known && !is_known(NodeIndex(node))) break;
  }
  if (branch == kNoIndex || owning_node(branch) == own) return std::nullopt;
  return branch;
}

void SuspectPorts::remember(std::span<const SuspectPort> ports, mad::TimePoint now) {
  for (const SuspectPort& port : ports) until_.try_emplace(port, now + kForgotten);
}

void SuspectPorts::update_from(const Fabric& fabric) {
  std::erase_if(until_, [&](const auto& entry) {
    const SuspectPort& suspect = entry.first;
    const auto node = fabric.node_of_guid.find(suspect.node);
    if (node == fabric.node_of_guid.end() ||
        suspect.port.value > fabric.nodes[node->second].num_ports)
      return true;
    return !fabric.ports[fabric.port(node->second, suspect.port)].is_up();
  });
}

std::vector<SuspectPort> SuspectPorts::current(mad::TimePoint now) {
  std::erase_if(until_, [now](const auto& entry) { return entry.second <= now; });
  std::vector<SuspectPort> ports;
  for (const auto& [port, until] : until_) ports.push_back(port);
  return ports;
}

}  // namespace sm
