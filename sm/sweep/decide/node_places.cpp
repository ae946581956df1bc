#include "sm/sweep/decide/node_places.h"

#include <algorithm>
#include <utility>

#include "mad/format.h"
#include "sm/sweep/decide/loss_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace sm {
namespace {

NodeIndex find_by_guid(const Fabric& fabric, mad::Guid guid) {
  const auto found = fabric.node_of_guid.find(guid);
  return found == fabric.node_of_guid.end() ? NodeIndex(kNoIndex) : found->second;
}

/// Returns the other end of the port's link; nullopt if the link is not up.
std::optional<PortPlace> find_far_end(const Fabric& fabric, PortIndex port) {
  if (port == kNoIndex || !fabric.is_link_up(port)) return std::nullopt;
  return port_place(fabric, fabric.ports[port].peer);
}

/// Returns "\"H1\" (0x...)", with its port if it has several.
std::string moved_name(const Fabric& fabric, PortIndex port) {
  const Node& node = fabric.owning_node(port);
  const bool has_one_port = !node.is_switch() && node.num_ports == 1;
  return has_one_port ? fabric.name(fabric.ports[port].node) : fabric.port_name(port);
}

/// Returns the node that this one exchanged its place with; null if there is no such node.
const Move* find_partner(const Move& move, std::span<const Move> moves,
                         const std::map<mad::Guid, Move>& earlier) {
  const auto is_partner = [&](const Move& other) {
    return other.node != move.node && other.from == move.to && other.to == move.from;
  };
  const auto found = std::ranges::find_if(moves, is_partner);
  if (found != moves.end()) return &*found;
  const auto before =
      std::ranges::find_if(earlier, [&](const auto& entry) { return is_partner(entry.second); });
  return before == earlier.end() ? nullptr : &before->second;
}

std::string move_text(const Move& move) {
  std::string text =
      fmt::format("node moved: {} from {} to {}", move.name, move.from_name, move.to_name);
  if (move.more > 0)
    text += fmt::format("; {} more of its links {} elsewhere, too", move.more,
                        move.more == 1 ? "leads" : "lead");
  return text;
}

std::string exchange_text(const Move& move, const Move& partner) {
  return fmt::format(
      "nodes moved: {} and {} exchanged their places: the first is at {} now, the "
      "second at {}",
      move.name, partner.name, move.to_name, partner.to_name);
}

Condition count_moves(std::span<const Move> moves) {
  std::vector<std::string> names;
  for (const Move& move : moves) {
    // A quoted NodeDescription begins the name.
    const std::size_t end = move.name.rfind("\" (");
    names.push_back(end == std::string::npos ? move.name : move.name.substr(1, end - 1));
  }
  return {.id = kSweepConditions.node_moved,
          .text = fmt::format("{} nodes moved: {}; the first of them: {}", moves.size(),
                              name_ranges(names), move_text(moves.front()))};
}

}  // namespace

std::vector<Condition> move_conditions(std::span<const Move> moves,
                                       const std::map<mad::Guid, Move>& earlier) {
  if (moves.size() > kMovesNamed) return {count_moves(moves)};
  std::vector<Condition> conditions;
  std::set<mad::Guid> named;
  for (const Move& move : moves) {
    if (named.contains(move.node)) continue;
    const Move* const partner = find_partner(move, moves, earlier);
    if (partner != nullptr) named.insert(partner->node);
    conditions.push_back(
        {.id = kSweepConditions.node_moved,
         .text = partner == nullptr ? move_text(move) : exchange_text(move, *partner),
         .guid = move.node});
  }
  return conditions;
}

void NodePlaces::lose(const Fabric& before, NodeIndex node) {
  const Node& lost = before.nodes[node];
  LostNode& entry = lost_[lost.guid];
  entry = {.name = before.name(node), .is_switch = lost.is_switch(), .ports = {}, .links = {}};
  for (const Port& port : before.node_ports(node)) {
    if (port.guid != mad::Guid{} && std::ranges::find(entry.ports, port.guid) == entry.ports.end())
      entry.ports.push_back(port.guid);
    const auto far = find_far_end(before, before.port(node, port.number));
    if (!far || far->node == lost.guid) continue;
    entry.links[port.number] = *far;
    places_[*far] = lost.guid;
  }
}

void NodePlaces::add_lost(const Link& link) {
  for (const auto& [end, far] : {link, Link{link.second, link.first}}) {
    const auto lost = lost_.find(end.node);
    if (lost == lost_.end() || !lost->second.links.try_emplace(end.port, far).second) continue;
    places_.try_emplace(far, end.node);
  }
}

void NodePlaces::forget(mad::Guid node) {
  const auto lost = lost_.find(node);
  if (lost == lost_.end()) return;
  for (const auto& [port, far] : lost->second.links)
    if (const auto place = places_.find(far); place != places_.end() && place->second == node)
      places_.erase(place);
  lost_.erase(lost);
  replacements_.erase(node);
}

