// Plans and commands of /v1.

#include <gmock/gmock.h>

#include "mad/format.h"
#include "support/partitioned.h"
#include "unit/sm/ops/api/published.h"

namespace api_changes_test {

using api_client::Client;
using api_client::Json;
using sm::web::Method;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Changes : public testing::Test {
 protected:
  published::Manager manager;
  Client client{sm::api_resources(manager.sources())};

  Json refused(const std::string& body, unsigned status = 422) {
    return client.problem(client.request(Method::post, "/v1/plan", body), status);
  }
};

TEST_F(Changes, ASpineLessMovesItsLoadToTheOther) {
  const Json plan = client.post("/v1/plan", {{"without", {"spine-0"}}, {"links", true}});
  EXPECT_EQ(plan["before"]["lost_pairs"], 0);
  EXPECT_EQ(plan["after"]["lost_pairs"], 0);
  EXPECT_EQ(plan["after"]["hosts"], 4);
  EXPECT_GT(plan["after"]["load"]["worst"], plan["before"]["load"]["worst"]);
  EXPECT_EQ(plan["links"]["down"].size(), 2u);
  const Json topology = client.json("/v1/topology");
  ASSERT_EQ(plan["links"]["load_ab"].size(), topology["links"]["a"].size());
  for (const Json& down : plan["links"]["down"]) {
    EXPECT_EQ(plan["links"]["load_ab"][down.get<std::size_t>()], -1);
    const auto a = topology["links"]["a"][down.get<std::size_t>()].get<std::size_t>(),
               b = topology["links"]["b"][down.get<std::size_t>()].get<std::size_t>();
    EXPECT_TRUE(topology["nodes"]["description"][a] == "spine-0" ||
                topology["nodes"]["description"][b] == "spine-0");
  }
  EXPECT_EQ(plan["snapshot"], topology["snapshot"]);
  EXPECT_GT(plan["forwarding_blocks"]["all"], 0);
  // Nothing is written: what is published is as before.
  EXPECT_EQ(client.json("/v1/topology"), topology);
}

TEST_F(Changes, ALeafLessIsWithoutItsHosts) {
  const Json plan = client.post("/v1/plan", {{"without", {"leaf-1"}}});
  EXPECT_EQ(plan["before"]["hosts"], 4);
  EXPECT_EQ(plan["after"]["hosts"], 2);
  EXPECT_EQ(plan["hosts_cut_off"]["all"], 2);
  EXPECT_EQ(plan["hosts_cut_off"]["hosts"][0]["description"], "n2 mlx5_0");
  EXPECT_EQ(plan["hosts_cut_off"]["hosts"][1]["description"], "n3 mlx5_0");
  EXPECT_EQ(plan["after"]["lost_pairs"], 10) << "12 pairs of hosts, and 2 afterwards";
  for (const Json& sw : plan["forwarding_blocks"]["switches"])
    EXPECT_NE(sw["description"], "leaf-1") << "nothing is written to what is gone";
}

TEST_F(Changes, ALeafWithoutUplinksIsCutOffWithItsHosts) {
  const Json plan =
      client.post("/v1/plan", {{"without", {"leaf-1:3", "leaf-1:4"}}, {"links", true}});
  EXPECT_EQ(plan["hosts_cut_off"]["all"], 2);
  EXPECT_EQ(plan["after"]["hosts"], 4) << "attached to a switch";
  EXPECT_EQ(plan["after"]["lost_pairs"], 8);
  for (const Json& sw : plan["forwarding_blocks"]["switches"])
    EXPECT_NE(sw["description"], "leaf-1");
}

TEST_F(Changes, AHostThatGoesIsCutOff) {
  const Json plan = client.post("/v1/plan", {{"without", {"n3"}}});
  EXPECT_EQ(plan["hosts_cut_off"]["all"], 1);
  EXPECT_EQ(plan["after"]["lost_pairs"], 6);
  EXPECT_EQ(client.post("/v1/plan", {{"without", {"spine-0"}}})["hosts_cut_off"]["all"], 0);
}

TEST_F(Changes, AnotherEngineIsNamedWithItsVls) {
  const Json plan = client.post("/v1/plan", {{"routing_engine", {"updn"}}, {"rebalance", true}});
  EXPECT_EQ(plan["engine"], "updn");
  EXPECT_EQ(plan["after"]["credit_loops"], 0);
  EXPECT_EQ(plan["before"]["engine"], "minhop");
}

TEST_F(Changes, OtherPartitionsWritePKeys) {
  auto fabric = published::small_tree();
  partitioned::give_tables(fabric);
  manager.publish(published::routed(std::move(fabric)));
  const auto key_blocks = [&](const Json& change) {
    unsigned blocks = 0;
    const Json plan = client.post("/v1/plan", change);
    for (const Json& stage : plan["writes"]["stages"])
      if (stage["stage"] == "P_Key table blocks") blocks += stage["writes"].get<unsigned>();
    return blocks;
  };
  EXPECT_EQ(key_blocks(Json::object()), 0u);
  // 4 hosts, and the switch ports in front of them; switches are members of the default one only.
  EXPECT_EQ(key_blocks({{"partitions", "Default=0x7fff: ALL=full;\nblue=0x0005: ALL_CAS=full;\n"}}),
            8u);
}

TEST_F(Changes, WhatIsLostIsListedUntilItIsForgotten) {
  EXPECT_EQ(client.json("/v1/lost")["lost"], Json::array());
  const mad::TimePoint now = manager.view.status.now;
  manager.view.status.lost = std::make_shared<const std::vector<sm::LostThing>>(
      std::vector<sm::LostThing>{{.node = mad::Guid{0x7},
                                  .port = {},
                                  .name = "n7 mlx5_0",
                                  .peer_node = mad::Guid{0x8},
                                  .peer_port = mad::PortNum{3},
                                  .peer = "leaf-7",
                                  .cause = mad::Guid{0x8},
                                  .since = now - std::chrono::minutes(2)},
                                 {.node = mad::Guid{0x8},
                                  .port = mad::PortNum{4},
                                  .name = "leaf-7",
                                  .peer_node = {},
                                  .peer_port = {},
                                  .peer = {},
                                  .since = now}});
  const Json lost = client.json("/v1/lost")["lost"];
  ASSERT_EQ(lost.size(), 2u);
  EXPECT_EQ(lost[0], (Json{{"kind", "node"},
                           {"node_guid", "0x0000000000000007"},
                           {"name", "n7 mlx5_0"},
                           {"is_switch", false},
                           {"peer_guid", "0x0000000000000008"},
                           {"peer", "leaf-7"},
                           {"peer_port", 3},
                           {"caused_by", "0x0000000000000008"},
                           {"for_s", 120}}));
  EXPECT_EQ(lost[1], (Json{{"kind", "link"},
                           {"node_guid", "0x0000000000000008"},
                           {"name", "leaf-7"},
                           {"port", 4},
                           {"for_s", 0}}));
  client.post("/v1/forget", {{"place", "n7"}});
  EXPECT_THAT(manager.commands.done, ElementsAre("forget n7"));
}

TEST_F(Changes, DevicesWithCongestionControlAreListed) {
  EXPECT_EQ(client.json("/v1/congestion")["congestion"], Json::array());
  auto table = std::make_shared<sm::CongestionTable>();
  table->devices.push_back({.guid = mad::Guid{0x71},
                            .node = mad::Guid{0x7},
                            .port = mad::PortNum{1},
                            .state = sm::CongestionState::refused,
                            .refuses = mad::CongestionControlAttribute::ca_congestion_setting,
                            .status = mad::status::kInvalidValue,
                            .control_map = 3,
                            .table_limit = 127});
  table->devices.push_back({.guid = mad::Guid{0x8},
                            .node = mad::Guid{0x8},
                            .port = {},
                            .is_switch = true,
                            .state = sm::CongestionState::configured,
                            .control_map = 0x15,
                            .threshold = 15,
                            .marking_rate = 1,
                            .has_log = true,
                            .events = 12,
                            .sets = 1,
                            .read_at = manager.view.status.now - std::chrono::minutes(2)});
  table->devices.push_back({.guid = mad::Guid{0x9}, .node = mad::Guid{0x9}, .port = {}});
  manager.view.status.congestion = table;
  const Json rows = client.json("/v1/congestion")["congestion"];
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], (Json{{"node_guid", "0x0000000000000007"},
                           {"port_guid", "0x0000000000000071"},
                           {"description", ""},
                           {"type", "CA"},
                           {"port", 1},
                           {"state", "refused"},
                           {"refused", "CACongestionSetting 0: 0x001c"},
                           {"control_map", 3},
                           {"table_entries", 128},
                           {"sets", 0}}));
  EXPECT_EQ(rows[1], (Json{{"node_guid", "0x0000000000000008"},
                           {"port_guid", "0x0000000000000008"},
                           {"description", ""},
                           {"type", "Switch"},
                           {"port", 0},
                           {"state", "configured"},
                           {"control_map", 0x15},
                           {"threshold", 15},
                           {"marking_rate", 1},
                           {"events", 12},
                           {"sets", 1},
                           {"read_s", 120}}));
  EXPECT_EQ(rows[2]["state"], "pending");
  EXPECT_TRUE(client.json("/v1/congestion/suggestion")["lines"].is_array());
}

