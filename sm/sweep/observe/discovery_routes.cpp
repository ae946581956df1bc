// Discovery: the directed routes of a partial survey. It begins with the routes of the last survey.
// Any link on them may be down by now, so each link is read before a request uses it.

#include <algorithm>
#include <utility>

#include "fabric/plausible.h"
#include "sm/sweep/observe/discovery_batch.h"

namespace sm {

/// Notes a lost link if a route leads over it. After the failure of a switch, all links around it
/// are found to be gone, one after the other; most of them cost nothing.
void Discovery::note_cut(PortIndex from, PortIndex to) {
  for (const auto& [near, far] : {std::pair(from, to), std::pair(to, from)}) {
    const Node& before = builder_.node(builder_.port(near).node);
    const Node& behind = builder_.node(builder_.port(far).node);
    has_lost_links_ = has_lost_links_ || (before.is_switch() && behind.is_switch());
    const auto route = before.route.extended(builder_.port(near).number);
    if (route && behind.is_switch() && *route == behind.route) cut_.push_back(*route);
  }
}

bool Discovery::traverses_cut(const mad::DirectedRoute& route) const {
  return traverses(route, cut_);
}

void Discovery::refresh_routes() {
  cut_.clear();
  builder_.refresh_routes();
}

void Discovery::reroute_around_cut_links() {
  builder_.reroute_around(cut_);
  cut_.clear();
}

/// Returns the route of a query about a known node; nullopt if it leads nowhere.
std::optional<mad::DirectedRoute> Discovery::route_of(const Query& query) const {
  const PortIndex port = builder_.port_index(query.node, query.port);
  if (query.kind != QueryKind::identity || query.port.value == 0)
    return builder_.draft().route_to(port);
  const PortIndex before = builder_.port(port).peer;
  if (before == kNoIndex) return std::nullopt;
  return builder_.node(builder_.port(before).node).route.extended(builder_.port(before).number);
}

/// True if requests to other nodes may pass the node.
bool Discovery::forwards(NodeIndex node) const {
  return node == own_node_ || (builder_.node(node).is_switch() && builder_.has_switch_info(node));
}

/// Follows a route to its first link that this survey has not read yet.
Discovery::Followed Discovery::follow(const mad::DirectedRoute& route) const {
  NodeIndex node = own_node_;
  for (const std::uint8_t hop : route.hops()) {
    if (!forwards(node) || !builder_.has_port(node, mad::PortNum{hop})) return {.leads_on = false};
    const PortIndex port = builder_.port_index(node, mad::PortNum{hop});
    const PortIndex peer = builder_.port(port).peer;
    if (peer == kNoIndex) return {.leads_on = false};
    if (!was_port_read(port)) return {.unread = port};
    node = builder_.port(peer).node;
  }
  return {};
}

/// Returns the port by which the route enters its last node; kNoIndex if it leads nowhere.
PortIndex Discovery::entry_of(const mad::DirectedRoute& route) const {
  NodeIndex node = own_node_;
  PortIndex entry = kNoIndex;
  for (const std::uint8_t hop : route.hops()) {
    if (!builder_.has_port(node, mad::PortNum{hop})) return kNoIndex;
    entry = builder_.port(builder_.port_index(node, mad::PortNum{hop})).peer;
    if (entry == kNoIndex) return kNoIndex;
    node = builder_.port(entry).node;
  }
  return entry;
}

/// Returns false if the query is not sent now: it waits until a link of its route was read, or the
/// route leads over a link that is gone, and no other route is known. So no request of a partial
/// survey is lost on a link that is down, however many links are: there may be a burst, of which
/// only some switches could report that they lost a link.
bool Discovery::admits(const mad::DirectedRoute& route, const Query& query) {
  if (known_ == nullptr) return true;
  const Followed followed = follow(route);
  if (!followed.leads_on) {  // perhaps a link is found again, behind which the same node is
    stranded_.push_back(query.pack());
    return false;
  }
  if (followed.unread == kNoIndex) return true;
  std::vector<std::uint64_t>& waiting = waiting_[followed.unread];
  waiting.push_back(query.pack());
  if (waiting.size() > 1) return false;
  const Port& link = builder_.port(followed.unread);
  questions_.push_front(
      Query{.kind = QueryKind::port_info, .port = link.number, .node = link.node}.pack());
  return false;
}

/// Sends what waited for this link, or looks for another route: the link was read.
void Discovery::link_was_read(PortIndex link) {
  if (waiting_.empty() || !was_port_read(link)) return;
  const auto waiting = waiting_.extract(link);
  if (waiting.empty()) return;
  for (const std::uint64_t query : waiting.mapped()) push(Query::unpack(query));
}

/// Handles links whose switch did not say whether they are up: it is queried by its other links.
/// What waited for the link waits until that has ended.
void Discovery::give_up_waiting() {
  for (auto& [link, queries] : std::exchange(waiting_, {})) {
    const NodeIndex node = builder_.port(link).node;
    if (was_port_read(link)) {
      for (const std::uint64_t query : queries) push(Query::unpack(query));
      continue;
    }
    if (link == builder_.draft().sm_port) {  // all routes begin there
      unread_.insert(builder_.node(node).guid);
      continue;
    }
    stranded_.insert(stranded_.end(), queries.begin(), queries.end());
    if (!was_read(node)) {
      missing_.push_back({node, builder_.node(node).route});
      continue;
    }
    builder_.disconnect(link);  // it answers about others
    unread_.insert(builder_.node(node).guid);
  }
}

/// Queries a switch that did not answer by the links that were not tried. Returns false if all of
/// them were.
bool Discovery::query_by_other_links(const Missing& missing) {
  std::set<PortIndex>& tried = tried_[missing.node];
  if (const PortIndex entry = entry_of(missing.route); entry != kNoIndex) tried.insert(entry);
  const Node& node = builder_.node(missing.node);
  if (const PortIndex entry = entry_of(node.route);
      node.route != missing.route && entry != kNoIndex && tried.insert(entry).second) {
    push({.kind = QueryKind::identity, .node = missing.node});
    return true;
  }
  bool found = false;
  for (PortIndex port = node.first_port; port <= node.first_port + node.num_ports; ++port) {
    const PortIndex peer = builder_.port(port).peer;
    if (peer == kNoIndex) continue;
    const NodeIndex neighbour = builder_.port(peer).node;
    if (neighbour == missing.node || !builder_.is_reachable(neighbour) || !forwards(neighbour) ||
        !tried.insert(port).second)
      continue;
    push({.kind = QueryKind::identity, .port = builder_.port(port).number, .node = missing.node});
    found = true;
  }
  return found;
}

/// Continues where switches did not answer: by other routes, which are known once all others are
/// read. A switch to which all routes were tried is most likely gone, and the survey does not wait
/// for it any longer.
void Discovery::query_missing_again() {
  give_up_waiting();
  refresh_routes();
  bool asks = !around_.empty();
  for (const auto& [changed, unread] : std::exchange(around_, {})) query_identity(changed);
  for (const Missing& missing : std::exchange(missing_, {})) {
    if (was_read(missing.node) || is_cut_off(missing.node)) continue;
    if (query_by_other_links(missing)) {
      asks = true;
      continue;
    }
    builder_.forget_switch_info(missing.node);  // what it said earlier does not hold any more
    note_silence(missing.node, mad::AttributeId::node_info, 0);
  }
  if (asks) return;
  refresh_routes();
  joined_at_retry_ = joined_.size();
  for (const std::uint64_t query : std::exchange(stranded_, {})) push(Query::unpack(query));
}

/// Keeps the link by which a switch has answered, after it did not by others: those are not used
/// until the next survey has read them.
void Discovery::found_by_other_link(NodeIndex node, PortIndex entry,
                                    const mad::DirectedRoute& route) {
  builder_.node(node).route = route;
  for (const PortIndex silent : silent_entries_[node]) {
    if (silent == entry || builder_.port(silent).peer == kNoIndex) continue;
    unread_.insert(builder_.node(node).guid);
    unread_.insert(builder_.node(builder_.port(builder_.port(silent).peer).node).guid);
    builder_.disconnect(silent);
  }
}

/// Handles a switch that did not say who it is, or what it has to report. Asks again by the same
/// route, since SMPs may be lost; then by others. A switch that rejects a request is there.
void Discovery::on_missing(const Query& query, const mad::SmpRequest& request,
                           const mad::SmpReply& reply) {
  const bool answers = reply.fault == mad::SmpFault::bad_status;
  if (answers && query.kind == QueryKind::look) return query_identity(query.node);
  if ((answers || reply.fault == mad::SmpFault::timeout) && query.round == 0) {
    Query again = query;
    ++again.round;
    return push(again);
  }
  missing_.push_back({query.node, request.route});
  const PortIndex entry = entry_of(request.route);
  if (query.port.value == 0 && entry != kNoIndex) silent_entries_[query.node].insert(entry);
}

/// Queries the switches that have reported a change since this survey began, so that a burst of
/// changes is one change. Returns false if no switch has.
bool Discovery::query_reported() {
  if (known_ == nullptr || !options_.reported) return false;
  const std::size_t before = reported_.size();
  for (const mad::Guid guid : options_.reported()) {
    const NodeIndex node = builder_.find(guid);
    if (node == kNoIndex || was_read(node)) continue;
    query_identity(node);
    reported_.push_back(guid);
  }
  return reported_.size() > before;
}

/// Asks switches whose traps may have been lost whether they have something to report: of these,
/// the LinearForwardingTables of the last subnet lead to this manager over a link that is gone.
/// Returns false if all of them were asked before.
bool Discovery::query_unheard() {
  if (!std::exchange(has_lost_links_, false) || known_ == nullptr ||
      options_.trusted_lfts == nullptr)
    return false;
  bool found = false;
  for (const NodeIndex node : unheard()) {
    if (was_read(node) || !builder_.is_reachable(node) || !looked_at_.insert(node).second) continue;
    push({.kind = QueryKind::look, .node = node});
    found = true;
  }
  return found;
}

/// Returns the switches of the earlier survey whose way to this manager is cut now. Each way is
/// followed once: cost and memory grow with the number of switches.
std::vector<NodeIndex> Discovery::unheard() const {
  const Fabric& known = *known_;
  const NodeIndex own = known.ports[known.sm_port].node;
  const mad::Lid lid =
      known.ports[known.nodes[own].is_switch() ? known.nodes[own].first_port : known.sm_port]
          .info.lid();
  enum class Way : std::uint8_t { open, leads_here, is_cut };
  IndexVector<SwitchIndex, Way> ways(known.switches.size(), Way::open);
  const auto next = [&](SwitchIndex sw) -> NodeIndex {
    const mad::PortNum out = options_.trusted_lfts->at(sw, lid);
    const NodeIndex node = known.switches[sw].node;
    if (out.value == 0 || !builder_.has_port(node, out)) return node == own ? own : kNoIndex;
    const PortIndex peer = builder_.port(builder_.port_index(node, out)).peer;
    return peer == kNoIndex ? kNoIndex : builder_.port(peer).node;
  };
  std::vector<SwitchIndex> passed;
  for (const SwitchIndex begin : ways.indices()) {
    passed.clear();
    Way end = Way::is_cut;  // also of a cycle
    for (SwitchIndex at = begin;;) {
      if (ways[at] != Way::open) {
        end = ways[at];
        break;
      }
      passed.push_back(at);
      ways[at] = Way::is_cut;
      const NodeIndex to = next(at);
      if (to == own) end = Way::leads_here;
      if (to == own || to == kNoIndex || to >= known.nodes.size() || !known.nodes[to].is_switch())
        break;
      at = known.nodes[to].switch_index;
    }
    for (const SwitchIndex sw : passed) ways[sw] = end;
  }
  std::vector<NodeIndex> nodes;
  for (const SwitchIndex sw : ways.indices())
    if (ways[sw] == Way::is_cut) nodes.push_back(known.switches[sw].node);
  return nodes;
}

/// Reads a switch that was not heard, if it has changed.
void Discovery::on_look(NodeIndex node, const mad::SwitchInfo& info) {
  if (info.port_state_change() ||
      linear_fdb_top(info) != linear_fdb_top(builder_.switch_info(node)))
    query_identity(node);
}

}  // namespace sm
