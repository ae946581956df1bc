// Reads of /v1: lists by pages, single nodes and ports, paths, the topology.

#include <gmock/gmock.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <limits>
#include <map>
#include <set>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sm/ops/api/api.h"
#include "sm/ops/rows.h"
#include "sm/sa/sa_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/tori.h"
#include "support/vports.h"
#include "unit/sm/ops/api/published.h"

namespace api_reads_test {

using api_client::Client;
using api_client::Json;
using sm::web::Method;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Reads : public testing::Test {
 protected:
  published::Manager manager;
  Client client{sm::api_resources(manager.sources())};

  static std::string find_guid(const fabric::Subnet& subnet, const std::string& name) {
    for (const fabric::NodeIndex node : subnet.fabric.nodes.indices())
      if (subnet.fabric.description(node) == name)
        return fmt::format("{}", subnet.fabric.nodes[node].guid);
    return "";
  }
  /// All rows, `limit` at a time.
  std::vector<Json> all(const std::string& list, unsigned limit, const std::string& filters = "") {
    std::vector<Json> rows;
    std::string cursor;
    for (unsigned pages = 0; pages < 1'000; ++pages) {
      const Json page = client.json(fmt::format("/v1/{}?limit={}{}{}", list, limit, filters,
                                                cursor.empty() ? "" : "&cursor=" + cursor));
      if (page.is_discarded() || !page.contains(list)) break;
      EXPECT_LE(page[list].size(), limit);
      rows.insert(rows.end(), page[list].begin(), page[list].end());
      if (page["next_cursor"].is_null()) return rows;
      cursor = page["next_cursor"].get<std::string>();
    }
    ADD_FAILURE() << list << " has no end";
    return rows;
  }
};

TEST_F(Reads, EveryRouteNamesSchemasThatExist) {
  std::set<std::string> operations;
  for (const sm::web::Route& route : client.resources().routes) {
    EXPECT_TRUE(operations.insert(route.operation_id).second) << route.operation_id;
    EXPECT_TRUE(client.validator().has(route.response_schema)) << route.path;
    if (!route.request_schema.empty()) {
      EXPECT_TRUE(client.validator().has(route.request_schema)) << route.path;
    }
    EXPECT_FALSE(route.summary.empty() || route.summary.ends_with('.')) << route.path;
    for (const auto& parameter : route.parameters) {
      EXPECT_FALSE(Json::parse(parameter.schema, nullptr, false).is_discarded()) << parameter.name;
      if (parameter.in == "path") {
        EXPECT_THAT(route.path, HasSubstr("{" + parameter.name + "}"));
      }
    }
  }
  // References lead somewhere.
  const std::string text = client.validator().all().dump();
  constexpr std::string_view kReference = "\"#/components/schemas/";
  for (std::size_t at = text.find(kReference); at != std::string::npos;
       at = text.find(kReference, at + 1)) {
    const std::size_t from = at + kReference.size();
    EXPECT_TRUE(client.validator().has(text.substr(from, text.find('"', from) - from)));
  }
}

TEST_F(Reads, TheDocumentHasATagAndExamplesForEachOperation) {
  const sm::web::Resources own =
      sm::web::document_resources(client.resources(), sm::api::document_info("1.0.0"));
  const auto document = std::ranges::find(own.routes, "/v1/openapi.json", &sm::web::Route::path);
  ASSERT_NE(document, own.routes.end());
  boost::asio::io_context io;
  auto answer = boost::asio::co_spawn(io, document->handler({}), boost::asio::use_future);
  io.run();
  const Json paths = Json::parse(answer.get().body)["paths"];
  EXPECT_EQ(paths["/v1/nodes"]["get"]["tags"], Json({"Fabric"}));
  EXPECT_EQ(paths["/v1/links"]["get"]["parameters"][3]["name"], "node");
  EXPECT_EQ(paths["/v1/links"]["get"]["parameters"][3]["example"], "leaf-1");
  const Json& node = paths["/v1/nodes"]["get"]["responses"]["200"]["content"]["application/json"]
                          ["example"]["nodes"][0];
  EXPECT_EQ(node["description"], "leaf-3");
}

TEST_F(Reads, TheSmallestNodeListIsThisText) {
  fabrics::Maker maker;
  const fabric::NodeIndex sw = maker.add(mad::NodeType::switch_, 2, "leaf", mad::Guid{0x10});
  const fabric::NodeIndex host = maker.add(mad::NodeType::ca, 1, "n0", mad::Guid{0x20});
  maker.cable(sw, 1, host, 1);
  manager.publish(published::routed(maker.build()));
  EXPECT_EQ(
      client.get("/v1/nodes").body,
      R"({"fabric_id":"0xfe80000000000000-0x0000000000000010","snapshot":"5f3a1c00-1","nodes":[
{"description":"leaf","device_id":"0x0000","node_guid":"0x0000000000000010",)"
      R"("node_type":"Switch","num_ports":2,"ports":[{"lid":2,"lmc":0,"port":0,)"
      R"("port_guid":"0x0000000000000010","port_state":"Active"}],"ports_up":1,)"
      R"("system_image_guid":"0x0000000000000010","vendor_id":"0x000000"},
{"description":"n0","device_id":"0x0000","node_guid":"0x0000000000000020",)"
      R"("node_type":"CA","num_ports":1,"ports":[{"lid":1,"lmc":0,"port":1,)"
      R"("port_guid":"0x0000000000000021","port_state":"Active"}],"ports_up":1,)"
      R"("system_image_guid":"0x0000000000000020","vendor_id":"0x000000"}
],"next_cursor":null}
)");
}

