#include "sm/ops/api/place_filter.h"

#include <algorithm>

#include "fabric/find_port.h"
#include "mad/format.h"
#include "sm/ops/rows.h"

namespace sm::api {

tl::expected<PlaceFilter, web::Response> find_place(const Reading& reading, std::string_view text) {
  if (reading.subnet() == nullptr)
    return tl::unexpected(
        not_found(fmt::format("node {}", text), "try again after the first sweep"));
  const Subnet& subnet = *reading.subnet();
  const auto found = find_node(subnet.fabric, subnet.lids, text);
  if (!found) {
    if (auto lost = lost_problem(reading, text)) return tl::unexpected(std::move(*lost));
    return tl::unexpected(web::problem(
        404, found.error(),
        "a GUID, a LID, a NodeDescription or its first word, or one of these with :PORT; "
        "/v1/nodes lists them"));
  }
  PlaceFilter place{.node = found->node};
  if (!found->number) return place;
  place.number = mad::PortNum{static_cast<std::uint8_t>(*found->number)};
  const auto ports = subnet.fabric.node_ports(found->node);
  if (std::ranges::find(ports, *place.number, &Port::number) == ports.end())
    return tl::unexpected(
        not_found(fmt::format("port {} of {}", *place.number, subnet.fabric.name(found->node)),
                  fmt::format("{}..{}", ports.front().number, ports.back().number)));
  return place;
}

tl::expected<std::optional<PlaceFilter>, web::Response> find_place(
    const Reading& reading, const std::optional<std::string_view>& text) {
  if (!text) return std::nullopt;
  auto place = find_place(reading, *text);
  if (!place) return tl::unexpected(std::move(place.error()));
  return *place;
}

bool names_lost(const LostThing& lost, std::string_view text) {
  const bool is_called =
      lost.is_called(text) && (!lost.port || text.rfind(':') != std::string_view::npos);
  return is_called || lost.has_port_called(text);
}

std::optional<web::Response> lost_problem(const Reading& reading, std::string_view text) {
  const ManagerStatus& status = reading.view->status;
  if (!status.lost) return std::nullopt;
  const auto lost = std::ranges::find_if(
      *status.lost, [&](const LostThing& thing) { return names_lost(thing, text); });
  if (lost == status.lost->end()) return std::nullopt;
  const auto ago = std::chrono::floor<std::chrono::seconds>(status.now - lost->since);
  return web::problem(
      404,
      fmt::format("{} has been lost for {}{}", lost->title(), elapsed_text(ago.count()),
                  lost->place_text()),
      fmt::format("what is there: /v1/nodes; /v1/lost lists what was lost, and `heddlectl "
                  "conditions --node {}` why",
                  lost->node));
}

namespace {

/// Names a node by its NodeGUID or the GUID of an end port, and one of its ports.
struct Named {
  mad::Guid guid;
  std::optional<mad::PortNum> port;
};

/// A condition of a node without a number of a port is one of all ports of a CA or router, and of
/// port 0 of a switch.
bool covers(const Fabric& fabric, const PlaceFilter& place, const Named& named) {
  const Node& node = fabric.nodes[place.node];
  const auto ports = fabric.node_ports(place.node);
  const bool is_node = named.guid == node.guid;
  const auto end = std::ranges::find(ports, named.guid, &Port::guid);
  if (!is_node && end == ports.end()) return false;
  if (!place.number) return true;
  if (named.port) return *named.port == *place.number;
  if (is_node) return !node.is_switch() || place.number->value == 0;
  return end->number == *place.number;
}

/// Returns the port that the condition names by its number, or by the GUID of a CA's or router's
/// port.
PortIndex find_subject_port(const Condition& condition, const Fabric& fabric) {
  const auto port = fabric.port_of_guid.find(condition.guid);
  const auto node = fabric.node_of_guid.find(condition.guid);
  if (port == fabric.port_of_guid.end() && node == fabric.node_of_guid.end()) return kNoIndex;
  const NodeIndex of =
      port != fabric.port_of_guid.end() ? fabric.ports[port->second].node : NodeIndex(node->second);
  if (condition.port) {
    const bool exists = *condition.port <= mad::PortNum{fabric.nodes[of].num_ports} &&
                        condition.port->value >= fabric.node_ports(of).front().number.value;
    return exists ? fabric.port(of, *condition.port) : kNoIndex;
  }
  return port != fabric.port_of_guid.end() && !fabric.nodes[of].is_switch() ? port->second
                                                                            : PortIndex(kNoIndex);
}

/// Returns the other end of the link that the condition is about; nullopt if it is not known.
std::optional<Named> other_end(const Condition& condition, const Fabric& fabric,
                               const LinkSupervision::SharedLost& lost) {
  const PortIndex port = find_subject_port(condition, fabric);
  if (port != kNoIndex && fabric.ports[port].peer != kNoIndex) {
    const PortIndex peer = fabric.ports[port].peer;
    return Named{fabric.owning_node(peer).guid, fabric.ports[peer].number};
  }
  if (!lost) return std::nullopt;
  for (const LostThing& thing : *lost) {
    if (thing.node == condition.guid && thing.port == condition.port)
      return Named{thing.peer_node, thing.peer_port};
    if (condition.port && thing.peer_node == condition.guid && thing.peer_port == condition.port)
      return Named{thing.node, thing.port};
  }
  return std::nullopt;
}

}  // namespace

bool names_place(const Condition& condition, const Fabric& fabric,
                 const LinkSupervision::SharedLost& lost, const PlaceFilter& place) {
  if (condition.guid == mad::Guid{}) return false;
  if (covers(fabric, place, {condition.guid, condition.port})) return true;
  if (!condition.id->has(ConditionKind::is_of_link)) return false;
  const auto other = other_end(condition, fabric, lost);
  return other && other->guid != mad::Guid{} && covers(fabric, place, *other);
}

}  // namespace sm::api
