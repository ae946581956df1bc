#include "sm/sweep/apply/identities.h"

namespace sm {

Identities::Check Identities::check(const Write& write, mad::TimePoint now) const {
  if (!are_needed()) return {};
  const auto route = fabric_.route_to(write.port);
  if (!route) return {};
  const Port& port = fabric_.ports[write.port];
  if (changes_cable(write) &&
      (is_changing(port.node) || is_changing(fabric_.ports[port.peer].node)))
    if (const auto longer = route->extended(port.number)) return standing(port.peer, *longer, now);
  const auto hops = route->hops();
  NodeIndex node = fabric_.ports[fabric_.sm_port].node;
  PortIndex doubtful = kNoIndex;
  std::size_t count = 0;
  for (std::size_t hop = 0; hop < hops.size(); ++hop) {
    const PortIndex peer = fabric_.ports[fabric_.port(node, mad::PortNum{hops[hop]})].peer;
    if (peer == kNoIndex) return standing(end_of_route(write.port), *route, now);
    if (is_changing(node)) {
      doubtful = peer;
      count = hop + 1;
    }
    node = fabric_.ports[peer].node;
  }
  if (doubtful == kNoIndex) return {};
  return standing(doubtful, *mad::DirectedRoute::of(hops.first(count)), now);
}

Identities::Check Identities::standing(PortIndex port, const mad::DirectedRoute& route,
                                       mad::TimePoint now) const {
  Check check{Standing::open, port, route};
  const auto found = known_.find(port);
  if (found == known_.end()) return check;
  const Known& known = found->second;
  if (known.is_elsewhere) {
    check.standing = Standing::elsewhere;
  } else if (known.is_asked) {
    check.standing = Standing::asked;
  } else if (known.since && now - *known.since < kHold && known.route == route) {
    check.standing = Standing::known;
  }
  return check;
}

mad::SmpRequest Identities::ask(const Check& check) {
  Known& known = known_[check.port];
  known.is_asked = true;
  known.route = check.route;
  mad::SmpRequest request;
  request.attribute = mad::AttributeId::node_info;
  request.route = check.route;
  request.node = fabric_.owning_node(check.port).guid;
  request.port = fabric_.m_key_port(check.port);
  return request;
}

void Identities::answered(PortIndex port, const mad::NodeInfo& found, mad::TimePoint now) {
  Known& known = known_[port];
  known.is_asked = false;
  const mad::PortNum number = fabric_.ports[port].number;
  known.is_elsewhere = found.node_guid() != fabric_.owning_node(port).guid ||
                       (number != mad::PortNum{0} && found.local_port_num() != number);
  known.since.reset();
  if (!known.is_elsewhere) known.since = now;
}

void Identities::unanswered(PortIndex port) { known_.erase(port); }

bool Identities::changes_cable(const Write& write) const {
  const PortIndex peer = fabric_.ports[write.port].peer;
  return write.attribute == mad::AttributeId::port_info &&
         fabric_.owning_node(write.port).is_switch() && peer != kNoIndex &&
         peer != fabric_.sm_port;  // all requests go over its cable
}

}  // namespace sm