TEST_F(Reads, PagesHaveEveryRowOnce) {
  for (const auto& [list, rows] : {std::pair("nodes", 8u), {"links", 8u}, {"lids", 8u}}) {
    const auto whole = all(list, 1'000);
    EXPECT_EQ(whole.size(), rows) << list;
    for (const unsigned limit : {1u, 3u, 8u}) EXPECT_EQ(all(list, limit), whole) << list;
  }
  EXPECT_EQ(all("ports", 5), all("ports", 1'000));
  EXPECT_EQ(all("ports", 7'000), all("ports", 1'000));  // made while it is sent
}

TEST_F(Reads, ACursorHoldsWhenTheFabricChanges) {
  const Json page = client.json("/v1/nodes?limit=3");
  std::set<std::string> seen;
  for (const Json& node : page["nodes"]) seen.insert(node["node_guid"]);
  fabrics::Maker maker;  // the last node of the page is not there any more, and all are renumbered
  auto subnet = published::routed(published::small_tree());
  std::set<std::string> others;
  for (const Json& node : all("nodes", 1'000)) others.insert(node["node_guid"]);
  auto fabric = published::small_tree();
  subnet = published::routed(fabrics::renumbered(fabrics::Subnet(std::move(fabric)), 7).fabric);
  manager.publish(subnet);
  const Json rest =
      client.json(fmt::format("/v1/nodes?cursor={}", page["next_cursor"].get<std::string>()));
  for (const Json& node : rest["nodes"])
    EXPECT_TRUE(seen.insert(node["node_guid"]).second) << node["node_guid"];
  EXPECT_EQ(seen, others);
}

TEST_F(Reads, NodesByTypeNameAndGuid) {
  EXPECT_EQ(all("nodes", 100, "&type=Switch").size(), 4u);
  EXPECT_EQ(all("nodes", 100, "&type=router").size(), 0u);
  EXPECT_EQ(all("nodes", 100, "&name=LEAF").size(), 2u);
  const std::string leaf = find_guid(*manager.view.status.subnet, "leaf-1");
  const auto found = all("nodes", 100, "&guid=" + leaf);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["description"], "leaf-1");
}

TEST_F(Reads, ListsOfOneNodeOrPort) {
  EXPECT_EQ(all("nodes", 2, "&node=leaf-1").size(), 1u);
  EXPECT_EQ(all("nodes", 2, "&node=leaf-1&type=CA").size(), 0u);
  EXPECT_EQ(all("ports", 3, "&node=leaf-1").size(), 7u);
  const auto port = all("ports", 3, "&node=leaf-1:2");
  ASSERT_EQ(port.size(), 1u);
  EXPECT_EQ(port[0]["port"], 2);
  const auto links = all("links", 3, "&node=leaf-1");
  EXPECT_EQ(links.size(), 4u);
  for (const Json& link : links)
    EXPECT_TRUE(link["a"]["description"] == "leaf-1" || link["b"]["description"] == "leaf-1");
  EXPECT_EQ(all("links", 3, "&node=leaf-1:2").size(), 1u);
  EXPECT_EQ(all("links", 3, "&node=" + find_guid(*manager.view.status.subnet, "n3 mlx5_0")).size(),
            1u);
  for (const char* const list : {"nodes", "ports", "links", "conditions", "routing/loads"}) {
    SCOPED_TRACE(list);
    EXPECT_THAT(client.problem(client.get(fmt::format("/v1/{}?node=leaf-9", list)), 404)["detail"]
                    .get<std::string>(),
                HasSubstr("leaf-9"));
    client.problem(client.get(fmt::format("/v1/{}?node=leaf-1:99", list)), 404);
    client.problem(client.get(fmt::format("/v1/{}?nodes=leaf-1", list)), 400);
  }
  client.problem(client.get("/v1/groups?port=leaf-9"), 404);
}

TEST_F(Reads, LoadsOfLinksAreThoseOfTheTopology) {
  const Json topology = client.json("/v1/topology");
  const Json& columns = topology["links"];
  const Json answer = client.json("/v1/routing/loads");
  ASSERT_EQ(answer["loads"].size(), 4u) << "links between switches only";
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  for (const Json& link : answer["loads"]) {
    const std::int64_t ab = link["load_ab"], ba = link["load_ba"];
    EXPECT_LE(std::max(ab, ba), before) << "busiest first";
    before = std::max(ab, ba);
    const auto guid = [&](const char* end, std::size_t i) {
      return topology["nodes"]["node_guid"][columns[end][i].get<std::size_t>()];
    };
    std::size_t found = 0;
    for (std::size_t i = 0; i < columns["a"].size(); ++i) {
      if (guid("a", i) != link["a"]["node_guid"] || columns["a_port"][i] != link["a"]["port"])
        continue;
      ++found;
      EXPECT_EQ(guid("b", i), link["b"]["node_guid"]);
      EXPECT_EQ(columns["load_ab"][i], ab);
      EXPECT_EQ(columns["load_ba"][i], ba);
    }
    EXPECT_EQ(found, 1u);
  }
  EXPECT_EQ(client.json("/v1/routing/loads?node=leaf-0")["loads"].size(), 2u);
  EXPECT_EQ(client.json("/v1/routing/loads?node=n0")["loads"].size(), 0u);
  manager.publish(nullptr);
  EXPECT_EQ(client.json("/v1/routing/loads")["loads"].size(), 0u);
}

TEST_F(Reads, ANodeHasItsPortsAndConditions) {
  const fabric::Subnet& subnet = *manager.view.status.subnet;
  const std::string leaf = find_guid(subnet, "leaf-1");
  const fabric::NodeIndex node =
      subnet.fabric.node_of_guid.at(mad::Guid{std::stoull(leaf, nullptr, 16)});
  manager.view.status.conditions = {{.condition = {.id = sm::kSweepConditions.link_lost,
                                                   .text = "lost",
                                                   .guid = subnet.fabric.nodes[node].guid,
                                                   .port = mad::PortNum{1}},
                                     .since = {}},
                                    {.condition = {.id = fabric::kFabricConditions.node_silent,
                                                   .text = "another",
                                                   .guid = mad::Guid{1}},
                                     .since = {}}};
  const Json detail = client.json("/v1/nodes/" + leaf);
  EXPECT_EQ(detail["physical_ports"].size(), 7u);  // 0 to 6
  EXPECT_EQ(detail["physical_ports"][2]["degraded"], true);
  EXPECT_EQ(detail["physical_ports"][2]["peer"]["description"], "n3 mlx5_0");
  EXPECT_EQ(detail["switch_info"]["linear_fdb_cap"], fabrics::Maker::kFdbCap);
  ASSERT_EQ(detail["conditions"].size(), 1u);
  EXPECT_EQ(detail["conditions"][0]["text"], "lost");
  EXPECT_EQ(client.json(fmt::format("/v1/nodes/{}/ports/1", leaf))["conditions"].size(), 1u);
  EXPECT_EQ(client.json(fmt::format("/v1/nodes/{}/ports/2", leaf))["conditions"].size(), 0u);
  EXPECT_THAT(client.problem(client.get(fmt::format("/v1/nodes/{}/ports/9", leaf)), 404)["remedy"],
              "0..6");
  client.problem(client.get("/v1/nodes/0x0000000000000077"), 404);
  EXPECT_EQ(client.json("/v1/nodes/leaf-1"), detail) << "as commands of heddlectl name nodes";
  EXPECT_EQ(client.json("/v1/nodes/leaf-1/ports/1")["peer"]["port"],
            detail["physical_ports"][1]["peer"]["port"]);
  EXPECT_THAT(client.problem(client.get("/v1/nodes/leaf-9"), 404)["detail"].get<std::string>(),
              HasSubstr("leaf-9"));
  client.problem(client.get("/v1/nodes/leaf-1%3A1"), 404);
}

TEST_F(Reads, APortByItsGuidHasItsPKeys) {
  const std::string guid = all("ports", 100, "&name=n2")[0]["port_guid"];
  const Json port = client.json("/v1/ports/" + guid);
  EXPECT_THAT(port["p_keys"], ElementsAre("0xffff"));
  EXPECT_EQ(port["link_speed_active"], "NDR");
  EXPECT_TRUE(port["counters"].is_null());
  client.problem(client.get("/v1/ports/0x77"), 404);
}

TEST_F(Reads, APortHasTheCountersOfTheLatestPoll) {
  using sm::Counter;
  const std::string guid = all("ports", 100, "&name=n2")[0]["port_guid"];
  const fabric::Fabric& fabric = manager.view.status.subnet->fabric;
  const fabric::PortIndex port = fabric.port_of_guid.at(mad::Guid{std::stoull(guid, nullptr, 16)});
  sm::PortCounters counters{.port = fabric.ports[port].number, .reading = sm::PortReading::read};
  counters.present = sm::to_set(Counter::xmit_data) | sm::to_set(Counter::symbol_errors);
  counters.saturated = sm::to_set(Counter::symbol_errors);
  counters.values.set_total(Counter::xmit_data, std::uint64_t{1} << 40);
  counters.values.set_rate(Counter::xmit_data, 2.5);
  counters.read_at = manager.view.status.now - std::chrono::seconds(7);
  counters.interval = std::chrono::seconds(60);
  auto node = std::make_shared<sm::NodeCounters>();
  node->node = fabric.owning_node(port).guid;
  node->ports = {counters};
  auto table = std::make_shared<sm::PortCounterTable>();
  table->nodes = {node};
  manager.view.status.counters = table;
  const Json shown = client.json("/v1/ports/" + guid)["counters"];
  EXPECT_EQ(shown["reading"], "read");
  EXPECT_EQ(shown["age_s"], 7);
  EXPECT_EQ(shown["totals"],
            Json({{"PortXmitData", std::uint64_t{1} << 40}, {"SymbolErrorCounter", 0}}));
  EXPECT_EQ(shown["per_second"]["PortXmitData"], 2.5);
  EXPECT_EQ(shown["saturated"], Json({"SymbolErrorCounter"}));
}

TEST_F(Reads, LinksHaveTheCountersOfTheirEndsInTheOrderOfTheTopology) {
  using sm::Counter;
  const Json none = client.json("/v1/topology/counters");
  const Json topology = client.json("/v1/topology");
  const std::size_t links = topology["links"]["a"].size();
  EXPECT_TRUE(none["age_s"].is_null());
  EXPECT_EQ(none["links"]["gbps_ab"], Json(std::vector<double>(links, -1)));
  EXPECT_EQ(none["links"]["errors_per_hour"], Json(std::vector<double>(links, -1)));

  // The host at one end of a link, and not the switch, was read twice.
  const std::string guid = all("ports", 100, "&name=n2")[0]["port_guid"];
  const fabric::Fabric& fabric = manager.view.status.subnet->fabric;
  const fabric::PortIndex port = fabric.port_of_guid.at(mad::Guid{std::stoull(guid, nullptr, 16)});
  sm::PortCounters counters{.port = fabric.ports[port].number, .reading = sm::PortReading::read};
  for (const auto& [counter, rate] : {std::pair{Counter::xmit_data, 2.5e9F},
                                      {Counter::rcv_data, 1.25e9F},
                                      {Counter::symbol_errors, 0.5F},
                                      {Counter::xmit_discards, 0.25F},
                                      {Counter::multicast_rcv_packets, 100.0F}}) {
    counters.present |= sm::to_set(counter);
    counters.values.set_rate(counter, rate);
  }
  counters.interval = std::chrono::seconds(60);
  auto node = std::make_shared<sm::NodeCounters>();
  node->node = fabric.owning_node(port).guid;
  node->ports = {counters};
  auto table = std::make_shared<sm::PortCounterTable>();
  table->nodes = {node};
  table->latest.ended = manager.view.status.now - std::chrono::seconds(9);
  manager.view.status.counters = table;
  const Json shown = client.json("/v1/topology/counters");
  EXPECT_EQ(shown["age_s"], 9);
  EXPECT_EQ(shown["snapshot"], topology["snapshot"]);
  const auto index = static_cast<int>(fabric.ports[port].node.value);
  std::size_t known = 0;
  for (std::size_t link = 0; link < links; ++link) {
    const bool is_a = topology["links"]["a"][link] == index;
    if (!is_a && topology["links"]["b"][link] != index) {
      EXPECT_EQ(shown["links"]["used_ab"][link], -1);
      continue;
    }
    ++known;
    const char* const out = is_a ? "ab" : "ba";
    const char* const in = is_a ? "ba" : "ab";
    const auto value = [&](const std::string& column, const char* way) {
      return shown["links"][column + "_" + way][link].get<double>();
    };
    EXPECT_DOUBLE_EQ(value("gbps", out), 80);   // 2.5e9 * 32 bits
    EXPECT_DOUBLE_EQ(value("used", out), 0.2);  // 4X NDR: 400
    EXPECT_DOUBLE_EQ(value("gbps", in), 40) << "what the host received";
    EXPECT_DOUBLE_EQ(value("used", in), 0.1);
    EXPECT_DOUBLE_EQ(shown["links"]["errors_per_hour"][link].get<double>(), 2700);
  }
  EXPECT_EQ(known, 1u);
  const Json worst = client.json("/v1/counters");
  EXPECT_EQ(worst["ports"], 1);
  ASSERT_EQ(worst["counters"].size(), 1u);
  const Json row = worst["counters"][0];
  EXPECT_EQ(row["description"], "n2 mlx5_0");
  EXPECT_DOUBLE_EQ(row["errors_per_hour"].get<double>(), 2700);
  EXPECT_DOUBLE_EQ(row["discards_per_hour"].get<double>(), 900);
  EXPECT_DOUBLE_EQ(row["gbps_out"].get<double>(), 80);
  EXPECT_DOUBLE_EQ(row["gbps_in"].get<double>(), 40);
  EXPECT_DOUBLE_EQ(row["load"].get<double>(), 0.2);
  EXPECT_EQ(client.json("/v1/counters?sort=load")["counters"], worst["counters"]);
  EXPECT_EQ(client.json("/v1/counters?sort=waits")["with_value"], 0) << "it has no PortXmitWait";
  EXPECT_EQ(worst["growing"], 1);
  EXPECT_EQ(row["interval_s"], 60);
  EXPECT_EQ(row["errors_grown"], 45);
  // Errors that do not grow any more are shown as well.
  auto quiet = std::make_shared<sm::NodeCounters>(*node);
  quiet->ports.front().values.clear_rates();
  quiet->ports.front().values.set_total(Counter::symbol_errors, 320);
  table = std::make_shared<sm::PortCounterTable>(*table);
  table->nodes = {quiet};
  manager.view.status.counters = table;
  const Json still = client.json("/v1/counters");
  EXPECT_EQ(still["with_value"], 1);
  EXPECT_EQ(still["growing"], 0);
  ASSERT_EQ(still["counters"].size(), 1u);
  EXPECT_EQ(still["counters"][0]["errors"], 320);
  EXPECT_EQ(still["counters"][0]["errors_per_hour"], 0);
  client.problem(client.get("/v1/counters?sort=name"), 400);
  // A port that is down keeps the rates that it had: they are no news.
  auto silent = std::make_shared<sm::NodeCounters>(*node);
  silent->ports.front().reading = sm::PortReading::down;
  table->nodes = {silent};
  EXPECT_EQ(client.json("/v1/topology/counters")["links"], none["links"]);
  EXPECT_EQ(client.json("/v1/counters")["ports"], 0);
}

TEST_F(Reads, PortsByState) {
  EXPECT_EQ(all("ports", 100, "&state=Active").size(), 20u);  // 8 links, and 4 ports 0
  EXPECT_EQ(all("ports", 100, "&state=Down&type=Switch").size(), 8u);
}

TEST_F(Reads, LinksThatAreDegraded) {
  const auto links = all("links", 100, "&degraded=true");
  ASSERT_EQ(links.size(), 1u);
  EXPECT_EQ(links[0]["link_width_active"], "1X");
  EXPECT_EQ(links[0]["link_width_max"], "4X");
  EXPECT_EQ(all("links", 100, "&degraded=false").size(), 7u);
  EXPECT_EQ(all("links", 100, "&name=spine-0").size(), 2u);
}

TEST_F(Reads, LidsAndVPorts) {
  auto subnet = published::routed(published::small_tree());
  const fabric::PortIndex host = subnet->fabric.end_ports[fabric::EndPortIndex(5)];
  vports::give(*subnet,
               {{.port = host, .guid = mad::Guid{0xAA01}, .own_lid = mad::Lid{77}},
                {.port = host, .guid = mad::Guid{0xAA02}, .hold = fabric::VPortHold::no_guid}});
  manager.publish(subnet);
  const auto lids = all("lids", 3);
  ASSERT_EQ(lids.size(), 9u);
  EXPECT_EQ(lids.back()["lid"], 77);
  EXPECT_EQ(lids.back()["vport"], 1);
  EXPECT_EQ(all("lids", 3, "&lid=77"), std::vector<Json>{lids.back()});
  EXPECT_EQ(all("lids", 3, "&lid=5000").size(), 0u);
  const auto vports = all("vports", 2);
  ASSERT_EQ(vports.size(), 3u);
  EXPECT_EQ(vports[2]["why"], "no GUID set by the host");
  EXPECT_EQ(all("vports", 2, "&state=Init").size(), 1u);
  EXPECT_EQ(client.json("/v1/ports/0xaa01")["vport"]["lid"], 77);
}

TEST_F(Reads, GroupsAndTheirMembers) {
  sa::Groups groups;
  const mad::Gid mgid{0xff12401bffff0000, {0xffffffff}};
  groups.create({.mgid = mgid, .mlid = mad::kMlidMin, .p_key = {0xffff}, .mtu = 4, .rate = 3});
  groups.create({.mgid = {0xff12401b80010000, {0xffffffff}}, .mlid = {0xc001}, .p_key = {0x8001}});
  groups.join(
      mgid, {.port_gid =
                 {0xfe80000000000000,
                  manager.view.status.subnet->fabric
                      .ports[manager.view.status.subnet->fabric.end_ports[fabric::EndPortIndex(4)]]
                      .guid},
             .join_state = sa::join_state::kFull});
  manager.set_groups(groups);
  EXPECT_EQ(all("groups", 1).size(), 2u);
  EXPECT_EQ(all("groups", 1, "&p_key=0x7fff").size(), 1u);
  EXPECT_EQ(all("groups", 1, "&mlid=0xc001").size(), 1u);
  const fabric::Fabric& fabric = manager.view.status.subnet->fabric;
  const fabric::PortIndex member = fabric.end_ports[fabric::EndPortIndex(4)];
  const std::string guid = fmt::format("{}", fabric.ports[member].guid);
  const auto of_port = all("groups", 1, "&port=" + guid);
  ASSERT_EQ(of_port.size(), 1u);
  EXPECT_THAT(of_port[0]["join_state"], ElementsAre("full"));
  EXPECT_EQ(all("groups", 1, "&port=" + client.json("/v1/ports/" + guid)["lid"].dump()), of_port);
  EXPECT_EQ(all("groups", 1, "&mlid=0xc001&port=" + guid).size(), 0u);
  EXPECT_EQ(all("groups", 1, "&port=0x00000000deadbeef").size(), 0u) << "a GUID that has left";
  const Json group = client.json("/v1/groups/ff12:401b:ffff::ffff:ffff");
  EXPECT_EQ(group["member_count"], 1);
  EXPECT_THAT(group["members"][0]["join_state"], ElementsAre("full"));
  EXPECT_TRUE(group["members"][0].contains("description"));
  client.problem(client.get("/v1/groups/ff12:401b:ffff::1"), 404);
  client.problem(client.get("/v1/groups/everyone"), 400);
}

TEST_F(Reads, Services) {
  for (const unsigned id : {1u, 2u, 3u}) {
    sa::Service service{.record = {}, .registered_by = mad::Guid{id}};
    service.record.set_service_id(id);
    service.record.set_service_gid({0xfe80000000000000, {id}});
    service.record.set_p_key({0xffff});
    service.record.set_lease(id == 1 ? mad::ServiceRecord::kForever : 60);
    std::ranges::copy(std::string_view(id == 2 ? "storage" : "x"), service.record.name().begin());
    manager.services.push_back(service);
  }
  EXPECT_EQ(all("services", 2).size(), 3u);
  const auto found = all("services", 2, "&name=STOR");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["lease_s"], 60);
  EXPECT_TRUE(all("services", 2)[0]["lease_s"].is_null());
}

TEST_F(Reads, TheSubnetNamesItsMasterAndCounts) {
  manager.view.status.conditions = {
      {.condition = {.id = sm::kSweepConditions.link_lost, .text = "lost"}, .since = {}}};
  const Json subnet = client.json("/v1/subnet");
  EXPECT_EQ(subnet["state"], "Master");
  EXPECT_EQ(subnet["master"]["here"], true);
  EXPECT_EQ(subnet["counts"]["nodes"]["CA"], 4);
  EXPECT_EQ(subnet["counts"]["links"], 8);
  EXPECT_EQ(subnet["counts"]["links_degraded"], 1);
  EXPECT_EQ(subnet["counts"]["lids"], 8);
  unsigned conditions = 0;
  for (const Json& count : subnet["conditions"]) conditions += count.get<unsigned>();
  EXPECT_EQ(conditions, 1u);
}

TEST_F(Reads, WhatHasOccurredHasItsTimeAndIsNoCondition) {
  const fabric::Subnet& subnet = *manager.view.status.subnet;
  const std::string leaf = find_guid(subnet, "leaf-1");
  manager.view.status.now = mad::TimePoint{} + std::chrono::hours(9);
  manager.view.status.wall = std::chrono::sys_days(std::chrono::year(2026) / 11 / 24) +
                             std::chrono::hours(10) + std::chrono::minutes(5);
  manager.view.status.conditions.clear();
  manager.view.status.occurrences = {
      {.condition = {.id = sm::kSweepConditions.tables_lost,
                     .text = "leaf-1 lost its tables",
                     .guid = mad::Guid{std::stoull(leaf, nullptr, 16)}},
       .first = manager.view.status.now - std::chrono::minutes(5),
       .last = manager.view.status.now - std::chrono::seconds(116),
       .times = 3},
      {.condition = {.id = sa::kSaConditions.sa_requests_refused, .text = "refused"},
       .first = manager.view.status.now - std::chrono::minutes(6),
       .last = manager.view.status.now - std::chrono::minutes(6)}};
  EXPECT_EQ(client.json("/v1/conditions")["conditions"].size(), 0u);
  const Json all = client.json("/v1/occurrences")["occurrences"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0], Json({{"id", "SM-TABLES-LOST"},
                          {"severity", "warning"},
                          {"text", "leaf-1 lost its tables"},
                          {"at", "2026-11-24T10:03:04Z"},
                          {"ago_s", 116},
                          {"first_at", "2026-11-24T10:00:00Z"},
                          {"times", 3},
                          {"guid", leaf}}));
  EXPECT_EQ(client.json("/v1/occurrences?severity=error")["occurrences"].size(), 1u);
  EXPECT_EQ(client.json("/v1/occurrences?node=leaf-1")["occurrences"].size(), 1u);
  const Json node = client.json("/v1/nodes/leaf-1");
  EXPECT_EQ(node["conditions"].size(), 0u);
  EXPECT_EQ(node["occurrences"].size(), 1u);
  const Json manager_row = client.json("/v1/subnet");
  EXPECT_EQ(manager_row["occurrences"], 2);
  for (const Json& count : manager_row["conditions"]) EXPECT_EQ(count, 0);
}

TEST_F(Reads, AStandbyAnswersFromItsViewWithTheSameFabricId) {
  const Json master = client.json("/v1/subnet");
  published::Manager other(
      published::routed(fabrics::renumbered(fabrics::Subnet(published::small_tree()), 3).fabric));
  other.view.status.state = mad::SmState::standby;
  other.view.status.managers = {{.guid = mad::Guid{0x31},
                                 .name = "\"n0 mlx5_0\" port 1",
                                 .priority = 5,
                                 .state = mad::SmState::master}};
  Client standby(sm::api_resources(other.sources()));
  const Json answer = standby.json("/v1/subnet");
  EXPECT_EQ(answer["fabric_id"], master["fabric_id"]);
  EXPECT_EQ(answer["master"]["name"], "\"n0 mlx5_0\" port 1");
  EXPECT_EQ(standby.json("/v1/nodes")["nodes"], client.json("/v1/nodes")["nodes"]);
  EXPECT_EQ(standby.json("/v1/sms?state=Master")["sms"].size(), 1u);
}

TEST_F(Reads, ASubnetPrefixOfItsOwnIsTheFabricId) {
  config::Options options = manager.view.context->options;
  options.subnet_prefix = 0xfe80000000000007;
  manager.view.context = sm::make_context(options, {}, partitions::default_configuration());
  EXPECT_EQ(client.json("/v1/subnet")["fabric_id"], "0xfe80000000000007");
}

TEST_F(Reads, AttributesOfOneNodeAreReadFromIt) {
  const Json read = client.json("/v1/attributes?list=sl2vl&node=leaf 3/%:36");
  EXPECT_EQ(read["description"], "leaf 3/%:36");
  ASSERT_EQ(manager.reads.size(), 1u);
  EXPECT_EQ(manager.reads[0].list, "sl2vl");
  EXPECT_EQ(client.problem(client.get("/v1/attributes?list=pkeys&node=nobody"), 409)["detail"],
            "no such node");
  for (const char* const query : {"", "?list=pkeys", "?node=n1", "?list=weather&node=n1"})
    client.problem(client.get(std::string("/v1/attributes") + query), 400);
  EXPECT_EQ(manager.reads.size(), 2u);
}

TEST_F(Reads, IsolatedLinksHaveTheirReason) {
  EXPECT_EQ(client.json("/v1/isolated")["isolated"].size(), 0u);
  const mad::TimePoint now = manager.view.status.now;
  sm::Isolated link, whole;
  link.place = {mad::Guid{0x11}, {7}};
  link.name = "leaf-0 port 7";
  link.peer = "n0 port 1";
  link.peer_node = mad::Guid{0x21};
  link.reason = sm::IsolationReason::flapping;
  link.since = now - std::chrono::seconds(5);
  link.until = now + std::chrono::seconds(60);
  whole.place = {mad::Guid{0x12}, {0}};
  whole.name = "leaf-1";
  whole.reason = sm::IsolationReason::ordered;
  whole.since = now;
  whole.ordered_by = "alice (192.0.2.1:40000)";
  whole.order_reason = "cable 4711";
  manager.view.status.isolated = {link, whole};
  const Json rows = client.json("/v1/isolated")["isolated"];
  EXPECT_EQ(rows[0], (Json{{"node_guid", "0x0000000000000011"},
                           {"port", 7},
                           {"name", "leaf-0 port 7"},
                           {"peer", "n0 port 1"},
                           {"peer_guid", "0x0000000000000021"},
                           {"reason", "flapping"},
                           {"for_s", 5},
                           {"release_in_s", 60}}));
  EXPECT_FALSE(rows[1].contains("release_in_s"));
  EXPECT_EQ(rows[1]["port"], 0);
  EXPECT_EQ(rows[1]["ordered_by"], "alice (192.0.2.1:40000)");
  EXPECT_EQ(rows[1]["order_reason"], "cable 4711");
}

TEST_F(Reads, ProbesSayWhetherTheManagerIsReady) {
  EXPECT_EQ(client.get("/healthz").status, 200);
  EXPECT_EQ(client.get("/readyz").status, 200) << "MASTER with tables";
  manager.view.status.state = mad::SmState::standby;
  EXPECT_EQ(client.get("/readyz").status, 200);
  for (const mad::SmState state : {mad::SmState::discovering, mad::SmState::not_active}) {
    manager.view.status.state = state;
    const auto answer = client.get("/readyz");
    EXPECT_EQ(answer.status, 503);
    EXPECT_FALSE(Json::parse(answer.body).at("ready").get<bool>());
  }
  manager.view.status.state = mad::SmState::master;
  manager.view.status.subnet = nullptr;
  EXPECT_EQ(client.get("/readyz").status, 503) << "nothing is written yet";
  EXPECT_EQ(client.get("/healthz").status, 200);
}

TEST_F(Reads, OptionsAreWithoutSecrets) {
  const Json options = client.json("/v1/options");
  EXPECT_EQ(options.dump().find("1234567890"), std::string::npos);
  for (const Json& option : options["options"]) {
    if (option["key"] == "m_key") {
      EXPECT_EQ(option["value"], "MASKED");
    }
  }
}

TEST_F(Reads, OptionsSayWhyAChangeNeedsARestart) {
  std::map<std::string, Json> options;
  const Json answer = client.json("/v1/options");
  for (const Json& option : answer["options"]) options[option["key"].get<std::string>()] = option;
  EXPECT_EQ(options.at("guid").value("restart", ""), "the daemon is bound to its ports");
  EXPECT_EQ(options.at("routing_engine").value("restart", ""), "");
}

TEST_F(Reads, SecurityListsWhatIsOpenFirstAndNoSecret) {
  const Json body = client.json("/v1/security");
  ASSERT_FALSE(body["security"].empty());
  EXPECT_EQ(body["security"].front()["protection"], "open");
  EXPECT_EQ(body.dump().find("1234567890"), std::string::npos);
}

TEST_F(Reads, ConditionsBySeverityAndId) {
  manager.view.status.conditions = {
      {.condition = {.id = sm::kSweepConditions.link_lost, .text = "one", .guid = mad::Guid{5}},
       .since = manager.view.status.now - std::chrono::seconds(90)},
      {.condition = {.id = fabric::kFabricConditions.node_silent, .text = "two"}, .since = {}}};
  EXPECT_EQ(all("conditions", 1).size(), 2u);
  const auto found = all("conditions", 1, "&id=sm-link-lost&guid=5");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["for_s"], 90);
  EXPECT_EQ(found[0]["remedy"], "Check the cable and both ports.");
  EXPECT_THAT(client.problem(client.get("/v1/conditions?id=SM-NEVER"), 400)["detail"],
              "no condition is called 'SM-NEVER'");
}

TEST_F(Reads, AConditionNamesItsCauseAndIsCountedByIt) {
  const fabric::Condition leaf{.id = sm::kSweepConditions.node_lost,
                               .text = "leaf",
                               .guid = mad::Guid{5},
                               .severity = fabric::Severity::critical};
  manager.view.status.conditions = {{.condition = leaf, .since = {}},
                                    {.condition = {.id = sm::kSweepConditions.node_lost,
                                                   .text = "host",
                                                   .guid = mad::Guid{6},
                                                   .severity = fabric::Severity::info,
                                                   .caused_by = fabric::find_subject(leaf)},
                                     .since = {}}};
  const auto found = all("conditions", 2, "&severity=info");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["caused_by"], (Json{{"id", "SM-NODE-LOST"}, {"guid", "0x0000000000000005"}}));
  EXPECT_EQ(all("conditions", 2, "&severity=critical").size(), 1u);
  EXPECT_EQ(client.json("/v1/subnet")["conditions"],
            (Json{{"critical", 1}, {"error", 0}, {"warning", 0}, {"info", 0}}));
}

