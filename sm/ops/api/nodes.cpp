// /v1/nodes, /v1/ports

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "fabric/find_port.h"
#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/place_filter.h"
#include "sm/ops/api/port_walk.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"

namespace sm::api {

namespace {

constexpr FieldInfo kConditions{"conditions", "Condition[]", "that are active and name it"},
    kOccurrences{"occurrences", "Occurrence[]", "that name it"};

/// Fields of the answer about one node, besides its row.
constexpr std::array<FieldInfo, 5> kOfOneNode{{
    {"physical_ports", "Port[]", "all of its ports, also port 0"},
    {"switch_info",
     R"({"type":"object","properties":{"linear_fdb_cap":{"type":"integer"},
"linear_fdb_top":{"type":"integer"},"multicast_fdb_cap":{"type":"integer"},
"enhanced_port0":{"type":"boolean"}}})",
     "of a switch", true},
    {"adaptive_routing", "AdaptiveSwitch", "of a switch, if a routing engine asks for it", true},
    kConditions,
    kOccurrences,
}};

constexpr std::array<FieldInfo, 6> kOfOnePort{{
    {"vport", "VPort", "if the GUID is that of a vport", true},
    {"p_keys", value::kTexts, "of an end port or vport"},
    {"counters",
     R"({"type":["object","null"],
"required":["reading","age_s","resets","totals","per_second","saturated"],"properties":{
"reading":{"enum":["none","read","down","refused","silent"]},
"age_s":{"type":["integer","null"],"description":"Seconds since they were read; null: never"},
"resets":{"type":"integer","description":"How often they were found lower than before"},
"totals":{"type":"object","additionalProperties":{"type":"integer"},
"description":"By the specification's names; PortXmitData and PortRcvData in units of 4 bytes"},
"per_second":{"type":"object","additionalProperties":{"type":"number"}},
"saturated":{"type":"array","items":{"type":"string"}}}})",
     "of the performance manager, null: not polled"},
    {"counters_reason", value::kText, "why there are no counters", true},
    kConditions,
    kOccurrences,
}};

struct NodeFilters {
  explicit NodeFilters(Parameters& parameters)
      : type(parameters.one_of("type", value::kNodeType)),
        name(parameters.text("name")),
        guid(parameters.guid("guid")),
        node(parameters.text("node")) {}

  /// Errors: the response.
  tl::expected<void, web::Response> resolve(const Reading& reading) {
    auto found = find_place(reading, node);
    if (!found) return tl::unexpected(std::move(found.error()));
    place = *found;
    return {};
  }
  bool passes(const Fabric& fabric, NodeIndex index) const {
    return (!place || place->node == index) &&
           (!type || mad::name(fabric.nodes[index].type) == choice(value::kNodeType, *type)) &&
           (!name.is_set() || name.passes(fabric.description(index)));
  }

  std::optional<std::size_t> type;
  NameFilter name;
  std::optional<mad::Guid> guid;
  std::optional<std::string_view> node;
  std::optional<PlaceFilter> place;  // what `node` names
};

web::Response list_nodes(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  NodeFilters filters(parameters);
  if (parameters.fault()) return *parameters.fault();
  if (auto resolved = filters.resolve(*reading); !resolved) return std::move(resolved.error());
  const Snapshot& snapshot = *reading->snapshot;
  const auto row = [&snapshot, filters](std::size_t i) -> std::optional<nlohmann::json> {
    const NodeIndex node = snapshot.nodes_by_guid[i];
    const Fabric& fabric = snapshot.subnet->fabric;
    if (filters.guid && fabric.nodes[node].guid != *filters.guid) return std::nullopt;
    if (!filters.passes(fabric, node)) return std::nullopt;
    return node_row(*snapshot.subnet, node);
  };
  const auto key = [&snapshot](std::size_t i) {
    return fmt::format("{:016x}",
                       snapshot.subnet->fabric.nodes[snapshot.nodes_by_guid[i]].guid.value);
  };
  return list_by_key(reading, "nodes", page, snapshot.nodes_by_guid.size(), 16, key, row);
}

