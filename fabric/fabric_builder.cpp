#include "fabric/fabric_builder.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "fabric/at_once.h"
#include "fabric/fabric_conditions.h"
#include "mad/format.h"

namespace fabric {
namespace {

unsigned port_slots(const Node& node) { return node.num_ports + (node.is_switch() ? 1u : 0u); }

/// Holds the nodes that are reachable from the SM's port over links that are up, nearest first, and
/// the last link of the shortest route to each; ties go to the lower port. CAs and routers do not
/// forward directed-route SMPs; switches whose SwitchInfo is unknown are not used to forward them.
struct Reach {
  struct Hop {
    std::uint32_t from = 0;  // position in `order`
    mad::PortNum out;
  };
  std::vector<NodeIndex> order;
  std::vector<Hop> hops;            // parallel to order
  std::vector<NodeIndex> position;  // by node: where in order, or kNoIndex

  /// Returns the route to the node at this position; `route_at` returns the routes to earlier ones.
  template <class RouteAt>
  mad::DirectedRoute route(std::size_t at, RouteAt&& route_at) const {
    if (at == 0) return {};
    return *route_at(hops[at].from).extended(hops[at].out);
  }
};

Reach reach_of(const Fabric& draft, const std::vector<bool>& switch_info_read) {
  Reach reach;
  reach.position.assign(draft.nodes.size(), kNoIndex);
  reach.order.reserve(draft.nodes.size());
  reach.hops.reserve(draft.nodes.size());
  if (draft.sm_port == kNoIndex) return reach;
  std::vector<NodeIndex>& position = reach.position;
  const auto add = [&](NodeIndex node, Reach::Hop hop) {
    position[node] = NodeIndex(reach.order.size());
    reach.order.push_back(node);
    reach.hops.push_back(hop);
  };
  add(draft.ports[draft.sm_port].node, {});
  std::size_t level_end = 1;
  for (std::size_t i = 0, length = 0; i < reach.order.size(); ++i) {
    if (i == level_end) {
      level_end = reach.order.size();
      ++length;
    }
    if (length == mad::DirectedRoute::kHopsMax) break;  // none leads further
    const Node& node = draft.nodes[reach.order[i]];
    if (!node.is_switch() && i > 0) continue;
    for (PortIndex port = node.first_port; port < node.first_port + port_slots(node); ++port) {
      if (!node.is_switch() && port != draft.sm_port) continue;
      const PortIndex peer = draft.ports[port].peer;
      if (peer == kNoIndex || !draft.ports[port].is_up()) continue;
      const NodeIndex next = draft.ports[peer].node;
      if (position[next] != kNoIndex || (draft.nodes[next].is_switch() && !switch_info_read[next]))
        continue;
      add(next, {.from = static_cast<std::uint32_t>(i), .out = draft.ports[port].number});
    }
  }
  return reach;
}

/// Makes a Fabric from a draft: the reachable nodes, in breadth-first order.
class Renumbering {
 public:
  Renumbering(const Fabric& draft, const std::vector<bool>& switch_info_read)
      : draft_(draft), reach_(reach_of(draft, switch_info_read)) {}

  Fabric run() {
    fabric_.conditions = draft_.conditions;
    fabric_.node_names = draft_.node_names;
    if (draft_.sm_port == kNoIndex) return std::move(fabric_);
    number_ports();
    at_once(draft_, {[this] { copy_ports(); },
                     [this] {
                       copy_nodes();
                       index_end_ports();
                     }});
    for (const PortIndex port : unused_links_) report_link(port);
    for (const auto& [first, second] : duplicates_) report_duplicate(first, second);
    return std::move(fabric_);
  }

 private:
  /// The first port of a draft's node, in the draft and in the Fabric.
  struct Place {
    PortIndex in_draft = kNoIndex, in_fabric = kNoIndex;
  };

  void number_ports() {
    places_.assign(draft_.nodes.size(), {});
    PortIndex next{0};
    for (const NodeIndex index : reach_.order) {
      const Node& node = draft_.nodes[index];
      places_[index] = {.in_draft = node.first_port, .in_fabric = next};
      next += port_slots(node);
    }
  }

