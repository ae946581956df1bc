#include "sm/sweep/apply/identities.h"

namespace sm {

Identities::Standing Identities::standing(const Write& write, mad::TimePoint now) const {
  if (!is_unconfirmed(write)) return Standing::known;
  const auto found = known_.find(expected(write));
  if (found == known_.end()) return Standing::open;
  const Known& known = found->second;
  if (known.is_elsewhere) return Standing::elsewhere;
  if (known.is_asked) return Standing::asked;
  return known.since && now - *known.since < kHold ? Standing::known : Standing::open;
}

std::optional<mad::SmpRequest> Identities::ask(const Write& write) {
  auto route = fabric_.route_to(write.port);
  if (route && changes_cable(write)) route = route->extended(fabric_.ports[write.port].number);
  if (!route) return std::nullopt;
  const PortIndex port = expected(write);
  known_[port].is_asked = true;
  mad::SmpRequest request;
  request.attribute = mad::AttributeId::node_info;
  request.route = *route;
  request.node = fabric_.owning_node(port).guid;
  request.port = fabric_.m_key_port(port);
  return request;
}

bool Identities::answered(const Write& write, const std::optional<mad::NodeInfo>& found,
                          mad::TimePoint now) {
  const PortIndex port = expected(write);
  Known& known = known_[port];
  known.is_asked = false;
  known.since.reset();
  if (!found) return true;
  // By its route a switch may be entered at any of its ports.
  const bool at_any_port = fabric_.owning_node(port).is_switch() && !changes_cable(write);
  known.is_elsewhere = found->node_guid() != fabric_.owning_node(port).guid ||
                       (!at_any_port && found->local_port_num() != fabric_.ports[port].number);
  if (!known.is_elsewhere) known.since = now;
  return !known.is_elsewhere;
}

bool Identities::changes_cable(const Write& write) const {
  const PortIndex peer = fabric_.ports[write.port].peer;
  return write.attribute == mad::AttributeId::port_info &&
         fabric_.owning_node(write.port).is_switch() && peer != kNoIndex &&
         peer != fabric_.sm_port;  // all requests go over its cable
}

bool Identities::is_unconfirmed(const Write& write) const {
  if (!are_needed()) return false;
  const Port& port = fabric_.ports[write.port];
  if (changes_cable(write) &&
      (is_changing(port.node) || is_changing(fabric_.ports[port.peer].node)))
    return true;
  const auto route = fabric_.route_to(write.port);
  NodeIndex node = fabric_.ports[fabric_.sm_port].node;
  for (const std::uint8_t out : route ? route->hops() : std::span<const std::uint8_t>()) {
    if (is_changing(node)) return true;
    const PortIndex peer = fabric_.ports[fabric_.port(node, mad::PortNum{out})].peer;
    if (peer == kNoIndex) return true;
    node = fabric_.ports[peer].node;
  }
  return false;
}

}  // namespace sm
