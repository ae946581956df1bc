// /v1/adaptive-routing, adaptive-routing/{node}/groups

#include <algorithm>
#include <nlohmann/json.hpp>

#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/place_filter.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

web::Response list_adaptive_switches(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto state = parameters.one_of("state", kAdaptiveStates);
  const NameFilter name(parameters.text("name"));
  const auto guid = parameters.guid("guid");
  const auto node = parameters.text("node");
  if (parameters.fault()) return *parameters.fault();
  const auto place = find_place(*reading, node);
  if (!place) return place.error();
  const Snapshot& snapshot = *reading->snapshot;
  if (!snapshot.subnet || !snapshot.subnet->adaptive)
    return list(reading, "switches", no_rows(), page.limit);
  const auto row = [&snapshot, name, state, guid,
                    place = *place](std::size_t i) -> std::optional<nlohmann::json> {
    const NodeIndex index = snapshot.nodes_by_guid[i];
    const Fabric& fabric = snapshot.subnet->fabric;
    const Node& of = fabric.nodes[index];
    if (!of.is_switch() || (guid && of.guid != *guid) || (place && place->node != index) ||
        (name.is_set() && !name.passes(fabric.description(index))))
      return std::nullopt;
    const AdaptiveState is = adaptive_switch(*snapshot.subnet, of.switch_index).state;
    if (state && is != static_cast<AdaptiveState>(*state)) return std::nullopt;
    return adaptive_switch_row(*snapshot.subnet, of.switch_index);
  };
  const auto key = [&snapshot](std::size_t i) {
    return fmt::format("{:016x}",
                       snapshot.subnet->fabric.nodes[snapshot.nodes_by_guid[i]].guid.value);
  };
  return list_by_key(reading, "switches", page, snapshot.nodes_by_guid.size(), 16, key, row);
}

/// Returns the switch that the request's path names. Errors: the response.
tl::expected<SwitchIndex, web::Response> switch_in_path(const Reading& reading) {
  const std::string_view text = reading.request.parameter("node").substr(0, 100);
  const auto place = find_place(reading, text);
  if (!place) return tl::unexpected(place.error());
  const Node& node = reading.subnet()->fabric.nodes[place->node];
  if (node.is_switch() && !place->number) return node.switch_index;
  return tl::unexpected(web::problem(404, fmt::format("{} is not a switch", text),
                                     "a switch that /v1/adaptive-routing lists"));
}

/// A group in the order of the list: by its number, then by its destination switch.
struct ListedGroup {
  GroupId group = 0;
  mad::Guid guid;
  SwitchIndex to = kNoIndex;
  auto operator<=>(const ListedGroup&) const = default;
};

std::vector<ListedGroup> groups_in_order(const Subnet& subnet, SwitchIndex sw) {
  std::vector<ListedGroup> listed;
  if (!subnet.adaptive) return listed;
  const AdaptiveGroups& groups = *subnet.adaptive->groups;
  for (const SwitchIndex to : groups.group_to.indices()) {
    const GroupId group = groups.group_to[to];
    if (group != 0 && groups.ports(sw, group).any())
      listed.push_back({group, subnet.fabric.nodes[subnet.fabric.switches[to].node].guid, to});
  }
  std::ranges::sort(listed);
  return listed;
}

web::Response list_adaptive_groups(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto to = parameters.text("to");
  if (parameters.fault()) return *parameters.fault();
  const auto sw = switch_in_path(*reading);
  if (!sw) return sw.error();
  const auto place = find_place(*reading, to);
  if (!place) return place.error();
  const Subnet& subnet = *reading->subnet();
  const auto shared =
      std::make_shared<const std::vector<ListedGroup>>(groups_in_order(subnet, *sw));
  const auto row = [shared, &subnet, sw = *sw,
                    place = *place](std::size_t i) -> std::optional<nlohmann::json> {
    const SwitchIndex to_switch = (*shared)[i].to;
    if (place && subnet.fabric.switches[to_switch].node != place->node) return std::nullopt;
    return adaptive_group_row(subnet, sw, to_switch);
  };
  const auto key = [shared](std::size_t i) {
    return fmt::format("{:04x}{:016x}", (*shared)[i].group, (*shared)[i].guid.value);
  };
  return list_by_key(reading, "groups", page, shared->size(), 20, key, row);
}

}  // namespace

void add_adaptive(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/adaptive-routing", "listAdaptiveSwitches",
          "Switches with the state of their adaptive routing, by NodeGUID; none unless a routing "
          "engine asks for it",
          "AdaptiveSwitchList", filter_parameters(kAdaptiveFilters)),
      reading_snapshot(core, list_adaptive_switches));
  std::vector<web::Route::Parameter> parameters = filter_parameters(kAdaptiveGroupFilters);
  parameters.insert(parameters.begin(),
                    in_path("node", R"({"type":"string","minLength":1,"maxLength":100})",
                            "A GUID, a LID, a description or its first word"));
  add(to,
      get("/v1/adaptive-routing/{node}/groups", "listAdaptiveGroups",
          "Groups of ports of one switch, by group", "AdaptiveGroupList", std::move(parameters)),
      reading_snapshot(core, list_adaptive_groups));
  add_schemas(to, adaptive_switch_info(), "switches");
  add_schemas(to, adaptive_group_info(), "groups");
}

}  // namespace sm::api