  void copy_nodes() {
    fabric_.nodes.reserve(reach_.order.size());
    fabric_.switches.reserve(draft_.switches.size());
    fabric_.node_of_guid.reserve(reach_.order.size());
    const auto route_at = [this](std::size_t at) { return fabric_.nodes[NodeIndex(at)].route; };
    for (NodeIndex index{0}; index < reach_.order.size(); ++index) {
      const Node& old = draft_.nodes[reach_.order[index]];
      Node& node = fabric_.nodes.emplace_back(old);
      node.route = reach_.route(index, route_at);
      node.first_port = places_[reach_.order[index]].in_fabric;
      if (node.is_switch()) {
        node.switch_index = fabric_.switches.next_index();
        fabric_.switches.push_back({index, draft_.switches[old.switch_index].info});
      }
      fabric_.node_of_guid.emplace(node.guid, index);
    }
  }

  void copy_ports() {
    fabric_.ports.reserve(draft_.ports.size());
    PKeyBlocks::Rearranged p_keys(draft_.p_key_blocks);
    for (NodeIndex index{0}; index < reach_.order.size(); ++index) {
      const Node& node = draft_.nodes[reach_.order[index]];
      for (PortIndex i = node.first_port; i < node.first_port + port_slots(node); ++i)
        copy_port(draft_.ports[i], index, p_keys);
    }
    fabric_.p_key_blocks = p_keys.take();
    fabric_.sm_port = renumbered(draft_.sm_port);
  }

  void copy_port(const Port& old, NodeIndex node, PKeyBlocks::Rearranged& p_keys) {
    const PortIndex index = fabric_.ports.next_index();
    Port& port = fabric_.ports.emplace_back(old);
    port.node = node;
    port.first_p_key_block = static_cast<std::uint32_t>(p_keys.size());
    p_keys.append(old.first_p_key_block, old.p_key_blocks);
    if (old.peer == kNoIndex) return;
    port.peer = renumbered(old.peer);
    const Port& there = draft_.ports[old.peer];
    const bool disagree = old.known && there.known && old.is_up() != there.is_up();
    if (disagree || old.node == there.node) unused_links_.push_back(index);
  }

  PortIndex renumbered(PortIndex old_port) const {
    const Place& place = places_[draft_.ports[old_port].node];
    return place.in_fabric == kNoIndex ? kNoIndex : place.in_fabric + (old_port - place.in_draft);
  }

  void report_link(PortIndex port) {
    const Port& here = fabric_.ports[port];
    if (here.peer == kNoIndex || here.peer < port) return;  // each link once
    const Port& there = fabric_.ports[here.peer];
    if (here.node == there.node) {
      fabric_.conditions.push_back(
          {kFabricConditions.link_loopback,
           fmt::format(
               "loopback link: {} is connected to port {} of the same node; the link is not used",
               fabric_.port_name(port), there.number)});
    } else if (here.known && there.known && here.is_up() != there.is_up()) {
      fabric_.conditions.push_back(
          {kFabricConditions.link_ends_disagree,
           fmt::format("port states at the ends of a link differ: {} is {}, {} is {}; the link is "
                       "not used",
                       fabric_.port_name(port), here.is_up() ? "up" : "down",
                       fabric_.port_name(here.peer), there.is_up() ? "up" : "down"),
           fabric_.nodes[here.node].guid, here.number});
    }
  }

  /// Runs concurrently with copy_ports(), and therefore reads ports from the draft.
  void index_end_ports() {
    fabric_.port_of_guid.reserve(fabric_.nodes.size());
    fabric_.end_ports.reserve(fabric_.nodes.size());
    for (const NodeIndex node : reach_.order) {
      const Place& place = places_[node];
      for (unsigned i = 0; i < port_slots(draft_.nodes[node]); ++i) {
        const Port& port = draft_.ports[place.in_draft + i];
        if (port.guid == mad::Guid{} || !port.known) continue;
        const PortIndex index = place.in_fabric + i;
        const auto [known, added] = fabric_.port_of_guid.emplace(port.guid, index);
        if (!added) duplicates_.emplace_back(known->second, index);
        fabric_.end_ports.push_back(index);
        if (draft_.nodes[node].is_switch()) break;  // port 0
      }
    }
  }

  void report_duplicate(PortIndex first, PortIndex second) {
    const auto where = [&](PortIndex port) {
      const auto route = fabric_.route_to(port);
      return fmt::format("{} by route {}", fabric_.port_name(port),
                         route ? route->text() : "(none)");
    };
    fabric_.conditions.push_back(
        {kFabricConditions.guid_duplicate,
         fmt::format("duplicate PortGUID {}: {} and {}; the second gets no LID",
                     fabric_.ports[first].guid, where(first), where(second))});
  }

