#include "sm/performance/silent_groups.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace sm {
namespace {

/// Appends the switches that a packet to the LID passes, beginning at the end port `from`.
void append_switches(const Subnet& subnet, PortIndex from, mad::Lid to,
                     std::vector<NodeIndex>& passed) {
  const Fabric& fabric = subnet.fabric;
  PortIndex at = fabric.owning_node(from).is_switch() ? from : fabric.ports[from].peer;
  for (std::size_t hops = 0; hops <= fabric.switches.size() && at != kNoIndex; ++hops) {
    const Node& node = fabric.owning_node(at);
    if (!node.is_switch()) return;
    passed.push_back(fabric.ports[at].node);
    const mad::PortNum out = subnet.lfts->at(node.switch_index, to);
    if (out.value == 0 || out.value > node.num_ports) return;
    at = fabric.ports[fabric.port(fabric.ports[at].node, out)].peer;
  }
}

/// Returns the end port by which packets reach the node; kNoIndex if it has no link.
PortIndex find_entry(const Fabric& fabric, NodeIndex node) {
  if (fabric.nodes[node].is_switch()) return fabric.nodes[node].first_port;
  for (const Port& port : fabric.node_ports(node))
    if (port.peer != kNoIndex && port.guid != mad::Guid{}) return fabric.port(node, port.number);
  return kNoIndex;
}

/// Returns what packets of the manager to the node and its answers pass: the manager's node, then
/// switches, first on the way there.
std::vector<NodeIndex> nodes_passed(const Subnet& subnet, NodeIndex node) {
  const Fabric& fabric = subnet.fabric;
  std::vector<NodeIndex> passed{fabric.ports[fabric.sm_port].node};
  const PortIndex entry = find_entry(fabric, node);
  if (entry == kNoIndex || node == passed.front()) return passed;
  append_switches(subnet, fabric.sm_port, subnet.lid_range(entry).base, passed);
  append_switches(subnet, entry, subnet.lid_range(fabric.sm_port).base, passed);
  return passed;
}

}  // namespace

std::vector<SilentGroup> group_silent(const Subnet& subnet, std::span<const mad::Guid> silent,
                                      std::span<const mad::Guid> answering) {
  if (silent.size() < 2 || !subnet.lfts || subnet.fabric.sm_port == kNoIndex) return {};
  const Fabric& fabric = subnet.fabric;
  const auto find_node = [&](mad::Guid guid) {
    const auto node = fabric.node_of_guid.find(guid);
    return node == fabric.node_of_guid.end() ? NodeIndex(kNoIndex) : NodeIndex(node->second);
  };
  IndexVector<NodeIndex, std::uint8_t> answers(fabric.nodes.size(), std::uint8_t{0});
  for (const mad::Guid guid : answering) {
    const NodeIndex node = find_node(guid);
    if (node == kNoIndex) continue;
    for (const NodeIndex passed : nodes_passed(subnet, node)) answers[passed] = 1;
  }
  std::vector<std::pair<mad::Guid, std::vector<NodeIndex>>> suspects;  // by silent node
  IndexVector<NodeIndex, std::uint32_t> counts(fabric.nodes.size(), 0u);
  for (const mad::Guid guid : silent) {
    const NodeIndex node = find_node(guid);
    if (node == kNoIndex) continue;
    std::vector<NodeIndex> passed = nodes_passed(subnet, node);
    std::erase_if(passed, [&](NodeIndex at) { return answers[at] != 0; });
    // A switch may be passed there and back.
    const std::set<NodeIndex> once(passed.begin(), passed.end());
    for (const NodeIndex at : once) ++counts[at];
    suspects.emplace_back(guid, std::move(passed));
  }
  std::map<NodeIndex, std::vector<mad::Guid>> groups;
  for (const auto& [guid, passed] : suspects) {
    const auto most =
        std::ranges::max_element(passed, {}, [&](NodeIndex at) { return counts[at]; });
    if (most != passed.end()) groups[*most].push_back(guid);
  }
  std::vector<SilentGroup> result;
  for (auto& [behind, members] : groups)
    if (members.size() > 1) result.push_back({.behind = behind, .members = std::move(members)});
  return result;
}

}  // namespace sm