TEST_F(Reads, WhatIsWrongWithAQueryIsNamed) {
  const Json unknown = client.problem(client.get("/v1/nodes?kind=Switch"), 400);
  EXPECT_EQ(unknown["detail"], "there is no query parameter 'kind' here");
  EXPECT_THAT(unknown["remedy"].get<std::string>(), HasSubstr("type"));
  EXPECT_THAT(client.problem(client.get("/v1/nodes?type=Host"), 400)["remedy"],
              "CA, Switch or Router");
  for (const char* const target : {"/v1/nodes?limit=0",
                                   "/v1/nodes?limit=10001",
                                   "/v1/nodes?limit=x",
                                   "/v1/nodes?limit=-1",
                                   "/v1/nodes?cursor=zz",
                                   "/v1/nodes?cursor=12",
                                   "/v1/nodes?guid=leaf",
                                   "/v1/nodes?name=",
                                   "/v1/nodes?type=CA&type=CA",
                                   "/v1/ports?cursor=0000000000000010",
                                   "/v1/ports?state=Up",
                                   "/v1/links?degraded=yes",
                                   "/v1/lids?lid=0",
                                   "/v1/lids?cursor=12345",
                                   "/v1/vports?cursor=1",
                                   "/v1/groups?p_key=all",
                                   "/v1/groups?cursor=00",
                                   "/v1/services?cursor=00",
                                   "/v1/sms?state=x",
                                   "/v1/conditions?severity=bad",
                                   "/v1/conditions?cursor=x",
                                   "/v1/subnet?x=1",
                                   "/v1/topology?x=1",
                                   "/v1/routing/path?from=n0",
                                   "/v1/routing/path"})
    EXPECT_EQ(client.get(target).status, 400u) << target;
}