/// Adds conditions and occurrences that name the node or its end ports, or only one port.
void add_what_names(const ManagerStatus& status, const Fabric& fabric, const PlaceFilter& place,
                    nlohmann::json& body) {
  nlohmann::json& conditions = body["conditions"] = nlohmann::json::array();
  for (const ConditionLog::Raised& raised : status.conditions)
    if (names_place(raised.condition, fabric, status.lost, place))
      conditions.push_back(condition_row(raised, status.now));
  nlohmann::json& occurrences = body["occurrences"] = nlohmann::json::array();
  for (const ConditionLog::Occurred& occurred : status.occurrences)
    if (names_place(occurred.condition, fabric, status.lost, place))
      occurrences.push_back(occurrence_row(occurred, status.now, status.wall));
}

/// Returns the node that the request's path names. Errors: the response.
tl::expected<NodeIndex, web::Response> node_in_path(const Reading& reading) {
  const std::string_view text = reading.request.parameter("node").substr(0, 100);
  if (reading.subnet() == nullptr)
    return tl::unexpected(
        not_found(fmt::format("node {}", text), "try again after the first sweep"));
  const Subnet& subnet = *reading.subnet();
  const auto found = find_node(subnet.fabric, subnet.lids, text);
  if (found && !found->number) return found->node;
  if (!found)
    if (auto lost = lost_problem(reading, text)) return tl::unexpected(std::move(*lost));
  return tl::unexpected(
      web::problem(404, found ? fmt::format("{} is a port", text) : found.error(),
                   "a NodeGUID, a LID, a NodeDescription or its first word: /v1/nodes lists them"));
}

web::Response node_detail(const SharedReading& reading) {
  const auto found = node_in_path(*reading);
  if (!found) return found.error();
  const Subnet& subnet = *reading->subnet();
  const Node& node = subnet.fabric.nodes[*found];
  nlohmann::json body = envelope(*reading->snapshot);
  body.update(node_row(subnet, *found));
  nlohmann::json& ports = body["physical_ports"] = nlohmann::json::array();
  for (std::uint32_t i = 0; i < subnet.fabric.node_ports(*found).size(); ++i)
    ports.push_back(port_row(subnet, node.first_port + i));
  if (node.is_switch()) {
    const mad::SwitchInfo& info = subnet.fabric.switches[node.switch_index].info;
    body["switch_info"] = {{"linear_fdb_cap", info.linear_fdb_cap()},
                           {"linear_fdb_top", info.linear_fdb_top()},
                           {"multicast_fdb_cap", info.multicast_fdb_cap()},
                           {"enhanced_port0", info.enhanced_port_0()}};
    if (subnet.adaptive) body["adaptive_routing"] = adaptive_switch_row(subnet, node.switch_index);
  }
  add_what_names(reading->view->status, subnet.fabric, {.node = *found}, body);
  return answer(*reading, body, false);
}

struct PortRows : RowSource {
  PortRows(const Snapshot& of, const std::optional<PortPlace>& after, NodeFilters with,
           std::optional<std::size_t> in_state, std::optional<bool> is_linked)
      : snapshot(of),
        walk(of, after),
        filters(std::move(with)),
        state(in_state),
        linked(is_linked) {}

  bool passes(const Fabric& fabric, PortIndex index) const {
    const Port& port = fabric.ports[index];
    const mad::PortState wanted{static_cast<std::uint8_t>(state.value_or(0) + 1)};
    return (!filters.place || filters.place->passes(port)) &&
           (!state || (port.known && port.info.port_state() == wanted)) &&
           (!linked || (port.number.value != 0 && *linked == (port.peer != kNoIndex))) &&
           (!filters.guid || port.guid == *filters.guid ||
            fabric.nodes[port.node].guid == *filters.guid) &&
           filters.passes(fabric, port.node);
  }
  std::optional<nlohmann::json> next() override {
    for (PortIndex port = walk.next(); port != kNoIndex; port = walk.next()) {
      if (passes(snapshot.subnet->fabric, port)) return port_row(*snapshot.subnet, port);
    }
    return std::nullopt;
  }
  std::string place() const override { return text(walk.place()); }

