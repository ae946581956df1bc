// /v1/routing, /v1/routing/loads, /v1/routing/path

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fabric/find_port.h"
#include "mad/format.h"
#include "sm/ops/api/list.h"
#include "sm/ops/api/place_filter.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/api/routing_rows.h"
#include "sm/ops/api/topology_json.h"
#include "sm/ops/rows.h"
#include "sm/sa/paths/gateways.h"
#include "sm/sa/registrations/ports.h"
#include "sm/sa/registrations/registrations.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kAdaptiveSchema = R"({"type":["object","null"],"properties":{
"switches":{"type":"integer"},
"states":{"type":"object","description":"How many switches, by state"},
"not_active":{"type":"array","description":"The first switches that are not active",
"items":{"$ref":"#/components/schemas/AdaptiveSwitch"}},
"groups":{"type":"integer","description":"Switches that packets are sent to by groups"},
"sls":{"type":"array","items":{"type":"integer"},"description":"SLs that are adaptive"},
"static_sls":{"type":"array","items":{"type":"integer"},
"description":"SLs whose packets stay in order"},
"transports":{"type":"array","items":{"enum":["UD","RC","UC","DC"]}},
"environment":{"type":["object","null"],"additionalProperties":{"type":"string"},
"description":"Variables of applications that are to use an adaptive SL"}}})";

const std::vector<FieldInfo> kRoutingFields{
    {"engine", value::kTextOrNull, "null: there are no tables yet"},
    {"configured", value::kTexts, "engines, in the order in which they are tried", true},
    {"vls", value::kInteger, "data VLs that unicast uses", true},
    {"lid_top", value::kInteger, {}, true},
    {"forwarding_blocks", value::kInteger, "of each switch", true},
    {"roots", "Guid[]", {}, true},
    {"adaptive_routing", kAdaptiveSchema,
     "what is in effect; null: no engine of the configuration asks for adaptive routing"},
    {"quality", "RoutingQuality?"}};

const std::vector<FieldInfo> kPathFields{{"from", "PathEnd"},
                                         {"to", "PathEnd"},
                                         {"forward", "PathTrace"},
                                         {"reverse", "PathTrace"},
                                         {"beyond", value::kObject,
                                          "of a GID of another subnet: gid, subnet_prefix, and "
                                          "node_guid and port_guid of the router that `to` is",
                                          true}};

asio::awaitable<web::Response> routing_detail(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  const Subnet* const subnet = reading->subnet();
  nlohmann::json body = envelope(*reading->snapshot);
  body["engine"] = nullptr;
  body["quality"] = nullptr;
  body["adaptive_routing"] = subnet == nullptr ? nlohmann::json() : adaptive_summary(*subnet);
  if (reading->view->context) body["configured"] = reading->view->context->options.routing_engine;
  if (subnet != nullptr && subnet->lfts) {
    body["lid_top"] = subnet->lids.lid_top.value;
    body["forwarding_blocks"] = subnet->lfts->blocks();
  }
  if (subnet != nullptr && subnet->routing) {
    body["engine"] = subnet->routing->engine;
    body["vls"] = subnet->routing->vls;
    nlohmann::json& roots = body["roots"] = nlohmann::json::array();
    for (const mad::Guid root : subnet->routing->roots) roots.push_back(fmt::format("{}", root));
    const auto quality = co_await core->qualities.get(core->worker, reading->snapshot);
    if (*quality) body["quality"] = quality_row(**quality, *subnet->routing);
  }
  co_return answer(*reading, body, false);
}