TEST_F(Reads, APathIsShownHopByHopThereAndBack) {
  const Json path = client.json("/v1/routing/path?from=n0&to=n3");
  EXPECT_EQ(path["from"]["description"], "n0 mlx5_0");
  for (const char* const direction : {"forward", "reverse"}) {
    const Json& trace = path[direction];
    EXPECT_EQ(trace["arrives"], true) << trace;
    ASSERT_EQ(trace["hops"].size(), 5u);
    EXPECT_TRUE(trace["hops"][0]["in_port"].is_null());
    EXPECT_TRUE(trace["hops"][4]["out_port"].is_null());
    EXPECT_FALSE(trace["hops"][4].contains("neighbor_mtu"));
    EXPECT_EQ(trace["hops"][0]["link_speed_active"], "NDR");
    EXPECT_THAT(trace["hops"][2]["description"].get<std::string>(), HasSubstr("spine-"));
  }
  EXPECT_EQ(path["forward"]["dlid"], path["to"]["lid"]);
  EXPECT_EQ(path["reverse"]["dlid"], path["from"]["lid"]);
  EXPECT_THAT(client.problem(client.get("/v1/routing/path?from=n0&to=n9"), 404)["detail"]
                  .get<std::string>(),
              HasSubstr("to: nothing here is called \"n9\""));
}

