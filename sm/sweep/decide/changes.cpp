#include "sm/sweep/decide/changes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <set>

#include "mad/format.h"
#include "sm/sweep/devices/device_state.h"

namespace sm {
namespace {

using mad::PortPhysicalState;

std::string explain_port(const Fabric& fabric, PortIndex port) {
  return port == kNoIndex || !fabric.ports[port].known ? ""
                                                       : explain_state(fabric.ports[port].info);
}

bool is_disabled(const Fabric& fabric, PortIndex port) {
  return port != kNoIndex && fabric.ports[port].known &&
         fabric.ports[port].info.port_physical_state() == PortPhysicalState::disabled;
}

std::string port_text(const Fabric& fabric, PortIndex port) {
  const std::string reason = explain_port(fabric, port);
  if (reason.empty()) return "";
  return fmt::format("\"{}\" port {} is {}", fabric.description(fabric.ports[port].node),
                     fabric.ports[port].number, reason);
}

NodeIndex node_with(const Fabric& fabric, mad::Guid guid) {
  const auto found = fabric.node_of_guid.find(guid);
  return found == fabric.node_of_guid.end() ? kNoIndex : found->second;
}

/// Returns the port with this number of the node with this GUID; kNoIndex if there is none.
PortIndex port_of_node(const Fabric& fabric, mad::Guid guid, mad::PortNum number) {
  const NodeIndex node = node_with(fabric, guid);
  if (node == kNoIndex || number.value > fabric.nodes[node].num_ports) return kNoIndex;
  return fabric.port(node, number);
}

/// True if the link is up, or only one end is known and says so: a silent node is not a lost link.
bool is_up_as_far_as_known(const Fabric& fabric, PortIndex a) {
  if (fabric.ports[a].peer == kNoIndex) return false;
  const Port &one = fabric.ports[a], &other = fabric.ports[one.peer];
  return fabric.is_link_up(a) || (!one.known && other.known && other.is_up()) ||
         (!other.known && one.known && one.is_up());
}

bool are_linked(const Fabric& fabric, PortIndex a, PortIndex b) {
  return a != kNoIndex && b != kNoIndex && fabric.ports[a].peer == b &&
         is_up_as_far_as_known(fabric, a);
}

/// Returns the port of a neighbour, preferably of one that `other` has, too; kNoIndex if there is
/// none. For a switch without power this is the switch above and not one of its hosts.
PortIndex find_neighbour(const Fabric& fabric, NodeIndex node, const Fabric& other) {
  PortIndex first = kNoIndex;
  for (const Port& port : fabric.node_ports(node)) {
    if (port.peer == kNoIndex || fabric.ports[port.peer].node == node) continue;
    if (node_with(other, fabric.owning_node(port.peer).guid) != kNoIndex) return port.peer;
    if (first == kNoIndex) first = port.peer;
  }
  return first;
}
std::string neighbour(const Fabric& fabric, NodeIndex node, const Fabric& other) {
  const PortIndex port = find_neighbour(fabric, node, other);
  return port == kNoIndex ? "" : fabric.port_name(port);
}

/// Describes the loss of the link from `port` to `peer`; of the whole node if `port` is kNoIndex.
LostThing describe_loss(const Fabric& fabric, NodeIndex node, PortIndex port, PortIndex peer,
                        mad::TimePoint since) {
  LostThing lost{.node = fabric.nodes[node].guid,
                 .port = {},
                 .name = fabric.description(node),
                 .is_switch = port == kNoIndex && fabric.nodes[node].is_switch(),
                 .since = since};
  if (port != kNoIndex) {
    lost.port = fabric.ports[port].number;
  } else {
    for (const Port& of : fabric.node_ports(node))
      if (of.guid != mad::Guid{}) lost.end_ports.push_back(of.guid);
  }
  if (peer == kNoIndex) return lost;
  lost.peer_node = fabric.owning_node(peer).guid;
  lost.peer_port = fabric.ports[peer].number;
  lost.peer = fabric.description(fabric.ports[peer].node);
  return lost;
}

/// Returns the lower end of each link of `here` that `there` may not have, ascending.
std::vector<PortIndex> links_that_may_differ(const Fabric& here,
                                             const std::vector<NodeIndex>& node_there,
                                             const Touched& touched) {
  std::vector<PortIndex> links;
  for (const NodeIndex node : here.nodes.indices()) {
    if (node_there[node] != kNoIndex && !may_differ(touched, here.nodes[node].guid)) continue;
    for (const Port& port : here.node_ports(node))
      if (port.peer != kNoIndex) links.push_back(std::min(port.peer, here.port(node, port.number)));
  }
  std::ranges::sort(links);
  const auto same = std::ranges::unique(links);
  links.erase(same.begin(), same.end());
  return links;
}

/// Calls each(port, peer) for the links of `here` that are up and not up in `there`.
template <class Each>
void for_each_missing_link(const Fabric& here, const Fabric& there, const Touched& touched,
                           Each&& each) {
  std::vector<NodeIndex> node_there;
  node_there.reserve(here.nodes.size());
  for (const Node& node : here.nodes) node_there.push_back(node_with(there, node.guid));
  const auto same_port = [&](const Port& port) -> PortIndex {
    const NodeIndex node = node_there[port.node];
    if (node == kNoIndex || port.number.value > there.nodes[node].num_ports) return kNoIndex;
    return there.port(node, port.number);
  };
  for (const PortIndex port : links_that_may_differ(here, node_there, touched)) {
    const PortIndex peer = here.ports[port].peer;
    if (peer == kNoIndex || peer < port || !here.is_link_up(port)) continue;
    if (!are_linked(there, same_port(here.ports[port]), same_port(here.ports[peer])))
      each(port, peer);
  }
}

}  // namespace

std::string explain_state(const mad::PortInfo& info) {
  switch (info.port_physical_state()) {
    case PortPhysicalState::sleep:
      return "Sleep (no signal: no cable, or nothing at its other end)";
    case PortPhysicalState::polling:
      return "Polling (no signal: no cable, or nothing at its other end)";
    case PortPhysicalState::disabled:
      return "Disabled (by an administrator)";
    case PortPhysicalState::training:
      return "Training (the ends do not agree on a link)";
    case PortPhysicalState::link_up:
      return info.port_state() == mad::PortState::down
                 ? "LinkUp (the link trains, and its PortState stays Down)"
                 : fmt::format("LinkUp (PortState {})", mad::name(info.port_state()));
    case PortPhysicalState::error_recovery:
      return "ErrorRecovery (errors interrupt the link)";
    case PortPhysicalState::phy_test:
      return "PhyTest (by an administrator)";
    case PortPhysicalState::no_change:
      break;
  }
  return "";
}

std::string link_state_text(const Fabric& fabric, PortIndex a, PortIndex b) {
  const std::string here = explain_port(fabric, a), there = explain_port(fabric, b);
  if (here == there) return here.empty() ? "" : fmt::format("both ports are {}", here);
  // If one port is disabled, this explains why the other one has no signal.
  if (is_disabled(fabric, a)) return port_text(fabric, a);
  if (is_disabled(fabric, b)) return port_text(fabric, b);
  const std::string one = port_text(fabric, a), other = port_text(fabric, b);
  return one + (one.empty() || other.empty() ? "" : ", ") + other;
}

bool decides_the_same(const Fabric& before, const Fabric& after) {
  if (before.sm_port != after.sm_port || before.nodes.size() != after.nodes.size() ||
      before.ports.size() != after.ports.size() ||
      before.switches.size() != after.switches.size() || before.end_ports != after.end_ports)
    return false;
  for (const NodeIndex node : before.nodes.indices()) {
    if (before.nodes[node].guid != after.nodes[node].guid ||
        before.nodes[node].first_port != after.nodes[node].first_port)
      return false;
  }
  for (const SwitchIndex sw : before.switches.indices()) {
    if (!shows_same_tables(before.switches[sw].info, after.switches[sw].info)) return false;
  }
  const auto is_same = [](const mad::PortInfo& a, const mad::PortInfo& b) {
    return a.port_state() == b.port_state() && a.lid() == b.lid() && a.lmc() == b.lmc() &&
           a.master_sm_lid() == b.master_sm_lid() && a.neighbor_mtu() == b.neighbor_mtu() &&
           a.operational_vls() == b.operational_vls() &&
           a.link_width_active() == b.link_width_active() &&
           a.link_speed_active() == b.link_speed_active() &&
           a.link_speed_ext_active() == b.link_speed_ext_active();
  };
  return std::ranges::all_of(before.ports.indices(), [&](PortIndex index) {
    const Port &a = before.ports[index], &b = after.ports[index];
    return a.peer == b.peer && a.known == b.known && a.guid == b.guid && is_same(a.info, b.info);
  });
}

bool is_mass_change(const Fabric& before, const Fabric& after) {
  std::size_t lids = 0, lids_lost = 0, switches_lost = 0;
  for (const PortIndex port : before.end_ports) {
    if (!before.ports[port].known || before.ports[port].info.lid() == mad::Lid{}) continue;
    ++lids;
    lids_lost += !after.port_of_guid.contains(before.ports[port].guid);
  }
  for (const Switch& sw : before.switches)
    switches_lost += !after.node_of_guid.contains(before.nodes[sw.node].guid);
  const auto is_many = [](std::size_t lost, std::size_t all) {
    return lost >= kMassChange && lost * 10 > all;
  };
  return is_many(lids_lost, lids) || is_many(switches_lost, before.switches.size());
}

bool has_lids_of_others(const Fabric& surveyed, const Subnet& known) {
  return std::ranges::any_of(surveyed.end_ports, [&](PortIndex index) {
    const Port& port = surveyed.ports[index];
    if (!port.known || port.info.lid() == mad::Lid{}) return false;
    const LidMap::Range lids{.base = port.info.lid(), .lmc = port.info.lmc()};
    for (unsigned offset = 0; offset < lids.count(); ++offset) {
      const PortIndex owner =
          known.lids.owner({static_cast<std::uint16_t>(lids.base.value + offset)});
      if (owner != kNoIndex && known.fabric.ports[owner].guid != port.guid) return true;
    }
    return false;
  });
}

std::vector<std::string> arrivals(const Fabric& before, const Fabric& after,
                                  const Touched& touched) {
  std::vector<std::string> result;
  for (const NodeIndex node : after.nodes.indices()) {
    if (node_with(before, after.nodes[node].guid) != kNoIndex) continue;
    const std::string where = neighbour(after, node, before);
    result.push_back(fmt::format("node appeared: {}{}{}", after.name(node),
                                 where.empty() ? "" : ", behind ", where));
  }
  for_each_missing_link(after, before, touched, [&](PortIndex port, PortIndex peer) {
    if (node_with(before, after.owning_node(port).guid) == kNoIndex ||
        node_with(before, after.owning_node(peer).guid) == kNoIndex)
      return;
    result.push_back(
        fmt::format("link up: {} <-> {}", after.port_name(port), after.port_name(peer)));
  });
  return result;
}

void Losses::update_from(const Fabric& before, const Fabric& after, mad::TimePoint now,
                         const Touched& touched) {
  add_nodes(before, after, now);
  find_moves(before, after, touched);
  add_links(before, after, now, touched);
  remove_returned(after, now);
  places_.find_replacements(after);
  update_states(after);
}

/// Compares new links with what is known of earlier ones, before those are removed.
void Losses::find_moves(const Fabric& before, const Fabric& after, const Touched& touched) {
  std::vector<PortIndex> fresh;
  for_each_missing_link(after, before, touched, [&](PortIndex port, PortIndex peer) {
    fresh.push_back(port);
    fresh.push_back(peer);
  });
  std::vector<Link> lost;
  if (!fresh.empty()) std::ranges::copy(std::views::keys(links_), std::back_inserter(lost));
  places_.update_from(before, after, fresh, lost);
}

/// Updates why lost links are down; a lost node has the state of the port in front of the node.
void Losses::update_states(const Fabric& after) {
  const auto find = [&](mad::Guid node, std::optional<mad::PortNum> port) {
    return port ? port_of_node(after, node, *port) : PortIndex(kNoIndex);
  };
  for (auto& [link, lost] : links_)
    lost.state =
        link_state_text(after, find(lost.node, lost.port), find(lost.peer_node, lost.peer_port));
  for (auto& [guid, lost] : nodes_) {
    const PortIndex front = find(lost.peer_node, lost.peer_port);
    lost.state = front == kNoIndex || !after.ports[front].known
                     ? ""
                     : explain_state(after.ports[front].info);
  }
}

void Losses::add_nodes(const Fabric& before, const Fabric& after, mad::TimePoint now) {
  std::optional<std::map<mad::Guid, mad::Guid>> causes;
  for (const NodeIndex node : before.nodes.indices()) {
    if (nodes_.size() >= kKept) break;
    const mad::Guid guid = before.nodes[node].guid;
    if (node_with(after, guid) != kNoIndex || nodes_.contains(guid)) continue;
    if (!causes) causes = find_loss_causes(before, after);
    LostThing lost =
        describe_loss(before, node, kNoIndex, find_neighbour(before, node, after), now);
    // The switch in front of a host may be lost later than the host, and then cuts it off.
    if (!lost.is_switch) lost.behind = lost.peer_node;
    if (const auto cause = causes->find(guid); cause != causes->end()) lost.behind = cause->second;
    lost.number = next_number_++;
    nodes_[guid] = std::move(lost);
    places_.lose(before, node);
  }
  if (!causes) return;
  for (const auto& [link, lost] : links_) places_.add_lost(link);
}

void Losses::add_links(const Fabric& before, const Fabric& after, mad::TimePoint now,
                       const Touched& touched) {
  std::optional<SwitchTiers> tiers;
  std::map<LinkTier, std::size_t> links_before;
  for_each_missing_link(before, after, touched, [&](PortIndex port, PortIndex peer) {
    if (links_.size() >= kKept) return;
    const bool is_of_switches =
        before.owning_node(port).is_switch() && before.owning_node(peer).is_switch();
    if (is_of_switches && !tiers) {
      links_before = tiers.emplace(before).counts();
      for (const auto& [link, lost] : links_)
        if (lost.tier) ++links_before[*lost.tier];
    }
    const End a = port_place(before, port), b = port_place(before, peer);
    const auto [lost, is_new] = links_.try_emplace(std::minmax(a, b));
    if (!is_new) return;
    lost->second = describe_loss(before, before.ports[port].node, port, peer, now);
    if (is_of_switches) lost->second.tier = tiers->find_tier(port);
    lost->second.number = next_number_++;
  });
  if (tiers) links_before_ = std::move(links_before);
}

void Losses::remove_returned(const Fabric& after, mad::TimePoint now) {
  const auto is_over = [&](const LostThing& lost) { return now - lost.since >= kRetention; };
  std::erase_if(nodes_, [&](const auto& entry) {
    if (node_with(after, entry.first) == kNoIndex && !is_over(entry.second)) return false;
    places_.forget(entry.first);
    return true;
  });
  const auto is_linked = [&](const End& end) {
    const PortIndex port = port_of_node(after, end.node, end.port);
    return port != kNoIndex && is_up_as_far_as_known(after, port);
  };
  std::erase_if(links_, [&](const auto& entry) {
    return is_linked(entry.first.first) || is_linked(entry.first.second) || is_over(entry.second);
  });
}

LossFacts Losses::facts() const {
  LossFacts facts{.nodes = {}, .links = {}, .links_before = links_before_};
  facts.nodes.reserve(nodes_.size());
  facts.links.reserve(links_.size());
  for (const auto& [guid, lost] : nodes_) facts.nodes.push_back(lost);
  for (const auto& [link, lost] : links_) facts.links.push_back(lost);
  for (std::vector<LostThing>* const list : {&facts.nodes, &facts.links})
    std::ranges::sort(*list, {}, &LostThing::number);
  return facts;
}

bool Losses::forget(std::string_view name) {
  const std::size_t before = nodes_.size() + links_.size();
  const LossFacts all = facts();
  const LossTree tree(all);
  std::set<mad::Guid> forgotten;
  for (const LostThing& lost : all.nodes)
    for (const LostThing* at = &lost; at != nullptr; at = tree.find_cause(*at))
      if (at->is_called(name)) forgotten.insert(lost.node);
  std::erase_if(nodes_, [&](const auto& entry) { return forgotten.contains(entry.first); });
  for (const mad::Guid node : forgotten) places_.forget(node);
  std::erase_if(links_, [&](const auto& entry) {
    const auto& [one, other] = entry.first;
    if (forgotten.contains(one.node) || forgotten.contains(other.node)) return true;
    const bool is_of_lost_node = nodes_.contains(one.node) || nodes_.contains(other.node);
    return !is_of_lost_node && entry.second.is_called(name);
  });
  return nodes_.size() + links_.size() < before;
}

}  // namespace sm
