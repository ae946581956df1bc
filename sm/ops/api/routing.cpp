// /v1/routing, /v1/routing/path

#include <nlohmann/json.hpp>

#include "fabric/find_port.h"
#include "mad/format.h"
#include "sm/ops/api/parameters.h"
#include "sm/ops/api/resources.h"
#include "sm/ops/rows.h"
#include "sm/ops/trace.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kLoadSchema = R"({
"type":["object","null"],"description":"Pairs (host, LID of another) on the links between switches",
"required":["worst","p99","mean","unused"],"properties":{
"worst":{"type":"integer"},"p99":{"type":"integer"},"mean":{"type":"number"},
"variation":{"type":"number","description":"Standard deviation / mean"},
"unused":{"type":"integer","description":"Directions of links that no pair uses"}}})";

constexpr std::string_view kQualitySchema = R"({
"type":["object","null"],"required":["engine","vls","credit_loops","lost_pairs","load","hops"],
"properties":{
"engine":{"type":"string"},"vls":{"type":"integer","description":"Data VLs that unicast uses"},
"credit_loops":{"type":"integer","description":"Between hosts"},
"lost_pairs":{"type":"integer","description":"Pairs whose packets do not arrive"},
"load":{"$ref":"#/components/schemas/Load"},
"hops":{"type":"object","properties":{"mean":{"type":"number"},"longest":{"type":"integer"}},
"description":"Links between switches on a path"}}})";

constexpr std::string_view kRoutingSchema = R"({
"type":"object","required":["fabric_id","snapshot","engine","quality"],"properties":{
"fabric_id":{"type":["string","null"]},"snapshot":{"type":"string"},
"engine":{"type":["string","null"],"description":"null: there are no tables yet"},
"configured":{"type":"array","items":{"type":"string"}},
"vls":{"type":"integer"},"lid_top":{"type":"integer"},
"forwarding_blocks":{"type":"integer","description":"Of each switch"},
"roots":{"type":"array","items":{"$ref":"#/components/schemas/Guid"}},
"quality":{"$ref":"#/components/schemas/RoutingQuality"}}})";

constexpr std::string_view kPathSchema = R"({
"type":"object","required":["fabric_id","snapshot","from","to","forward","reverse"],"properties":{
"fabric_id":{"type":["string","null"]},"snapshot":{"type":"string"},
"from":{"$ref":"#/components/schemas/PathEnd"},"to":{"$ref":"#/components/schemas/PathEnd"},
"forward":{"$ref":"#/components/schemas/PathTrace"},
"reverse":{"$ref":"#/components/schemas/PathTrace"}}})";
constexpr std::string_view kPathEndSchema = R"({
"type":"object","required":["node_guid","port","port_guid","lid"],"properties":{
"node_guid":{"$ref":"#/components/schemas/Guid"},"description":{"type":"string"},
"port":{"type":"integer"},"port_guid":{"$ref":"#/components/schemas/Guid"},
"lid":{"type":"integer"}}})";
constexpr std::string_view kPathTraceSchema = R"({
"type":"object","required":["dlid","sl","arrives","hops"],"properties":{
"dlid":{"type":"integer"},"sl":{"type":"integer"},"arrives":{"type":"boolean"},
"detail":{"type":["string","null"],"description":"Why it does not arrive"},
"hops":{"type":"array","items":{"type":"object","required":["node_guid","in_port","out_port","vl"],
"properties":{"node_guid":{"$ref":"#/components/schemas/Guid"},"description":{"type":"string"},
"node_type":{"enum":["CA","Switch","Router"]},"in_port":{"type":["integer","null"]},
"out_port":{"type":["integer","null"]},
"vl":{"type":["integer","null"],
"description":"Of the link that it leaves by; null: as the port has it set"}}}}}})";