TEST_F(Reads, RoutersOtherSubnetsAndThePathToOneAreShown) {
  fabric::Fabric fabric = published::small_tree();
  fabric::NodeIndex node{0};
  for (const fabric::NodeIndex index : fabric.nodes.indices())
    if (fabric.description(index).starts_with("n3")) node = index;
  fabric.nodes[node].type = mad::NodeType::router;
  const auto routed = published::routed(std::move(fabric));
  auto routers = std::make_shared<fabric::Routers>();
  routers->routers.push_back({.node = node,
                              .state = fabric::RouterState::read,
                              .reason = {},
                              .entries = {{.prefix = 0xfec0000000000002,
                                           .p_key = mad::kDefaultPKeyFull,
                                           .is_adjacent = true,
                                           .master_sm_lid = {}}},
                              .global_flids = {.first = 0xC000, .last = 0xC0FF}});
  fabric::index_subnets(routed->fabric, *routers);
  routers->lost = {{.prefix = 0xfec0000000000001, .router = routed->fabric.nodes[node].guid},
                   {.prefix = 0xfec0000000000002, .router = mad::Guid{0xDEAD}}};
  routed->routers = routers;
  manager.publish(routed);
  const Json shown = client.json("/v1/routers")["routers"];
  ASSERT_EQ(shown.size(), 1u);
  EXPECT_EQ(shown[0]["state"], "read");
  EXPECT_EQ(shown[0]["subnets"][0]["subnet_prefix"], "0xfec0000000000002");
  EXPECT_EQ(shown[0]["global_flids"]["last"], 0xC0FF);
  EXPECT_TRUE(shown[0]["local_flids"].is_null());
  const Json subnets = client.json("/v1/subnets")["subnets"];
  ASSERT_EQ(subnets.size(), 2u);
  EXPECT_EQ(subnets[0]["state"], "unreachable");
  EXPECT_EQ(subnets[0]["routers"], Json::array());
  EXPECT_EQ(subnets[0]["lost"][0]["description"], shown[0]["description"]);
  EXPECT_EQ(subnets[1]["state"], "reachable");
  EXPECT_EQ(subnets[1]["routers"][0]["node_guid"], shown[0]["node_guid"]);
  EXPECT_EQ(subnets[1]["routers"][0]["used"], true);
  EXPECT_TRUE(subnets[1]["routers"][0]["policy_weight"].is_null());
  EXPECT_TRUE(subnets[1]["lost"][0]["description"].is_null()) << "it is not in the fabric";
  const Json path = client.json("/v1/routing/path?from=n0&to=fec0:0:0:2::9");
  EXPECT_EQ(path["beyond"]["node_guid"], shown[0]["node_guid"]);
  EXPECT_EQ(path["to"]["port_guid"], shown[0]["ports"][0]["port_guid"]);
  EXPECT_EQ(path["forward"]["arrives"], true);
  EXPECT_THAT(client.problem(client.get("/v1/routing/path?from=n0&to=fec0:0:0:3::9"), 409)["detail"]
                  .get<std::string>(),
              HasSubstr("no router leads to subnet 0xfec0000000000003"));
}