/// Lists links between switches, in the order of their busiest direction.
web::Response load_page(const SharedReading& reading,
                        const std::shared_ptr<const std::optional<RoutingQuality>>& quality) {
  Parameters parameters(reading->request);
  const Page page = make_page(parameters);
  const auto text = parameters.text("node");
  if (parameters.fault()) return *parameters.fault();
  const auto place = find_place(*reading, text);
  if (!place) return place.error();
  if (reading->subnet() == nullptr || !*quality) return list(reading, "loads", no_rows(), 1);
  const Fabric& fabric = reading->subnet()->fabric;
  std::vector<std::pair<std::int64_t, PortIndex>> links;
  for (const PortIndex a : links_in_order(fabric)) {
    const Port &one = fabric.ports[a], &other = fabric.ports[one.peer];
    const std::int64_t ab = (*quality)->by_port[a.value], ba = (*quality)->by_port[one.peer.value];
    if (ab >= 0 && ba >= 0 && (!*place || (*place)->passes(one) || (*place)->passes(other)))
      links.emplace_back(-std::max(ab, ba), a);
  }
  std::ranges::sort(links);
  const std::size_t size = links.size();
  const auto row = [links = std::move(links), &fabric,
                    quality](std::size_t i) -> std::optional<nlohmann::json> {
    return link_load_row(fabric, links[i].second, **quality);
  };
  return list_by_place(reading, "loads", page, size, row, true);
}

asio::awaitable<web::Response> list_loads(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  const auto quality = co_await core->qualities.get(core->worker, reading->snapshot);
  co_return load_page(reading, quality);
}

/// Acts as the SA of this subnet for paths to other subnets; it does not resolve aliases of GUIDs.
struct PathAdministration {
  explicit PathAdministration(const Reading& reading)
      : view{.subnet = *reading.subnet(),
             .registrations = none,
             .options = reading.view->context->options,
             .files = reading.view->context->files} {}
  sa::Registrations none;
  sa::View view;
};

/// Returns the GID if the text is a GID of another subnet.
std::optional<mad::Gid> foreign_gid(const Reading& reading, std::string_view text) {
  const auto gid = read_gid(std::string(text));
  if (!gid || !reading.view->context) return std::nullopt;
  const std::uint64_t own = reading.view->context->options.subnet_prefix;
  return sa::is_local_prefix(gid->prefix, own) ? std::nullopt : gid;
}

/// The router port by which packets of `from` leave towards the GID, and its description in the
/// answer. Errors: no router leads there.
struct RouterExit {
  PathEnd port;
  nlohmann::json row;
};
tl::expected<RouterExit, web::Response> find_router_exit(const Reading& reading, EndPoint from,
                                                         mad::Gid gid) {
  const PathAdministration sa(reading);
  sa::PathEnd far;
  far.gid = gid;
  far.is_beyond = true;
  const auto gateway =
      sa::choose_gateway(sa.view, sa::end_with_all_lids(sa.view, from), far, std::nullopt);
  if (!gateway)
    return tl::unexpected(web::problem(
        409,
        fmt::format("to: no router leads to subnet {:#018x} in a partition of the sender",
                    gid.prefix),
        "a subnet that /v1/subnets lists"));
  const Fabric& fabric = reading.subnet()->fabric;
  const PortIndex port = gateway->end.port;
  return RouterExit{.port = {gateway->end, gateway->first_lid},
                    .row = {{"gid", sa::gid_text(gid)},
                            {"subnet_prefix", fmt::format("{:#018x}", gid.prefix)},
                            {"node_guid", fmt::format("{}", fabric.owning_node(port).guid)},
                            {"port_guid", fmt::format("{}", fabric.ports[port].guid)}}};
}

std::optional<mad::Guid> guid_of_gid(std::string_view text) {
  const auto gid = read_gid(std::string(text));
  return gid ? std::optional(gid->guid) : std::nullopt;
}

/// Finds a vport by its GUID, a GID, or any name that find_port() takes. Errors: as text.
tl::expected<PathEnd, std::string> find_end(const Subnet& subnet, std::string_view text) {
  if (const auto guid =
          text.starts_with("0x") && text.size() > 6 ? read_guid(text) : guid_of_gid(text)) {
    if (const EndPoint end = subnet.find(*guid); end.port != kNoIndex)
      return PathEnd{end, subnet.lid_range(end).base};
  }
  const auto found = find_port(subnet.fabric, subnet.lids, text);
  if (!found) return tl::unexpected(found.error());
  const EndPoint owner = found->lid.value != 0 ? subnet.owner(found->lid) : EndPoint{found->port};
  return PathEnd{owner, found->lid};
}