  const Snapshot& snapshot;
  PortWalk walk;
  NodeFilters filters;
  std::optional<std::size_t> state;
  std::optional<bool> linked;
};

web::Response list_ports(const SharedReading& reading) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  NodeFilters filters(parameters);
  const auto state = parameters.one_of("state", value::kPortState);
  const auto linked = parameters.boolean("linked");
  if (parameters.fault()) return *parameters.fault();
  std::optional<PortPlace> after;
  if (page.cursor && !(after = read_port_place(*page.cursor))) return bad_cursor(*page.cursor);
  if (auto resolved = filters.resolve(*reading); !resolved) return std::move(resolved.error());
  if (reading->subnet() == nullptr) return list(reading, "ports", no_rows(), page.limit);
  return list(
      reading, "ports",
      std::make_unique<PortRows>(*reading->snapshot, after, std::move(filters), state, linked),
      page.limit);
}

/// Returns the counters of the performance manager's latest poll; null if it has not read them.
nlohmann::json counters_row(const View& view, const Fabric& fabric, PortIndex index) {
  const SharedPortCounters& table = view.status.counters;
  const PortCounters* const port =
      table == nullptr ? nullptr
                       : table->find(fabric.owning_node(index).guid, fabric.ports[index].number);
  if (port == nullptr || port->reading == PortReading::none) return nullptr;
  nlohmann::json row;
  row["reading"] = name(port->reading);
  row["age_s"] = nullptr;
  if (port->read_at != mad::TimePoint{})
    row["age_s"] =
        std::chrono::duration_cast<std::chrono::seconds>(view.status.now - port->read_at).count();
  row["resets"] = port->resets;
  nlohmann::json& totals = row["totals"] = nlohmann::json::object();
  nlohmann::json& per_second = row["per_second"] = nlohmann::json::object();
  nlohmann::json& saturated = row["saturated"] = nlohmann::json::array();
  for (std::size_t i = 0; i < kCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (!port->has(counter)) continue;
    const std::string key(name(counter));
    totals[key] = port->total(counter);
    if (port->interval != mad::Duration{}) per_second[key] = port->rate(counter);
    if (port->is_saturated(counter)) saturated.push_back(key);
  }
  return row;
}

/// Returns why there are no counters of this port.
std::string counters_reason(const View& view, const Node& node, mad::PortNum port) {
  if (view.context && !view.context->options.perfmgr) return "perfmgr is FALSE";
  if (!view.status.counters) return "the first poll has not ended";
  if (node.is_switch() && port.value == 0) return "port 0 of a switch has none";
  if (node.type == mad::NodeType::ca && view.context && view.context->options.perfmgr_ignore_cas)
    return "perfmgr_ignore_cas is TRUE";
  return "no poll has read this port";
}

web::Response port_detail(const SharedReading& reading, PortIndex port, VPortIndex vport) {
  const Subnet& subnet = *reading->subnet();
  nlohmann::json body = envelope(*reading->snapshot);
  body.update(port_row(subnet, port));
  nlohmann::json& keys = body["p_keys"] = nlohmann::json::array();
  const bool is_end_port = subnet.end_port_index[port] != kNoIndex;
  if (vport != kNoIndex) body["vport"] = vport_row(*subnet.vports, vport);
  if (is_end_port) {
    for (const mad::PKey key : subnet.find_p_keys(EndPoint{port, vport}))
      keys.push_back(fmt::format("{}", key));
  }
  body["counters"] = counters_row(*reading->view, subnet.fabric, port);
  if (body["counters"].is_null())
    body["counters_reason"] = counters_reason(*reading->view, subnet.fabric.owning_node(port),
                                              subnet.fabric.ports[port].number);
  add_what_names(
      reading->view->status, subnet.fabric,
      {.node = subnet.fabric.ports[port].node, .number = subnet.fabric.ports[port].number}, body);
  return answer(*reading, body, false);
}