TEST_F(Reads, APathBeginsAndEndsAtGidsOfThisSubnet) {
  const std::string n0 = client.json("/v1/nodes?name=n0")["nodes"][0]["node_guid"];
  const Json port = client.json("/v1/ports?node=" + n0 + "&linked=true")["ports"][0];
  const std::string guid = port["port_guid"];  // 0x and 16 digits
  const std::string gid = fmt::format("fe80::{}:{}:{}:{}", guid.substr(2, 4), guid.substr(6, 4),
                                      guid.substr(10, 4), guid.substr(14, 4));
  EXPECT_EQ(client.json("/v1/routing/path?from=" + gid + "&to=n3")["from"]["node_guid"], n0);
  EXPECT_EQ(client.json("/v1/routing/path?from=n3&to=" + gid)["to"]["node_guid"], n0);
  const std::string foreign = "fec0:0:0:2:" + gid.substr(6);
  EXPECT_THAT(
      client.problem(client.get("/v1/routing/path?from=" + foreign + "&to=n3"), 404)["detail"]
          .get<std::string>(),
      HasSubstr("is in another subnet"));
}

TEST_F(Reads, APathHasTheVlOfLinksThatHaveOneDataVl) {
  fabric::Fabric fabric = published::small_tree();
  for (fabric::Port& port : fabric.ports)
    port.info.set_operational_vls(fabric.description(port.node) == "leaf-1" ? 3 : 1);
  manager.publish(published::routed(std::move(fabric)));
  const Json hops = client.json("/v1/routing/path?from=n0&to=n3")["forward"]["hops"];
  ASSERT_EQ(hops.size(), 5u);  // n0, leaf-0, a spine, leaf-1, n3
  for (const std::size_t hop : {0u, 1u, 2u}) EXPECT_EQ(hops[hop]["vl"], 0) << hops[hop];
  EXPECT_TRUE(hops[3]["vl"].is_null()) << "four data VLs, mapped by the port as it likes";
}