  const Fabric& draft_;
  Reach reach_;
  IndexVector<NodeIndex, Place> places_;                     // by index in the draft
  std::vector<PortIndex> unused_links_;                      // ends of links that are reported
  std::vector<std::pair<PortIndex, PortIndex>> duplicates_;  // ports with one GUID
  Fabric fabric_;
};

}  // namespace

namespace {

/// Copies `known` with spare capacity, so that elements of an event cause no second copy.
template <class Values>
Values with_room(const Values& known) {
  constexpr std::size_t kRoomMin = 512, kShare = 16;
  Values copy;
  copy.reserve(known.size() + known.size() / kShare + kRoomMin);
  copy.insert(copy.end(), known.begin(), known.end());
  return copy;
}

}  // namespace

FabricBuilder::FabricBuilder(const Fabric& known)
    : switch_info_read_(known.nodes.size(), true), has_start_(true) {
  at_once(known, {[&] { draft_.ports = with_room(known.ports); },
                  [&] {
                    draft_.nodes = with_room(known.nodes);
                    draft_.switches = with_room(known.switches);
                    draft_.p_key_blocks = known.p_key_blocks;
                    draft_.node_of_guid = known.node_of_guid;
                  }});
  draft_.sm_port = known.sm_port;
  draft_.node_names = known.node_names;
}

std::optional<std::string> FabricBuilder::defect_of(const mad::NodeInfo& info) {
  // Both are 1 in all versions of the specification; with any other value this is no NodeInfo.
  if (info.base_version() != 1 || info.class_version() != 1)
    return fmt::format("BaseVersion {} and ClassVersion {} (both are 1)", info.base_version(),
                       info.class_version());
  const unsigned type = info.node_type_raw();
  if (type < 1 || type > 3)
    return fmt::format("NodeType {} (1 is a CA, 2 a switch, 3 a router)", type);
  if (info.num_ports() < 1 || info.num_ports() > mad::kPortNumMax)
    return fmt::format("NumPorts {} (1..254 are possible)", info.num_ports());
  if (info.node_guid() == mad::Guid{}) return "NodeGUID 0";
  if (info.port_guid() == mad::Guid{}) return "PortGUID 0";
  if (info.local_port_num().value > info.num_ports())
    return fmt::format("LocalPortNum {} of {} ports", info.local_port_num(), info.num_ports());
  if (info.node_type() != mad::NodeType::switch_ && info.local_port_num().value == 0)
    return "LocalPortNum 0 on a node that is no switch";
  return std::nullopt;
}

NodeIndex FabricBuilder::find(mad::Guid node_guid) const {
  const auto found = draft_.node_of_guid.find(node_guid);
  return found == draft_.node_of_guid.end() ? kNoIndex : found->second;
}

NodeIndex FabricBuilder::add(const mad::NodeInfo& info, const mad::DirectedRoute& route) {
  const auto index = draft_.nodes.next_index();
  Node node;
  node.type = info.node_type();
  node.num_ports = info.num_ports();
  node.first_port = draft_.ports.next_index();
  node.guid = info.node_guid();
  node.info = info;
  node.route = route;
  if (node.is_switch()) {
    node.switch_index = draft_.switches.next_index();
    draft_.switches.push_back({index, {}});
  }
  for (unsigned i = 0; i < port_slots(node); ++i) {
    Port port;
    port.node = index;
    port.number = mad::PortNum{static_cast<std::uint8_t>(node.is_switch() ? i : i + 1)};
    draft_.ports.push_back(port);
  }
  if (node.is_switch()) draft_.ports[node.first_port].guid = info.port_guid();
  draft_.node_of_guid.emplace(node.guid, index);
  draft_.nodes.push_back(node);
  switch_info_read_.push_back(false);
  return index;
}

bool FabricBuilder::has_port(NodeIndex index, mad::PortNum number) const {
  const Node& n = draft_.nodes[index];
  return number.value <= n.num_ports && (n.is_switch() || number.value >= 1);
}

void FabricBuilder::set_switch_info(NodeIndex node, const mad::SwitchInfo& info) {
  draft_.switches[draft_.nodes[node].switch_index].info = info;
  switch_info_read_[node] = true;
}

void FabricBuilder::reserve_p_keys(PortIndex index, unsigned blocks) {
  Port& port = draft_.ports[index];
  if (port.p_key_blocks == blocks) return;
  port.p_key_blocks = static_cast<std::uint16_t>(blocks);
  port.first_p_key_block = static_cast<std::uint32_t>(draft_.p_key_blocks.size());
  draft_.p_key_blocks.resize(draft_.p_key_blocks.size() + blocks);
}

void FabricBuilder::set_p_keys(PortIndex port, unsigned block, const mad::PKeyTable& keys) {
  if (block < draft_.ports[port].p_key_blocks)
    draft_.p_key_blocks.set(draft_.ports[port].first_p_key_block + block, keys);
}

void FabricBuilder::connect(PortIndex a, PortIndex b) {
  draft_.ports[a].peer = b;
  draft_.ports[b].peer = a;
  note_relinked(a);
  note_relinked(b);
}

void FabricBuilder::note_relinked(PortIndex port) {
  if (has_start_) relinked_.push_back(draft_.ports[port].node);
}

void FabricBuilder::disconnect(PortIndex port) {
  const PortIndex peer = draft_.ports[port].peer;
  if (peer == kNoIndex) return;
  draft_.ports[port].peer = kNoIndex;
  if (draft_.ports[peer].peer == port) draft_.ports[peer].peer = kNoIndex;
  note_relinked(port);
  note_relinked(peer);
}

void FabricBuilder::refresh_routes() {
  const Reach reach = reach_of(draft_, switch_info_read_);
  leads_over_unread_ = false;
  reachable_.assign(draft_.nodes.size(), false);
  const auto route_at = [&](std::size_t at) { return draft_.nodes[reach.order[at]].route; };
  for (std::size_t i = 0; i < reach.order.size(); ++i) {
    reachable_[reach.order[i]] = true;
    // The route to a CA or router is its switch's route and one more link (Fabric::route_to).
    Node& node = draft_.nodes[reach.order[i]];
    if (node.is_switch() || i == 0) node.route = reach.route(i, route_at);
  }
}

bool traverses(const mad::DirectedRoute& route, std::span<const mad::DirectedRoute> first) {
  return std::ranges::any_of(first, [&route](const mad::DirectedRoute& its) {
    return its.hop_count() <= route.hop_count() &&
           std::ranges::equal(its.hops(), route.hops().first(its.hop_count()));
  });
}

void FabricBuilder::reroute_around(std::span<const mad::DirectedRoute> lost) {
  std::vector<NodeIndex> open;
  for (const Switch& sw : draft_.switches)
    if (is_reachable(sw.node) && traverses(draft_.nodes[sw.node].route, lost))
      open.push_back(sw.node);
  if (open.size() > draft_.switches.size() / 2 || leads_over_unread_) return refresh_routes();
  reachable_.resize(draft_.nodes.size(), true);
  for (const NodeIndex node : open) reachable_[node] = false;
  // A candidate is a hop count and a port: a route of so many hops to the port's switch enters it
  // by this port, from its peer. The queue returns the shortest first.
  using Candidate = std::pair<unsigned, PortIndex>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> nearest;
  const auto consider = [&](PortIndex port) {
    const PortIndex peer = draft_.ports[port].peer;
    if (peer == kNoIndex || !draft_.ports[peer].is_up()) return;
    const NodeIndex from = draft_.ports[peer].node;
    const bool forwards = draft_.nodes[from].is_switch() && switch_info_read_[from];
    if (reachable_[from] && (forwards || peer == draft_.sm_port))
      nearest.emplace(draft_.nodes[from].route.hop_count() + 1u, port);
  };
  const auto for_each_port = [&](NodeIndex node, auto&& visit) {
    const PortIndex first = draft_.nodes[node].first_port;
    for (PortIndex port = first; port < first + port_slots(draft_.nodes[node]); ++port) visit(port);
  };
  for (const NodeIndex node : open) for_each_port(node, consider);
  for (; !nearest.empty(); nearest.pop()) {
    const Port& port = draft_.ports[nearest.top().second];
    if (reachable_[port.node]) continue;
    const auto route = draft_.owning_node(port.peer).route.extended(draft_.ports[port.peer].number);
    if (!route) continue;
    draft_.nodes[port.node].route = *route;
    reachable_[port.node] = true;
    for_each_port(port.node, [&](PortIndex out) {
      const PortIndex peer = draft_.ports[out].peer;
      if (peer != kNoIndex && !reachable_[draft_.ports[peer].node]) consider(peer);
    });
  }
}

void FabricBuilder::report(Condition condition) {
  draft_.conditions.push_back(std::move(condition));
}

Fabric FabricBuilder::build() const { return Renumbering(draft_, switch_info_read_).run(); }

}  // namespace fabric
