// /v1/topology

#include "sm/ops/api/topology_json.h"

#include "sm/ops/api/resources.h"

namespace sm::api {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kTopologySchema = R"({
"type":"object","required":["fabric_id","snapshot","kind","rates","nodes","links","load"],
"properties":{
"fabric_id":{"type":["string","null"]},"snapshot":{"type":"string"},
"sm_node":{"type":["integer","null"],"description":"Index of the node that this manager runs on"},
"engine":{"type":["string","null"]},
"kind":{"enum":["no_switches","one_switch","tree","torus","hypercube","dragonfly","other"]},
"what":{"type":"string"},
"grid":{"type":["object","null"],"required":["radix","wraps"],"properties":{
"radix":{"type":"array","items":{"type":"integer"}},
"wraps":{"type":"array","items":{"type":"boolean"}}}},
"rates":{"type":"array","items":{"type":"object","properties":{
"link_width_active":{"type":"string"},"link_speed_active":{"type":"string"},
"rate_gbps":{"type":"number"}}}},
"nodes":{"type":"object","description":"Columns: value n of each is of node n",
"required":["node_guid","description","node_type","lid","layer","leaf"],"properties":{
"node_guid":{"type":"array","items":{"$ref":"#/components/schemas/Guid"}},
"description":{"type":"array","items":{"type":"string"}},
"node_type":{"type":"array","items":{"enum":[1,2,3]},"description":"1 CA, 2 switch, 3 router"},
"lid":{"type":"array","items":{"type":"integer"}},
"layer":{"type":"array","items":{"type":"integer"},
"description":"Hosts and routers 0, switches 1 + links to the next switch with hosts, 255: none"},
"leaf":{"type":"array","items":{"type":"integer"},
"description":"Of hosts and routers: index of the first switch that they are attached to, else -1"}
}},
"links":{"type":"object","description":"Columns: value n of each is of link n; each link once",
"required":["a","a_port","b","b_port","port_state","rate","degraded","load_ab","load_ba"],
"properties":{
"a":{"type":"array","items":{"type":"integer"},"description":"Index of the node"},
"a_port":{"type":"array","items":{"type":"integer"}},
"b":{"type":"array","items":{"type":"integer"}},
"b_port":{"type":"array","items":{"type":"integer"}},
"port_state":{"type":"array","items":{"type":"integer"},
"description":"1 Down, 2 Init, 3 Armed, 4 Active: of the end that is less far"},
"rate":{"type":"array","items":{"type":"integer"},"description":"Index into rates"},
"degraded":{"type":"array","items":{"enum":[0,1]}},
"load_ab":{"type":"array","items":{"type":"integer"},
"description":"Pairs (host, LID of another) by the tables; -1: not a link between switches"},
"load_ba":{"type":"array","items":{"type":"integer"}}}},
"load":{"oneOf":[{"$ref":"#/components/schemas/Load"},{"type":"null"}]}}})";

asio::awaitable<web::Response> topology(SharedCore core, web::Request request) {
  const SharedReading reading = co_await read(core, std::move(request));
  if (has_already(reading->request, reading->snapshot->id))
    co_return web::Response{.status = 304, .etag = reading->snapshot->id};
  const auto text = co_await core->topologies.get(core->worker, reading->snapshot);
  co_return web::Response{.body = *text, .etag = reading->snapshot->id};
}

}  // namespace

void add_topology(web::Resources& to, const SharedCore& core) {
  add(to,
      get("/v1/topology", "getTopology", "All nodes and links as columns, for maps", "Topology"),
      [core](web::Request request) { return topology(core, std::move(request)); });
  to.schemas.emplace_back("Topology", kTopologySchema);
}

}  // namespace sm::api
