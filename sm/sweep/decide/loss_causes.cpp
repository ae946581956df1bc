#include "sm/sweep/decide/loss_causes.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

#include "mad/format.h"

namespace sm {
namespace {

constexpr unsigned kNoTier = std::numeric_limits<unsigned>::max();

/// Calls each(node) for the other end of each link of `node` that is up.
template <class Each>
void for_each_neighbour(const Fabric& fabric, NodeIndex node, Each&& each) {
  for (const Port& port : fabric.node_ports(node))
    if (port.peer != kNoIndex && fabric.is_link_up(port.peer)) each(fabric.ports[port.peer].node);
}

}  // namespace

std::map<mad::Guid, mad::Guid> find_loss_causes(const Fabric& before, const Fabric& after) {
  enum class Reach : std::uint8_t { remains, lost, reached };
  IndexVector<NodeIndex, Reach> states;
  states.reserve(before.nodes.size());
  for (const Node& node : before.nodes)
    states.push_back(after.node_of_guid.contains(node.guid) ? Reach::remains : Reach::lost);
  std::deque<NodeIndex> reached;
  for (const NodeIndex node : before.nodes.indices()) {
    if (states[node] != Reach::lost) continue;
    bool has_link = false;
    for_each_neighbour(before, node,
                       [&](NodeIndex peer) { has_link |= states[peer] == Reach::remains; });
    if (has_link) reached.push_back(node);
  }
  for (const NodeIndex node : reached) states[node] = Reach::reached;
  std::map<mad::Guid, mad::Guid> causes;
  for (; !reached.empty(); reached.pop_front()) {
    const Node& parent = before.nodes[reached.front()];
    if (!parent.is_switch()) continue;
    for_each_neighbour(before, reached.front(), [&](NodeIndex peer) {
      if (states[peer] != Reach::lost) return;
      states[peer] = Reach::reached;
      causes[before.nodes[peer].guid] = parent.guid;
      reached.push_back(peer);
    });
  }
  return causes;
}

SwitchTiers::SwitchTiers(const Fabric& fabric) : fabric_(fabric) {
  tiers_.resize(fabric.switches.size(), kNoTier);
  std::deque<SwitchIndex> reached;
  for (const SwitchIndex sw : fabric.switches.indices()) {
    bool has_host = false;
    for_each_neighbour(fabric, fabric.switches[sw].node,
                       [&](NodeIndex peer) { has_host |= !fabric.nodes[peer].is_switch(); });
    if (!has_host) continue;
    tiers_[sw] = 0;
    reached.push_back(sw);
  }
  for (; !reached.empty(); reached.pop_front()) {
    const unsigned next = tiers_[reached.front()] + 1;
    for_each_neighbour(fabric, fabric.switches[reached.front()].node, [&](NodeIndex peer) {
      const SwitchIndex sw = fabric.nodes[peer].switch_index;
      if (sw == kNoIndex || tiers_[sw] != kNoTier) return;
      tiers_[sw] = next;
      reached.push_back(sw);
    });
  }
}

std::optional<LinkTier> SwitchTiers::find_tier(PortIndex port) const {
  if (!fabric_.is_link_up(port)) return std::nullopt;
  const SwitchIndex here = fabric_.owning_node(port).switch_index,
                    there = fabric_.owning_node(fabric_.ports[port].peer).switch_index;
  if (here == kNoIndex || there == kNoIndex) return std::nullopt;
  const auto [lower, upper] = std::minmax(tiers_[here], tiers_[there]);
  return LinkTier{.lower = lower, .upper = upper};
}

std::map<LinkTier, std::size_t> SwitchTiers::counts() const {
  std::map<LinkTier, std::size_t> counts;
  for (const PortIndex port : fabric_.ports.indices()) {
    if (fabric_.ports[port].peer == kNoIndex || fabric_.ports[port].peer < port) continue;
    if (const auto tier = find_tier(port)) ++counts[*tier];
  }
  return counts;
}

std::string CapacityShare::text() const {
  constexpr std::size_t kDenominatorMax = 100;
  const std::string_view links =
      tier.lower == tier.upper ? "of the links between switches" : "of the bisection";
  const std::size_t divisor = std::max<std::size_t>(std::gcd(lost, all), 1);
  if (lost == all) return fmt::format("all {}", links);
  if (lost == divisor || all / divisor <= kDenominatorMax)
    return fmt::format("{}/{} {}", lost / divisor, all / divisor, links);
  return fmt::format("{:.1f} % {}", 100 * ratio(), links);
}

}  // namespace sm