web::Response path_detail(const SharedReading& reading) {
  const Subnet* const subnet = reading->subnet();
  if (subnet == nullptr || !subnet->lfts)
    return web::problem(503, "there are no forwarding tables yet",
                        "try again when /v1/routing names an engine");
  PathEnd ends[2];
  nlohmann::json beyond;
  for (const auto& [name, end] : {std::pair("from", &ends[0]), {"to", &ends[1]}}) {
    const std::string_view text = *reading->request.query_value(name);
    if (const auto gid = foreign_gid(*reading, text)) {
      if (end == &ends[0])
        return web::problem(404, fmt::format("from: {} is in another subnet", sa::gid_text(*gid)),
                            "a port of this subnet: a path begins in it");
      auto out = find_router_exit(*reading, ends[0].end, *gid);
      if (!out) return out.error();
      *end = out->port;
      beyond = std::move(out->row);
      continue;
    }
    const auto found = find_end(*subnet, text);
    if (!found)
      if (auto lost = lost_problem(*reading, text)) return std::move(*lost);
    if (!found)
      return web::problem(404, fmt::format("{}: {}", name, found.error()),
                          "a GID is taken, too, and NODE:PORT for one of several ports");
    if (found->lid.value == 0)
      return web::problem(
          409, fmt::format("{}: {} has no LID", name, subnet->fabric.port_name(found->end.port)),
          "a port that /v1/lids lists");
    *end = *found;
  }
  nlohmann::json body = envelope(*reading->snapshot);
  body["from"] = path_end_row(*subnet, ends[0]);
  body["to"] = path_end_row(*subnet, ends[1]);
  body["forward"] = trace_row(*subnet, ends[0], ends[1]);
  body["reverse"] = trace_row(*subnet, ends[1], ends[0]);
  if (!beyond.is_null()) body["beyond"] = std::move(beyond);
  return answer(*reading, body);
}

web::Route::Parameter port_name(std::string name, std::string what) {
  web::Route::Parameter parameter =
      query(std::move(name), R"({"type":"string","minLength":1,"maxLength":200})", std::move(what));
  parameter.required = true;
  return parameter;
}

}  // namespace

void add_routing(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/routing", "getRouting", "The engine that made the tables, and how good they are",
          "Routing"),
      [core](web::Request request) { return routing_detail(core, std::move(request)); });
  add(to,
      get("/v1/routing/path", "getPath",
          "The path of packets between two ports, hop by hop, there and back", "Path",
          {port_name("from",
                     "Where it begins: a LID, a GUID, a GID, a description or its "
                     "first word, with :PORT for one of several ports"),
           port_name("to",
                     "Where it ends: the same; a GID may be of another subnet, and the path ends "
                     "at the router that leads there")}),
      reading_snapshot(core, path_detail));
  add(to,
      get("/v1/routing/loads", "listLoads",
          "Links between switches with the paths over them, busiest first", "LinkLoadList",
          filter_parameters(kLoadFilters)),
      [core](web::Request request) { return list_loads(core, std::move(request)); });
  add_schemas(to, link_load_info(), "loads");
  for (const RowInfo& row : {load_info(), quality_info(), path_end_info(), path_hop_info(),
                             adaptive_exit_info(), adaptive_hop_info(), path_trace_info()})
    to.schemas.emplace_back(row.name, object_schema(row.fields));
  to.schemas.emplace_back("Routing", answer_schema({}, kRoutingFields));
  to.schemas.emplace_back("Path", answer_schema({}, kPathFields));
}

}  // namespace sm::api
