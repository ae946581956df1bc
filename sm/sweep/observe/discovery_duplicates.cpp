// Discovery: answers that show a GUID, or a port, of another node.

#include <algorithm>
#include <utility>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sm/sweep/observe/discovery_batch.h"

namespace sm {
namespace {

constexpr unsigned kConflictRoundsMax =
    3;  // how often two claims to one port are checked before they count as a duplicate GUID

/// A switch has one PortGUID; ports of a CA or router each have their own.
bool is_same_node(const mad::NodeInfo& a, const mad::NodeInfo& b) {
  return a.node_type() == b.node_type() && a.num_ports() == b.num_ports() &&
         a.system_image_guid() == b.system_image_guid() &&
         (a.node_type() != mad::NodeType::switch_ || a.port_guid() == b.port_guid());
}

/// A survey may ask several times behind one port.
void add(std::vector<Duplicate>& all, const Duplicate& duplicate) {
  if (std::ranges::find(all, duplicate.copy, &Duplicate::copy) == all.end())
    all.push_back(duplicate);
}

}  // namespace

PortPlace Discovery::place(PortIndex port) const {
  if (port == kNoIndex) return {};
  return {.node = builder_.node(builder_.port(port).node).guid, .port = builder_.port(port).number};
}

/// Returns the port in front of the node that is nearest to the manager, in this survey or, if the
/// node has no cable there, in the earlier survey; kNoIndex if there is none.
PortIndex Discovery::front_of(NodeIndex node) const {
  const auto nearest = [&](const auto& ports) {
    PortIndex front = kNoIndex;
    const Node& its = builder_.node(node);
    for (PortIndex port = its.first_port;
         port < its.first_port + its.num_ports + (its.is_switch() ? 1u : 0u); ++port) {
      const PortIndex peer = ports[port].peer;
      if (peer != kNoIndex && (front == kNoIndex || distance(peer) < distance(front))) front = peer;
    }
    return front;
  };
  const PortIndex front = nearest(builder_.draft().ports);
  const bool was_known = known_ != nullptr && node < known_->nodes.size();
  return front == kNoIndex && was_known ? nearest(known_->ports) : front;
}

/// Orders ports by their hops from the manager. It does not depend on the order of answers.
std::pair<unsigned, PortPlace> Discovery::distance(PortIndex port) const {
  return {builder_.node(builder_.port(port).node).route.hop_count(), place(port)};
}

/// Returns what the answer shows that another node of this survey, or of the last subnet, has.
std::optional<Discovery::Holder> Discovery::find_holder(const Query& query,
                                                        const mad::NodeInfo& info) const {
  if (query.node == kOwnNode) return std::nullopt;
  if (const std::optional<Holder> now = find_holder_now(info)) return now;
  if (options_.trusted == nullptr) return std::nullopt;
  const Fabric& before = *options_.trusted;
  const PortPlace here{.node = builder_.node(query.node).guid, .port = query.port};
  const auto found = [&](Duplicate::Of of, mad::Guid guid,
                         std::span<const Port> ports) -> std::optional<Holder> {
    const std::optional<PortPlace> place = place_in_last_subnet(query, ports);
    if (!place) return std::nullopt;
    return Holder{.of = of, .guid = guid, .place = *place};
  };
  if (const auto node = before.node_of_guid.find(info.node_guid());
      node != before.node_of_guid.end()) {
    const bool is_same = is_same_node(before.nodes[node->second].info, info);
    const std::span<const Port> ports = before.node_ports(node->second);
    std::optional<Holder> holder;
    if (!is_same) {
      if (builder_.find(info.node_guid()) == kNoIndex)
        holder = found(Duplicate::Of::node, info.node_guid(), ports);
    } else if (known_copies_.contains(here)) {
      const PortIndex port = before.port(node->second, info.local_port_num());
      holder = found(Duplicate::Of::cable, info.node_guid(), {&before.ports[port], 1});
    }
    if (holder) return holder;
  }
  const auto port = before.port_of_guid.find(info.port_guid());
  if (port == before.port_of_guid.end()) return std::nullopt;
  const Node& its = before.owning_node(port->second);
  const bool is_same =
      its.guid == info.node_guid() &&
      (its.is_switch() || before.ports[port->second].number == info.local_port_num());
  if (is_same) return std::nullopt;
  return found(Duplicate::Of::port, info.port_guid(),
               its.is_switch() ? before.node_ports(before.ports[port->second].node)
                               : std::span<const Port>{&before.ports[port->second], 1});
}

/// Returns a node of this survey that has the NodeGUID or the PortGUID, and is another one.
std::optional<Discovery::Holder> Discovery::find_holder_now(const mad::NodeInfo& info) const {
  const NodeIndex same = builder_.find(info.node_guid());
  if (same != kNoIndex && !is_same_node(builder_.node(same).info, info)) {
    const PortIndex front = front_of(same);
    return Holder{.of = Duplicate::Of::node,
                  .guid = info.node_guid(),
                  .place = place(front),
                  .node = same,
                  .front = front};
  }
  const auto found = port_of_guid_.find(info.port_guid());
  if (found == port_of_guid_.end()) return std::nullopt;
  const Port& port = builder_.port(found->second);
  const NodeIndex node = port.node;
  const bool is_switch = builder_.node(node).is_switch();
  const bool is_itself = node == same && (is_switch || port.number == info.local_port_num());
  const PortIndex front = front_of_port(found->second);
  const bool is_there = front != kNoIndex || node == own_node_;
  if (is_itself || !is_there || port.guid != info.port_guid()) return std::nullopt;
  return Holder{.of = Duplicate::Of::port,
                .guid = info.port_guid(),
                .place = place(front),
                .node = node,
                .front = front};
}

/// Returns the port in front of these ports of the last subnet as long as its link is not known to
/// be down, and nullopt if the answer came from there. The order of answers does not matter.
std::optional<PortPlace> Discovery::place_in_last_subnet(const Query& query,
                                                         std::span<const Port> ports) const {
  const Fabric& before = *options_.trusted;
  std::optional<std::pair<unsigned, PortPlace>> nearest;
  for (const Port& port : ports) {
    if (port.peer == kNoIndex || !port.is_up()) continue;
    const PortPlace front = port_place(before, port.peer);
    if (front.node == builder_.node(query.node).guid && front.port == query.port)
      return std::nullopt;
    const NodeIndex now = builder_.find(front.node);
    if (now == kNoIndex && known_ != nullptr) continue;
    if (now != kNoIndex) {
      if (!builder_.has_port(now, front.port)) continue;
      const Port& its = builder_.port(builder_.port_index(now, front.port));
      if (its.known && !its.is_up()) continue;
    }
    const std::pair here(unsigned{before.owning_node(port.peer).route.hop_count()}, front);
    if (!nearest || here < *nearest) nearest = here;
  }
  return nearest ? std::optional(nearest->second) : std::nullopt;
}

/// True if the last subnet had the GUID, of a node or a port, behind this port.
bool Discovery::held_guid(Duplicate::Of of, mad::Guid guid, const PortPlace& front) const {
  if (options_.trusted == nullptr) return false;
  const Fabric& before = *options_.trusted;
  const PortIndex in_front = find_place(before, front);
  const PortIndex end = in_front == kNoIndex ? kNoIndex : before.ports[in_front].peer;
  if (end == kNoIndex) return false;
  return of == Duplicate::Of::port ? before.m_key_port(end) == guid
                                   : before.owning_node(end).guid == guid;
}

/// Describes a node that shows the GUID of `holder`, behind `front`. `node` is kNoIndex if the
/// survey does not have it.
GuidClaim Discovery::claim(const Holder& holder, NodeIndex node, PortIndex front,
                           const mad::NodeInfo& shown) const {
  GuidClaim claim{.is_own = is_own(node)};
  if (front == kNoIndex) return claim;
  claim.front = place(front);
  claim.held_guid = held_guid(holder.of, holder.guid, claim.front);
  claim.was_here = expected_behind(front) == shown.port_guid();
  claim.guids_agree = guids_agree(shown);
  claim.is_switch = shown.node_type() == mad::NodeType::switch_;
  claim.hops = builder_.node(builder_.port(front).node).route.hop_count();
  return claim;
}

/// Returns the NodeInfo that the survey has of this port's node, with the port's GUID.
mad::NodeInfo Discovery::shown_by(PortIndex port) const {
  mad::NodeInfo info = builder_.node(builder_.port(port).node).info;
  info.set_port_guid(builder_.draft().m_key_port(port));
  return info;
}

/// Decides between an answer and the holder of a GUID that it shows. Two nodes answer so again; one
/// wrong answer is not repeated.
void Discovery::on_duplicate(const Query& query, const mad::NodeInfo& info, const Holder& holder) {
  if (query.round == 0) {
    Query again = query;
    ++again.round;
    return push(again);
  }
  const PortIndex here = builder_.port_index(query.node, query.port);
  add(duplicates_,
      {.of = holder.of, .guid = holder.guid, .holder = holder.place, .copy = place(here)});
  if (holder.node == kNoIndex || holder.front == kNoIndex || holder.place == place(here)) return;
  const PortIndex end = builder_.port(holder.front).peer;
  const mad::NodeInfo its = end == kNoIndex ? builder_.node(holder.node).info : shown_by(end);
  if (!precedes(claim(holder, kNoIndex, here, info), claim(holder, holder.node, holder.front, its)))
    return;
  for (const Port& port : builder_.draft().node_ports(holder.node)) {
    const bool is_its = holder.of == Duplicate::Of::node ||
                        builder_.node(holder.node).is_switch() || port.guid == holder.guid;
    if (is_its && port.peer != kNoIndex)
      add(copies_,
          {.of = holder.of, .guid = holder.guid, .holder = place(here), .copy = place(port.peer)});
  }
}

/// True for the manager's node, and for the node to which its own cable leads.
bool Discovery::is_own(NodeIndex node) const {
  const PortIndex front = own_front();
  return node == own_node_ || (front != kNoIndex && builder_.port(front).node == node);
}

/// Returns the port in front of the manager's own port; kNoIndex if that is port 0 of a switch.
PortIndex Discovery::own_front() const {
  const PortIndex own = builder_.draft().sm_port;
  return own == kNoIndex ? kNoIndex : builder_.port(own).peer;
}

/// True for a cable to the manager's own port, or to the port in front of it, that cannot be there:
/// the manager's own requests show where the own cable leads.
bool Discovery::is_beside_own_cable(PortIndex from, PortIndex to) const {
  const PortIndex own = builder_.draft().sm_port, front = own_front();
  return front != kNoIndex && ((to == own && from != front) || (to == front && from != own));
}

/// Handles two cables that seem to end in one port. Either a cable was moved during the survey, or
/// two nodes have one GUID: both routes are queried again, a few times.
void Discovery::contest(PortIndex claimed, PortIndex claimant, const mad::NodeInfo& info) {
  const PortIndex holder = builder_.port(claimed).peer;
  if (is_beside_own_cable(claimant, claimed) || ++contests_[claimed] > kConflictRoundsMax)
    return resolve_conflict(claimed, claimant, info);
  builder_.disconnect(claimed);
  for (const PortIndex port : {holder, claimant}) {
    push({.kind = QueryKind::node_info_behind,
          .port = builder_.port(port).number,
          .node = builder_.port(port).node});
  }
}

/// Decides between two nodes with one GUID: the earlier node keeps its place and its name. Answers
/// of the copy may have been taken for the other node's, so the survey begins again without it.
void Discovery::resolve_conflict(PortIndex claimed, PortIndex claimant, const mad::NodeInfo& info) {
  PortIndex used = builder_.port(claimed).peer, ignored = claimant;
  const NodeIndex index = builder_.port(claimed).node;
  Node& node = builder_.node(index);
  const Port* const before = earlier(claimed);
  const bool was_linked = before != nullptr && before->peer != kNoIndex;
  if (was_linked) node.description = options_.trusted->nodes[before->node].description;
  const Holder holder{.of = Duplicate::Of::cable, .guid = node.guid};
  const bool is_claimants =
      !is_beside_own_cable(claimant, claimed) &&
      (was_linked ? port_place(*options_.trusted, before->peer) == place(claimant)
                  : precedes(claim(holder, index, claimant, info),
                             claim(holder, index, used, shown_by(claimed))));
  if (is_claimants) {
    builder_.disconnect(claimed);
    builder_.connect(claimant, claimed);
    std::swap(used, ignored);
  }
  const Duplicate duplicate{
      .of = Duplicate::Of::cable, .guid = node.guid, .holder = place(used), .copy = place(ignored)};
  add(duplicates_, duplicate);
  add(copies_, duplicate);
}

/// Adds the conditions. Names of nodes are known once they are read.
void Discovery::report_duplicates() {
  for (const Duplicate& duplicate : options_.copies) {
    const NodeIndex front = builder_.find(duplicate.copy.node);
    if (front != kNoIndex && builder_.has_port(front, duplicate.copy.port) &&
        builder_.port(builder_.port_index(front, duplicate.copy.port)).is_up())
      report_duplicate(duplicate);
  }
  for (const Duplicate& duplicate : duplicates_) report_duplicate(duplicate);
}

void Discovery::report_duplicate(const Duplicate& duplicate) {
  const NodeIndex front = builder_.find(duplicate.copy.node);
  const std::string holder = place_name(holder_place(duplicate)), copy = place_name(duplicate.copy);
  std::string text;
  switch (duplicate.of) {
    case Duplicate::Of::node:
      text = fmt::format(
          "duplicate NodeGUID {}: two different nodes carry it, one behind {}, the other behind "
          "{}; the second is ignored",
          duplicate.guid, holder, copy);
      break;
    case Duplicate::Of::port:
      text = fmt::format(
          "duplicate PortGUID {}: two ports carry it, one behind {}, the other behind {}; the "
          "second is ignored",
          duplicate.guid, holder, copy);
      break;
    case Duplicate::Of::cable: {
      const std::string name = last_name_behind(builder_.port_index(front, duplicate.copy.port));
      text = fmt::format(
          "duplicate GUID {}: the nodes behind {} and {} carry it; the second{} is "
          "ignored",
          duplicate.guid, holder, copy, name.empty() ? "" : fmt::format(", which was {},", name));
      break;
    }
  }
  builder_.report({.id = kFabricConditions.guid_duplicate,
                   .text = std::move(text),
                   .guid = duplicate.copy.node,
                   .port = duplicate.copy.port});
}

/// Returns the port in front of an end port that answered in this survey.
PortIndex Discovery::front_of_port(PortIndex port) const {
  const NodeIndex node = builder_.port(port).node;
  return builder_.node(node).is_switch() ? front_of(node) : builder_.port(port).peer;
}

/// Returns the place of the holder now that all cables are known.
PortPlace Discovery::holder_place(const Duplicate& duplicate) const {
  PortIndex front = kNoIndex;
  if (duplicate.of == Duplicate::Of::node) {
    if (const NodeIndex node = builder_.find(duplicate.guid); node != kNoIndex)
      front = front_of(node);
  } else if (duplicate.of == Duplicate::Of::port) {
    if (const auto port = port_of_guid_.find(duplicate.guid); port != port_of_guid_.end())
      front = front_of_port(port->second);
  }
  return front == kNoIndex ? duplicate.holder : place(front);
}

std::string Discovery::place_name(const PortPlace& place) const {
  if (place.node == mad::Guid{}) return "the own port";
  const NodeIndex node = builder_.find(place.node);
  if (node != kNoIndex && builder_.has_port(node, place.port))
    return port_name(builder_.port_index(node, place.port));
  const PortIndex before =
      options_.trusted == nullptr ? kNoIndex : find_place(*options_.trusted, place);
  return before == kNoIndex ? fmt::format("{} port {}", place.node, place.port)
                            : options_.trusted->port_name(before);
}

}  // namespace sm