TEST_F(Reads, APathThatIsLostSaysWhere) {
  auto subnet = published::routed(published::small_tree());
  const auto lid = client.json("/v1/routing/path?from=n0&to=n3")["to"]["lid"].get<unsigned>();
  auto lfts = std::make_shared<fabric::ForwardingTables>(*subnet->lfts);
  for (const fabric::SwitchIndex sw : lfts->all_switches()) lfts->writable_row(sw)[lid] = 0xFF;
  subnet->lfts = lfts;
  manager.publish(subnet);
  const Json trace = client.json("/v1/routing/path?from=n0&to=n3")["forward"];
  EXPECT_EQ(trace["arrives"], false);
  EXPECT_THAT(trace["detail"].get<std::string>(), HasSubstr("has no entry for LID"));
}

TEST_F(Reads, RoutingHasItsQuality) {
  const Json routing = client.json("/v1/routing");
  EXPECT_EQ(routing["engine"], "minhop");
  EXPECT_EQ(routing["quality"]["lost_pairs"], 0);
  EXPECT_EQ(routing["quality"]["credit_loops"], 0);
  EXPECT_EQ(routing["quality"]["hops"]["longest"], 2);
}

TEST_F(Reads, TheTopologyHasColumnsOfOneLength) {
  const Json topology = client.json("/v1/topology");
  EXPECT_EQ(topology["kind"], "tree");
  for (const auto& [name, column] : topology["nodes"].items()) EXPECT_EQ(column.size(), 8u) << name;
  for (const auto& [name, column] : topology["links"].items()) EXPECT_EQ(column.size(), 8u) << name;
  EXPECT_EQ(topology["rates"].size(), 2u);
  EXPECT_EQ(topology["rates"][topology["links"]["rate"][0].get<std::size_t>()]["rate_gbps"], 400);
  const Json& nodes = topology["nodes"];
  std::uint64_t load = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string name = nodes["description"][i];
    EXPECT_EQ(nodes["layer"][i], name.starts_with("n") ? 0 : name.starts_with("leaf") ? 1 : 2);
    EXPECT_EQ(nodes["leaf"][i] == -1, !name.starts_with("n"));
    ASSERT_EQ(nodes["port_guids"][i].size(), 1u) << name;
    const std::string port_guid = nodes["port_guids"][i][0];
    EXPECT_EQ(client.json("/v1/ports?guid=" + port_guid)["ports"][0]["node_guid"],
              nodes["node_guid"][i]);
    const auto ab = topology["links"]["load_ab"][i].get<std::int64_t>();
    if (ab >= 0)
      load += static_cast<std::uint64_t>(ab + topology["links"]["load_ba"][i].get<std::int64_t>());
  }
  EXPECT_EQ(load, 2u * 8u);  // 8 pairs of hosts on different leaves, two links each
}

