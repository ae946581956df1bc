#include "sm/sweep/devices/port_disabling.h"

#include <algorithm>

#include "mad/attributes/node_info.h"
#include "mad/format.h"
#include "sm/conditions/manager_conditions.h"
#include "sm/sweep/devices/link_settings.h"

namespace sm {

std::optional<PortIndex> port_to_disable(const Fabric& fabric, mad::Guid node,
                                         mad::PortNum number) {
  const auto found = fabric.node_of_guid.find(node);
  if (found == fabric.node_of_guid.end() || number.value == 0 ||
      number.value > fabric.nodes[found->second].num_ports)
    return std::nullopt;
  const PortIndex port = fabric.port(found->second, number);
  const PortIndex peer = fabric.ports[port].peer;
  if (peer == kNoIndex) return port;
  if (port == fabric.sm_port || peer == fabric.sm_port) return std::nullopt;
  const auto hops = [&](PortIndex end) {
    const auto route = fabric.route_to(end);
    return route ? route->hop_count() : mad::DirectedRoute::kHopsMax + 1;
  };
  return hops(peer) < hops(port) ? peer : port;
}

namespace {

/// Returns a Get(NodeInfo) of the node of this port.
mad::SmpRequest get_node_info(const Fabric& fabric, const mad::DirectedRoute& route,
                              PortIndex port) {
  return {.attribute = mad::AttributeId::node_info,
          .modifier = 0,
          .route = route,
          .port = fabric.m_key_port(port)};
}

}  // namespace

boost::asio::awaitable<Disabling> disable_port(mad::SmpClient& client, const Fabric& fabric,
                                               PortIndex port) {
  const Node& node = fabric.owning_node(port);
  const auto route = fabric.route_to(port);
  if (!route) co_return Disabling::not_answered;
  const mad::SmpRequest here = get_node_info(fabric, *route, port);
  const mad::SmpAnswer found = co_await client.ask(here);
  if (!found.ok()) co_return Disabling::not_answered;
  if (mad::NodeInfo(found.data).node_guid() != node.guid) co_return Disabling::elsewhere;
  const PortIndex peer = fabric.ports[port].peer;
  const auto beyond = node.is_switch() && peer != kNoIndex
                          ? route->extended(fabric.ports[port].number)
                          : std::nullopt;
  if (beyond) {
    const mad::SmpRequest behind = get_node_info(fabric, *beyond, peer);
    const mad::SmpAnswer answer = co_await client.ask(behind);
    if (answer.ok() && mad::NodeInfo(answer.data).node_guid() != fabric.owning_node(peer).guid)
      co_return Disabling::elsewhere;
  }
  mad::PortInfo info = fabric.ports[port].info;
  info.set_port_state(mad::PortState::down);
  info.set_port_physical_state(mad::PortPhysicalState::disabled);
  mad::SmpRequest request{.method = mad::Method::set,
                          .attribute = mad::AttributeId::port_info,
                          .modifier = port_info_set_modifier(fabric, port),
                          .route = *route,
                          .port = fabric.m_key_port(port)};
  std::ranges::copy(info.bytes(), request.data.begin());
  const mad::SmpAnswer answer = co_await client.ask(request);
  co_return answer.ok() ? Disabling::done : Disabling::not_accepted;
}

static PortIndex find_port(const Fabric& fabric, const PortPlace& place) {
  const auto node = fabric.node_of_guid.find(place.node);
  if (node == fabric.node_of_guid.end() || place.port.value > fabric.nodes[node->second].num_ports)
    return kNoIndex;
  return fabric.port(node->second, place.port);
}

void DisabledPorts::update_from(const Fabric& fabric) {
  std::erase_if(ports_, [&](const PortPlace& place) {
    const PortIndex port = find_port(fabric, place);
    return port == kNoIndex ||
           fabric.ports[port].info.port_physical_state() != mad::PortPhysicalState::disabled;
  });
}

std::vector<Condition> DisabledPorts::conditions(const Fabric& fabric) const {
  std::vector<Condition> found;
  for (const PortPlace& place : ports_) {
    const PortIndex port = find_port(fabric, place);
    if (port == kNoIndex) continue;
    found.push_back({.id = kManagerConditions.port_disabled,
                     .text = fmt::format("port with too many link errors: {}: it is disabled "
                                         "(babbling_port_policy)",
                                         fabric.port_name(port)),
                     .guid = place.node,
                     .port = place.port});
  }
  return found;
}

}  // namespace sm
