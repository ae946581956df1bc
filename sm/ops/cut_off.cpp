#include "sm/ops/cut_off.h"

#include <algorithm>

#include "fabric/find_port.h"
#include "mad/format.h"

namespace sm {
namespace {

constexpr std::size_t kHostsNamed = 10;

bool is_taken_away(const Fabric& fabric, PortIndex port) {
  return fabric.ports[port].peer != kNoIndex && !fabric.is_link_up(port);
}

/// Marks the nodes that are connected with this one. Returns how many end ports they have.
std::size_t mark_reached(const Fabric& fabric, NodeIndex from, std::vector<bool>& reached) {
  std::vector<NodeIndex> open{from};
  reached[from] = true;
  std::size_t end_ports = 0;
  while (!open.empty()) {
    const Node& node = fabric.nodes[open.back()];
    open.pop_back();
    end_ports += node.is_switch() ? 0u : node.num_ports;
    const NodeIndex index = fabric.ports[node.first_port].node;
    for (std::uint32_t i = 0; i < fabric.node_ports(index).size(); ++i) {
      const PortIndex port = node.first_port + i;
      if (fabric.ports[port].peer == kNoIndex || !fabric.is_link_up(port)) continue;
      const NodeIndex next = fabric.ports[fabric.ports[port].peer].node;
      if (reached[next]) continue;
      reached[next] = true;
      open.push_back(next);
    }
  }
  return end_ports;
}

/// Returns the component with most end ports: the manager itself may be cut off by the change.
std::vector<bool> find_largest_part(const Fabric& fabric) {
  std::vector<bool> reached(fabric.nodes.size(), false);
  std::size_t most = 0;
  std::vector<bool> seen(fabric.nodes.size(), false);
  for (const NodeIndex node : fabric.nodes.indices()) {
    if (seen[node]) continue;
    std::vector<bool> part(fabric.nodes.size(), false);
    const std::size_t end_ports = mark_reached(fabric, node, part);
    for (const NodeIndex other : fabric.nodes.indices())
      if (part[other]) seen[other] = true;
    if (end_ports <= most && most > 0) continue;
    most = std::max<std::size_t>(end_ports, 1);
    reached = std::move(part);
  }
  return reached;
}

}  // namespace

tl::expected<void, std::string> disable_links(Fabric& fabric, const LidMap& lids,
                                              std::span<const std::string> without) {
  for (const std::string& what : without) {
    const auto found = find_node(fabric, lids, what);
    if (!found) return tl::unexpected(fmt::format("{}: {}", what, found.error()));
    const Node& node = fabric.nodes[found->node];
    bool any = false;
    for (std::uint32_t i = 0; i < fabric.node_ports(found->node).size(); ++i) {
      Port& port = fabric.ports[node.first_port + i];
      if (port.peer == kNoIndex || (found->number && port.number.value != *found->number)) continue;
      port.info.set_port_state(mad::PortState::down);
      fabric.ports[port.peer].info.set_port_state(mad::PortState::down);
      any = true;
    }
    if (!any) return tl::unexpected(fmt::format("{}: there is no cable", what));
  }
  return {};
}

CutOff find_cut_off(const Fabric& fabric, const LidMap& lids) {
  CutOff cut_off;
  if (std::ranges::none_of(fabric.ports.indices(),
                           [&](PortIndex port) { return is_taken_away(fabric, port); }))
    return cut_off;
  const std::vector<bool> reached = find_largest_part(fabric);
  std::uint64_t attached = 0, attached_lids = 0, detached = 0, detached_lids = 0;
  for (const EndPortIndex i : fabric.end_ports.indices()) {
    const PortIndex port = fabric.end_ports[i];
    const PortIndex peer = fabric.ports[port].peer;
    if (fabric.owning_node(port).is_switch() || peer == kNoIndex) continue;
    const bool is_attached = fabric.is_link_up(port);
    const std::uint64_t its_lids = lids.of_end_port[i].count();
    (is_attached ? attached : detached) += 1;
    (is_attached ? attached_lids : detached_lids) += its_lids;
    if (!is_attached || !reached[fabric.ports[peer].node]) cut_off.hosts.push_back(port);
  }
  if (detached > 0)
    cut_off.pairs = detached_lids * (attached + detached - 1) + attached_lids * detached;
  cut_off.nodes.resize(fabric.nodes.size());
  for (const NodeIndex node : fabric.nodes.indices()) cut_off.nodes[node] = !reached[node];
  return cut_off;
}

void keep_tables(const Fabric& fabric, const CutOff& cut_off, const ForwardingTables* held,
                 ForwardingTables& planned) {
  if (cut_off.nodes.empty() || held == nullptr) return;
  for (const SwitchIndex sw : planned.all_switches())
    if (cut_off.nodes[fabric.switches[sw].node] && sw < held->switches())
      planned.take_row(sw, *held, sw);
}

void drop_writes(const Fabric& fabric, const CutOff& cut_off, Plan& plan) {
  if (cut_off.nodes.empty()) return;
  for (PlannedStage& stage : plan.stages)
    std::erase_if(stage.writes,
                  [&](const Write& write) { return cut_off.nodes[fabric.ports[write.port].node]; });
  std::erase_if(plan.stages, [](const PlannedStage& stage) { return stage.writes.empty(); });
}

std::string cut_off_text(const Fabric& fabric, const CutOff& cut_off) {
  if (cut_off.hosts.empty()) return "";
  std::string names;
  const std::size_t named = std::min(kHostsNamed, cut_off.hosts.size());
  for (std::size_t i = 0; i < named; ++i)
    names += fmt::format("{}{}", i == 0 ? "" : ", ", fabric.port_name(cut_off.hosts[i]));
  if (named < cut_off.hosts.size())
    names += fmt::format(" and {} more", cut_off.hosts.size() - named);
  return fmt::format("{} host{} would be cut off: {}\n", cut_off.hosts.size(),
                     cut_off.hosts.size() == 1 ? "" : "s", names);
}

}  // namespace sm
