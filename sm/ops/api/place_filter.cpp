#include "sm/ops/api/place_filter.h"

#include <algorithm>

#include "fabric/find_port.h"
#include "mad/format.h"

namespace sm::api {

tl::expected<PlaceFilter, web::Response> find_place(const Reading& reading, std::string_view text) {
  if (reading.subnet() == nullptr)
    return tl::unexpected(
        not_found(fmt::format("node {}", text), "try again after the first sweep"));
  const Subnet& subnet = *reading.subnet();
  const auto found = find_node(subnet.fabric, subnet.lids, text);
  if (!found)
    return tl::unexpected(web::problem(
        404, found.error(),
        "a GUID, a LID, a NodeDescription or its first word, or one of these with :PORT; "
        "/v1/nodes lists them"));
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

bool names_place(const Condition& condition, const Fabric& fabric, const PlaceFilter& place) {
  if (condition.guid == mad::Guid{}) return false;
  const auto ports = fabric.node_ports(place.node);
  const bool is_node = condition.guid == fabric.nodes[place.node].guid;
  const auto end = std::ranges::find(ports, condition.guid, &Port::guid);
  if (!is_node && end == ports.end()) return false;
  if (!place.number) return true;
  if (condition.port) return *condition.port == *place.number;
  return !is_node && end->number == *place.number;
}

}  // namespace sm::api