asio::awaitable<web::Response> routing_detail(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  const Subnet* const subnet = reading->subnet();
  nlohmann::json body = envelope(*reading->snapshot);
  body["engine"] = nullptr;
  body["quality"] = nullptr;
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

struct PathEnd {
  EndPoint end;
  mad::Lid lid;
};

/// A vport by its GUID, else what find_port() takes. Errors: in words.
tl::expected<PathEnd, std::string> find_end(const Subnet& subnet, std::string_view text) {
  if (const auto guid =
          text.starts_with("0x") && text.size() > 6 ? read_guid(text) : std::nullopt) {
    if (const EndPoint end = subnet.find(*guid); end.port != kNoIndex)
      return PathEnd{end, subnet.lid_range(end).base};
  }
  const auto found = find_port(subnet.fabric, subnet.lids, text);
  if (!found) return tl::unexpected(found.error());
  const EndPoint owner = found->lid.value != 0 ? subnet.owner(found->lid) : EndPoint{found->port};
  return PathEnd{owner, found->lid};
}

nlohmann::json path_end_row(const Subnet& subnet, const PathEnd& of) {
  nlohmann::json row = end_row(subnet.fabric, of.end.port);
  row["port_guid"] = fmt::format("{}", subnet.find_guid(of.end));
  row["lid"] = of.lid.value;
  return row;
}

/// The VL that ports are known to use, else the one that the routing requires, else the only one
/// that there is.
std::optional<unsigned> vl_of_hop(const Subnet& subnet, const Hop& hop, mad::Sl sl) {
  const PortIndex out = subnet.fabric.port(hop.node, hop.out);
  if (subnet.vl_tables && !subnet.vl_tables->is_empty()) {
    if (const auto bits = subnet.vl_tables->sl_to_vl(out, hop.in))
      return mapped_vl(*bits, sl.value);
  }
  if (hop.vl) return hop.vl;
  if (mad::data_vls(subnet.fabric.ports[out].info.operational_vls()) == 1) return 0;
  return std::nullopt;
}

nlohmann::json trace_row(const Subnet& subnet, const PathEnd& from, const PathEnd& to) {
  static const PublishedRouting kPlain;
  const PublishedRouting& routing = subnet.routing ? *subnet.routing : kPlain;
  const Trace path = trace(subnet.fabric, subnet.lids, *subnet.lfts, routing.sls, routing.sl_to_vl,
                           from.end.port, to.lid);
  nlohmann::json row{
      {"dlid", path.to.value},
      {"sl", path.sl.value},
      {"arrives", path.trouble.empty()},
      {"detail", path.trouble.empty() ? nlohmann::json() : nlohmann::json(path.trouble)},
      {"hops", nlohmann::json::array()}};
  for (const Hop& hop : path.hops) {
    const auto port = [](mad::PortNum number) {
      return number.value == 0 ? nlohmann::json() : nlohmann::json(number.value);
    };
    const Node& node = subnet.fabric.nodes[hop.node];
    const auto vl = hop.out.value == 0 ? std::nullopt : vl_of_hop(subnet, hop, path.sl);
    row["hops"].push_back({{"node_guid", fmt::format("{}", node.guid)},
                           {"description", subnet.fabric.description(hop.node)},
                           {"node_type", mad::name(node.type)},
                           {"in_port", port(hop.in)},
                           {"out_port", port(hop.out)},
                           {"vl", vl ? nlohmann::json(*vl) : nlohmann::json()}});
  }
  return row;
}

web::Response path_detail(const SharedReading& reading) {
  const Subnet* const subnet = reading->subnet();
  if (subnet == nullptr || !subnet->lfts)
    return web::problem(503, "there are no forwarding tables yet",
                        "try again when /v1/routing names an engine");
  PathEnd ends[2];
  for (const auto& [name, end] : {std::pair("from", &ends[0]), {"to", &ends[1]}}) {
    const std::string_view text = *reading->request.query_value(name);
    const auto found = find_end(*subnet, text);
    if (!found)
      return web::problem(404, fmt::format("{}: {}", name, found.error()),
                          "a LID, a GUID, or a description or its first word, with :PORT for one "
                          "of several ports");
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
                     "Where it begins: a LID, a GUID, a description or its "
                     "first word, with :PORT for one of several ports"),
           port_name("to", "Where it ends: the same")}),
      reading_snapshot(core, path_detail));
  to.schemas.emplace_back("Load", kLoadSchema);
  to.schemas.emplace_back("RoutingQuality", kQualitySchema);
  to.schemas.emplace_back("Routing", kRoutingSchema);
  to.schemas.emplace_back("Path", kPathSchema);
  to.schemas.emplace_back("PathEnd", kPathEndSchema);
  to.schemas.emplace_back("PathTrace", kPathTraceSchema);
}

}  // namespace sm::api