TEST_F(Reads, TheTopologyHasTheShapeOfAGrid) {
  EXPECT_TRUE(client.json("/v1/topology")["grid"].is_null());
  const tori::Lattice lattice{.radix = {3, 5, 1}, .wraps = {false, true, true}};
  manager.publish(published::routed(lattice.fabric()));
  const Json topology = client.json("/v1/topology");
  EXPECT_EQ(topology["kind"], "torus");
  EXPECT_EQ(topology["grid"], Json::parse(R"({"radix":[5,3],"wraps":[true,false]})"));
}

TEST_F(Reads, WhatTheClientHasIsNotSentAgain) {
  for (const char* const target : {"/v1/topology", "/v1/nodes", "/v1/links?degraded=true"}) {
    const auto first = client.get(target);
    ASSERT_FALSE(first.etag.empty());
    const auto again = client.get(target, {{"if-none-match", "\"" + first.etag + "\""}});
    EXPECT_EQ(again.status, 304u);
    EXPECT_EQ(again.body, "");
    EXPECT_EQ(again.etag, first.etag);
  }
  const std::string before = client.get("/v1/nodes").etag;
  manager.publish(published::routed(published::small_tree()));
  EXPECT_NE(client.get("/v1/nodes").etag, before);
}

TEST_F(Reads, BeforeTheFirstSweepListsAreEmpty) {
  manager.publish(nullptr);
  manager.view.status.state = mad::SmState::discovering;
  for (const char* const list : {"nodes", "ports", "links", "lids", "vports", "groups"}) {
    const Json page = client.json(fmt::format("/v1/{}", list));
    EXPECT_TRUE(page["fabric_id"].is_null());
    EXPECT_EQ(page[list].size(), 0u);
  }
  EXPECT_EQ(client.json("/v1/topology")["nodes"]["lid"].size(), 0u);
  EXPECT_TRUE(client.json("/v1/routing")["engine"].is_null());
  client.problem(client.get("/v1/routing/path?from=n0&to=n1"), 503);
  client.problem(client.request(Method::post, "/v1/plan", "{}"), 503);
}

TEST_F(Reads, DescriptionsThatAreNoTextStayJson) {
  auto fabric = published::small_tree();
  fabric.nodes[fabric::NodeIndex(4)].description.set_text("bad \xff\" name");
  manager.publish(published::routed(std::move(fabric)));
  EXPECT_EQ(client.json("/v1/nodes")["nodes"].size(), 8u);
  EXPECT_EQ(client.json("/v1/topology")["nodes"]["description"].size(), 8u);
}

TEST(ApiRows, TheRateOfAGroupIsExact) {
  sa::Group group;
  group.rate = 2;
  EXPECT_EQ(sm::group_row(group, 0)["rate_gbps"], 2.5);
  group.rate = 3;
  EXPECT_EQ(sm::group_row(group, 0)["rate_gbps"].dump(), "10");
}

}  // namespace api_reads_test