web::Response port_by_guid(const SharedReading& reading) {
  const std::string_view text = reading->request.parameter("guid");
  const auto guid = read_guid(text);
  if (!guid)
    return web::problem(400, fmt::format("'{}' is no PortGUID", text.substr(0, 100)),
                        "a GUID such as 0x0002c90300000001");
  const EndPoint end = reading->subnet() == nullptr ? EndPoint{} : reading->subnet()->find(*guid);
  if (end.port == kNoIndex)
    return not_found(fmt::format("port {}", *guid),
                     "a port_guid that /v1/ports or /v1/vports lists; switches have one at port 0, "
                     "others are /v1/nodes/{node}/ports/{port}");
  return port_detail(reading, end.port, end.vport);
}

web::Response port_of_node(const SharedReading& reading) {
  const auto node = node_in_path(*reading);
  if (!node) return node.error();
  const Fabric& fabric = reading->subnet()->fabric;
  const std::string_view text = reading->request.parameter("port");
  const auto number = read_number(text, 254);
  const auto ports = fabric.node_ports(*node);
  const auto port = std::ranges::find_if(
      ports, [&](const Port& of) { return number && of.number.value == *number; });
  if (port == ports.end())
    return not_found(fmt::format("port {} of {}", text.substr(0, 100), fabric.name(*node)),
                     fmt::format("{}..{}", ports.front().number, ports.back().number));
  return port_detail(
      reading, fabric.nodes[*node].first_port + static_cast<std::uint32_t>(port - ports.begin()),
      kNoIndex);
}

}  // namespace

void add_nodes(web::Resources& to, const SharedCore& core) {
  const auto node_schema = R"({"type":"string","minLength":1,"maxLength":100})";
  constexpr const char* kNodeNames =
      "NodeGUID, GUID of one of its ports, LID, NodeDescription or its first word";
  add(to,
      get("/v1/nodes", "listNodes", "Nodes, by NodeGUID", "NodeList",
          filter_parameters(kNodeFilters)),
      reading_snapshot(core, list_nodes));
  add(to,
      get("/v1/nodes/{node}", "getNode", "A node with its ports", "NodeDetail",
          {in_path("node", node_schema, kNodeNames)}),
      reading(core, node_detail));
  add(to,
      get("/v1/nodes/{node}/ports/{port}", "getPortOfNode", "A port by its node and number",
          "PortDetail",
          {in_path("node", node_schema, kNodeNames),
           in_path("port", R"({"type":"integer","minimum":0,"maximum":254})", "Port number")}),
      reading(core, port_of_node));
  add(to,
      get("/v1/ports", "listPorts", "Ports, by NodeGUID and number", "PortList",
          filter_parameters(kPortFilters)),
      reading_snapshot(core, list_ports));
  add(to,
      get("/v1/ports/{guid}", "getPort", "An end port, or a vport, by its PortGUID", "PortDetail",
          {in_path("guid", value::kGuid, "PortGUID")}),
      reading(core, port_by_guid));
  to.schemas.emplace_back("EndPort", object_schema(end_port_info().fields));
  add_schemas(to, node_info(), "nodes");
  add_schemas(to, port_info(), "ports");
  to.schemas.emplace_back("NodeDetail", answer_schema(node_info(), kOfOneNode));
  to.schemas.emplace_back("PortDetail", answer_schema(port_info(), kOfOnePort));
}

}  // namespace sm::api