void NodePlaces::update_from(const Fabric& before, const Fabric& after,
                             std::span<const PortIndex> fresh, std::span<const Link> lost) {
  note_arrivals(before, after);
  if (fresh.empty()) return;
  std::map<PortPlace, PortPlace> former;
  for (const auto& [a, b] : lost) {
    former[a] = b;
    former[b] = a;
  }
  std::map<NodeIndex, std::size_t> found;  // the index in moves_
  for (const PortIndex port : fresh) {
    const NodeIndex node = after.ports[port].node;
    const PortPlace to = port_place(after, after.ports[port].peer);
    const auto from = find_former(before, port_place(after, port), former);
    if (!from || *from == to) continue;
    // A neighbour was replaced, or a replaced one is back.
    if (lost_.contains(from->node) && (arrived_.contains(to.node) || lost_.contains(to.node)))
      continue;
    if (const auto move = found.find(node); move != found.end()) {
      ++moves_[move->second].more;
      continue;
    }
    if (after.nodes[node].is_switch() &&
        (from->node == to.node || !after.owning_node(after.ports[port].peer).is_switch() ||
         !has_moved(before, after, node)))
      continue;
    found[node] = moves_.size();
    moves_.push_back({.node = after.nodes[node].guid,
                      .name = moved_name(after, port),
                      .from = *from,
                      .to = to,
                      .from_name = describe(before, after, *from),
                      .to_name = describe(before, after, to)});
  }
}

/// Notes the nodes that neither `before` nor the lost ones have.
void NodePlaces::note_arrivals(const Fabric& before, const Fabric& after) {
  if (lost_.empty()) return;
  for (const Node& node : after.nodes)
    if (arrived_.size() < kArrivedMax && find_by_guid(before, node.guid) == kNoIndex &&
        !lost_.contains(node.guid))
      arrived_.insert(node.guid);
}

/// Returns where the link of this port led, as it was known latest.
std::optional<PortPlace> NodePlaces::find_former(const Fabric& before, const PortPlace& port,
                                                 const std::map<PortPlace, PortPlace>& lost) const {
  if (const auto far = find_far_end(before, find_place(before, port))) return far;
  if (const auto node = lost_.find(port.node); node != lost_.end()) {
    const auto link = node->second.links.find(port.port);
    if (link != node->second.links.end()) return link->second;
  }
  const auto link = lost.find(port);
  return link == lost.end() ? std::nullopt : std::optional(link->second);
}

/// True unless a link of this switch to another one was there before.
bool NodePlaces::has_moved(const Fabric& before, const Fabric& after, NodeIndex node) const {
  for (const Port& port : after.node_ports(node)) {
    const PortIndex index = after.port(node, port.number);
    const auto far = find_far_end(after, index);
    if (!far || !after.owning_node(port.peer).is_switch()) continue;
    if (find_former(before, port_place(after, index), {}) == far) return false;
  }
  return true;
}

std::string NodePlaces::describe(const Fabric& before, const Fabric& after,
                                 const PortPlace& place) const {
  for (const Fabric* const fabric : {&after, &before})
    if (const PortIndex port = find_place(*fabric, place); port != kNoIndex)
      return fabric->port_name(port);
  const auto lost = lost_.find(place.node);
  return fmt::format("{} port {}",
                     lost == lost_.end() ? fmt::format("{}", place.node) : lost->second.name,
                     place.port);
}

void NodePlaces::find_replacements(const Fabric& after) {
  replacements_.clear();
  if (lost_.empty()) arrived_.clear();
  for (const mad::Guid guid : arrived_) {
    const NodeIndex node = find_by_guid(after, guid);
    if (node == kNoIndex) continue;
    std::optional<Replacement> found = find_lost(after, node);
    if (!found) continue;
    const auto [known, is_new] = replacements_.try_emplace(found->lost, *found);
    if (!is_new && found->links > known->second.links) known->second = std::move(*found);
  }
}

/// Returns the lost node whose links this new node has.
std::optional<Replacement> NodePlaces::find_lost(const Fabric& after, NodeIndex successor) const {
  std::map<mad::Guid, std::size_t> shared;
  std::optional<Replacement> best;
  const bool is_switch = after.nodes[successor].is_switch();
  for (const Port& port : after.node_ports(successor)) {
    const auto far = find_far_end(after, after.port(successor, port.number));
    const auto place = far ? places_.find(*far) : places_.end();
    if (place == places_.end()) continue;
    const LostNode& lost = lost_.at(place->second);
    const std::size_t links = ++shared[place->second], before = lost.links.size();
    const bool is_enough = is_switch ? 2 * links > before : 2 * links >= before;
    if (lost.is_switch != is_switch || !is_enough || (best && best->links >= links)) continue;
    best = Replacement{.lost = place->second,
                       .successor = after.nodes[successor].guid,
                       .lost_name = lost.name,
                       .successor_name = after.name(successor),
                       .lost_ports = lost.ports,
                       .is_switch = is_switch,
                       .place = after.port_name(port.peer),
                       .links = links,
                       .before = before};
  }
  return best;
}

std::vector<Condition> NodePlaces::take_moves() {
  std::vector<Move> moves = std::exchange(moves_, {});
  // A pass that ended without a subnet is followed by one that finds the same again.
  std::erase_if(moves, [&](const Move& move) {
    const auto known = earlier_.find(move.node);
    return known != earlier_.end() && known->second.from == move.from &&
           known->second.to == move.to;
  });
  std::vector<Condition> conditions = move_conditions(moves, earlier_);
  for (const Move& move : moves) {
    if (earlier_.size() >= kEarlierMax) earlier_.clear();
    earlier_.insert_or_assign(move.node, move);
  }
  return conditions;
}

}  // namespace sm