TEST_F(Changes, AReloadSaysHowItEnded) {
  manager.commands.reloaded = {.taken = true,
                               .changed = {"sweep_interval"},
                               .needs_restart = {"console"},
                               .errors = {},
                               .messages = {"x.conf:2:1: warning: console changed"}};
  const Json taken = client.post("/v1/reload", Json::object());
  EXPECT_EQ(taken["taken"], true);
  EXPECT_EQ(taken["changed"], Json{"sweep_interval"});
  EXPECT_EQ(taken["needs_restart"], Json{"console"});
  EXPECT_THAT(manager.commands.done, ElementsAre("reload"));
  manager.commands.reloaded = {};
  manager.commands.reloaded.errors = {"x.conf:1:1: error: a"};
  const Json rejected = client.post("/v1/reload", Json::object());
  EXPECT_EQ(rejected["taken"], false);
  EXPECT_EQ(rejected["errors"], Json{"x.conf:1:1: error: a"});
}

TEST_F(Changes, WhatIsWrongWithAPlanIsNamed) {
  EXPECT_EQ(refused(R"({"wihtout":["leaf-1"]})")["pointer"], "/wihtout");
  EXPECT_THAT(refused(R"({"wihtout":["leaf-1"]})")["remedy"].get<std::string>(),
              HasSubstr("without"));
  EXPECT_EQ(refused(R"({"without":"leaf-1"})")["pointer"], "/without");
  EXPECT_THAT(refused(R"({"without":["leaf-9"]})")["detail"].get<std::string>(),
              HasSubstr("leaf-9: nothing here is called"));
  EXPECT_EQ(refused(R"({"routing_engine":["fastest"]})")["pointer"], "/routing_engine");
  EXPECT_THAT(refused(R"({"routing_engine":["fat-tree"]})")["remedy"].get<std::string>(),
              HasSubstr("did you mean ftree? engines: minhop"));
  const Json partitions = refused(R"({"partitions":"blue=0x10000: ALL;"})");
  EXPECT_EQ(partitions["pointer"], "/partitions");
  EXPECT_THAT(partitions["detail"].get<std::string>(), HasSubstr("partitions:1:"));
  EXPECT_EQ(refused(R"({"rebalance":1})")["pointer"], "/rebalance");
  EXPECT_EQ(refused(R"({"links":true,"links":false})")["detail"], "'links' is there twice");
  EXPECT_EQ(refused("[]")["detail"], "the body is no JSON object");
  refused("{", 400);
  refused(std::string(200'000, '['), 400);
  refused(R"({"without":[)" + std::string(100, '[') + std::string(100, ']') + "]}", 400);
}

TEST_F(Changes, NestedBodiesAreRefusedByEveryResource) {
  const std::string nested = std::string(60'000, '[') + std::string(60'000, ']');
  const std::vector<std::tuple<Method, std::string, std::string>> resources{
      {Method::post, "/v1/plan", "without"},
      {Method::post, "/v1/plan", "partitions"},
      {Method::put, "/v1/priority", "priority"},
      {Method::put, "/v1/log-level", "log_flags"},
      {Method::post, "/v1/isolate", "place"}};
  for (const auto& [method, path, member] : resources) {
    const auto response = client.request(method, path, "{\"" + member + "\":" + nested + "}");
    EXPECT_THAT(client.problem(response, 400)["detail"].get<std::string>(), HasSubstr("nested"))
        << path;
  }
}

TEST_F(Changes, PlansOfAMinuteAreBounded) {
  unsigned done = 0;
  for (unsigned i = 0; i < 100; ++i) {
    const auto response = client.request(Method::post, "/v1/plan", R"({"without":["spine-0"]})");
    if (response.status == 200) {
      ++done;
      continue;
    }
    EXPECT_EQ(client.problem(response, 429)["remedy"], "try again later");
    EXPECT_EQ(response.headers.at(0).first, "Retry-After");
    break;
  }
  EXPECT_EQ(done, 60u);
}

TEST_F(Changes, CommandsAreForAdministrators) {
  unsigned commands = 0;
  for (const sm::web::Route& route : client.resources().routes) {
    const bool reads = route.method == Method::get || route.path == "/v1/plan";
    const bool is_free = reads && route.path != "/v1/attributes";
    const bool is_probe = route.path == "/healthz" || route.path == "/readyz";
    EXPECT_EQ(route.least, is_probe  ? sm::web::Role::none
                           : is_free ? sm::web::Role::read
                                     : sm::web::Role::admin)
        << route.path;
    commands += reads ? 0 : 1;
  }
  EXPECT_EQ(commands, 11u);
}

TEST_F(Changes, CommandsReachTheManager) {
  client.checked(client.request(Method::post, "/v1/resweep", ""), "/v1/resweep");
  client.checked(client.request(Method::post, "/v1/rebalance", "{}"), "/v1/rebalance");
  EXPECT_EQ(client.checked(client.request(Method::put, "/v1/priority", R"({"priority":9})"),
                           "/v1/priority")["priority"],
            9);
  client.checked(client.request(Method::put, "/v1/log-level", R"({"log_flags":7})"),
                 "/v1/log-level");
  const std::string place = R"({"place":"leaf 3:17"})";
  EXPECT_EQ(
      client.checked(client.request(Method::post, "/v1/isolate", place), "/v1/isolate")["place"],
      "leaf 3:17");
  client.checked(client.request(Method::post, "/v1/isolate",
                                R"({"place":"n17","reason":"cable 4711","for_s":7200})"),
                 "/v1/isolate");
  client.checked(client.request(Method::post, "/v1/release", place), "/v1/release");
  for (const char* const path :
       {"/v1/poll-counters", "/v1/dump-counters", "/v1/dump-counters/table"})
    client.checked(client.request(Method::post, path, ""), path);
  EXPECT_THAT(manager.commands.done,
              ElementsAre("resweep", "rebalance", "priority 9", "flags 7",
                          "isolate leaf 3:17 by tester (192.0.2.1:4711): , 0 s",
                          "isolate n17 by tester (192.0.2.1:4711): cable 4711, 7200 s",
                          "release leaf 3:17", "poll", "dump lines", "dump table"));
}

TEST_F(Changes, AnOrderIsAnsweredWithWhetherItIsInForce) {
  const std::string place = R"({"place":"n17"})";
  manager.commands.progress = {.made = 4, .in_force = 4};
  for (const char* const path : {"/v1/isolate", "/v1/release", "/v1/forget"})
    EXPECT_EQ(client.checked(client.request(Method::post, path, place), path)["in_force"], true);
  manager.commands.progress.made = 5;
  EXPECT_EQ(
      client.checked(client.request(Method::post, "/v1/isolate", place), "/v1/isolate")["in_force"],
      false);
  EXPECT_FALSE(client.checked(client.request(Method::post, "/v1/resweep", ""), "/v1/resweep")
                   .contains("in_force"))
      << "it is a request for work";
  manager.commands.progress.replicated = 1;
  for (const char* const path : {"/v1/isolate", "/v1/release"})
    EXPECT_EQ(client.checked(client.request(Method::post, path, place), path)["replicated"], 1);
  EXPECT_FALSE(client.checked(client.request(Method::post, "/v1/forget", place), "/v1/forget")
                   .contains("replicated"))
      << "it is not shared";
  manager.commands.progress.replicated = std::nullopt;
  EXPECT_FALSE(client.checked(client.request(Method::post, "/v1/isolate", place), "/v1/isolate")
                   .contains("replicated"))
      << "etcd has it";
}

TEST_F(Changes, AnInvalidCommandDoesNotReachTheManager) {
  for (const auto& [target, body] : {std::pair("/v1/priority", R"({"priority":16})"),
                                     {"/v1/priority", R"({"priority":-1})"},
                                     {"/v1/priority", R"({"priority":"9"})"},
                                     {"/v1/priority", R"({"priority":9.5})"},
                                     {"/v1/priority", "{}"},
                                     {"/v1/priority", R"({"priority":9,"force":true})"},
                                     {"/v1/log-level", R"({"log_flags":256})"}})
    client.problem(client.request(Method::put, target, body), 422);
  for (const char* const body :
       {"{}", R"({"place":7})", R"({"place":"x","port":1})", R"({"place":"x","for_s":0})",
        R"({"place":"x","for_s":"2h"})", R"({"place":"x","reason":7})"})
    client.problem(client.request(Method::post, "/v1/isolate", body), 422);
  client.problem(client.request(Method::post, "/v1/resweep", "now"), 400);
  EXPECT_TRUE(manager.commands.done.empty());
}

TEST_F(Changes, AnOrderThatTheDiskDoesNotTakeIsRefusedWithTheReason) {
  manager.commands.refusal = "cannot write isolated-links: No space left on device";
  manager.commands.disk_is_full = true;
  const Json refusal =
      client.problem(client.request(Method::post, "/v1/isolate", R"({"place":"leaf 3:17"})"), 503);
  EXPECT_EQ(refusal["detail"], "cannot write isolated-links: No space left on device");
  EXPECT_THAT(refusal["remedy"].get<std::string>(), HasSubstr("make room"));
}

TEST_F(Changes, AStandbySaysWhoIsMaster) {
  manager.view.status.state = mad::SmState::standby;
  manager.view.status.managers = {{.guid = mad::Guid{0x31},
                                   .name = "\"n9\" port 1",
                                   .priority = 5,
                                   .state = mad::SmState::master}};
  manager.commands.refusal = "this manager is not MASTER";
  const Json refusal = client.problem(client.request(Method::post, "/v1/resweep", ""), 409);
  EXPECT_EQ(refusal["detail"], "this manager is not MASTER");
  EXPECT_EQ(refusal["remedy"],
            "this manager is Standby; the master is \"n9\" port 1 (port 0x0000000000000031)");
}

}  // namespace api_changes_test
