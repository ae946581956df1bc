// Adaptive routing as operators see it: lists, summary, paths.

#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "mad/format.h"
#include "unit/sm/ops/api/published.h"

namespace adaptive_test {

using api_client::Client;
using api_client::Json;
using testing::ElementsAre;
using testing::HasSubstr;

/// Two leaves with a host each; spine-0 has two links to leaf-1, and spine-1 one.
fabric::Fabric lopsided_tree() {
  fabrics::Maker maker;
  const fabric::NodeIndex spines[]{maker.sw(4, "spine-0"), maker.sw(4, "spine-1")};
  const fabric::NodeIndex leaves[]{maker.sw(6, "leaf-0"), maker.sw(6, "leaf-1")};
  for (const fabric::NodeIndex leaf : leaves) maker.host(leaf);
  for (const fabric::NodeIndex spine : spines)
    for (const fabric::NodeIndex leaf : leaves) maker.cable(leaf, spine);
  maker.cable(leaves[1], spines[0]);
  fabric::Fabric fabric = maker.build();
  unsigned host = 0;
  for (fabric::Node& node : fabric.nodes)
    if (!node.is_switch()) node.description.set_text("n" + std::to_string(host++));
  return fabric;
}

class Adaptive : public testing::Test {
 protected:
  void publish(fabric::Fabric fabric = published::small_tree()) {
    auto next = published::routed(std::move(fabric));
    routing = published::adaptive_tree(*next);
    next->adaptive = routing;
    subnet = next;
    manager.publish(next);
  }
  fabric::AdaptiveSwitch& of(std::string_view name) {
    return routing->switches[published::find_switch(*subnet, name)];
  }
  Json row(const std::string& query) {
    const Json rows = client.json("/v1/adaptive-routing" + query)["switches"];
    EXPECT_EQ(rows.size(), 1u) << query;
    return rows.empty() ? Json() : rows[0];
  }
  Json forward(const char* from, const char* to) {
    return client.json(fmt::format("/v1/routing/path?from={}&to={}", from, to))["forward"];
  }

  published::Manager manager;
  Client client{sm::api_resources(manager.sources())};
  std::shared_ptr<fabric::AdaptiveRouting> routing;
  std::shared_ptr<const fabric::Subnet> subnet;
};

TEST_F(Adaptive, NothingIsShownWithoutAnEngineThatAsksForIt) {
  EXPECT_EQ(client.json("/v1/adaptive-routing")["switches"].size(), 0u);
  EXPECT_EQ(client.json("/v1/adaptive-routing/leaf-0/groups")["groups"].size(), 0u);
  EXPECT_FALSE(client.json("/v1/subnet").contains("adaptive_routing"));
  EXPECT_TRUE(client.json("/v1/routing")["adaptive_routing"].is_null());
  EXPECT_FALSE(client.json("/v1/nodes/leaf-0").contains("adaptive_routing"));
  EXPECT_FALSE(forward("n0", "n3").contains("adaptive_hops"));
}

TEST_F(Adaptive, SwitchesHaveStateAndReason) {
  publish();
  of("leaf-1") = {.state = fabric::AdaptiveState::unsupported, .reason = "status 0x000c"};
  of("spine-0").pfrn = true;
  EXPECT_EQ(row("?state=unsupported")["reason"], "no adaptive routing capability: status 0x000c");
  const Json spine = row("?node=spine-0");
  EXPECT_EQ(spine["state"], "active");
  EXPECT_FALSE(spine.contains("reason"));
  EXPECT_EQ(spine["fast_recovery"], true);
  EXPECT_EQ(spine["pfrn"], true);
  EXPECT_EQ(spine["groups"], 2);
  EXPECT_EQ(row("?name=LEAF-0")["description"], "leaf-0");
  EXPECT_EQ(row("?guid=" + spine["node_guid"].get<std::string>()), spine);
  EXPECT_EQ(client.json("/v1/nodes/leaf-1")["adaptive_routing"]["state"], "unsupported");
  client.problem(client.get("/v1/adaptive-routing?state=on"), 400);
  client.problem(client.get("/v1/adaptive-routing?node=leaf-9"), 404);
  client.problem(client.get("/v1/adaptive-routing?cursor=1"), 400);
}

TEST_F(Adaptive, PagesHaveEverySwitchAndGroupOnce) {
  publish();
  std::vector<std::string> names;
  std::string cursor;
  for (unsigned page = 0; page < 9; ++page) {
    const Json answer = client.json("/v1/adaptive-routing?limit=1" + cursor);
    for (const Json& sw : answer["switches"]) names.push_back(sw["description"]);
    if (answer["next_cursor"].is_null()) break;
    cursor = "&cursor=" + answer["next_cursor"].get<std::string>();
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("spine-0", "spine-1", "leaf-0", "leaf-1"));

  const Json first = client.json("/v1/adaptive-routing/spine-0/groups?limit=1");
  ASSERT_EQ(first["groups"].size(), 1u);
  EXPECT_EQ(first["groups"][0]["description"], "leaf-0");
  const Json second = client.json("/v1/adaptive-routing/spine-0/groups?limit=1&cursor=" +
                                  first["next_cursor"].get<std::string>());
  EXPECT_EQ(second["groups"][0]["group"], 2);
  EXPECT_TRUE(second["next_cursor"].is_null());
}

TEST_F(Adaptive, GroupsHaveTheirPortsAndTheSwitchThatTheyLeadTo) {
  publish();
  const Json groups = client.json("/v1/adaptive-routing/leaf-0/groups")["groups"];
  ASSERT_EQ(groups.size(), 1u) << "none to itself";
  EXPECT_EQ(groups[0]["description"], "leaf-1");
  EXPECT_EQ(groups[0]["ports"], Json({3, 4}));
  EXPECT_EQ(client.json("/v1/adaptive-routing/spine-0/groups?to=leaf-1")["groups"].size(), 1u);
  client.problem(client.get("/v1/adaptive-routing/n0/groups"), 404);
  client.problem(client.get("/v1/adaptive-routing/leaf-0:1/groups"), 404);
  client.problem(client.get("/v1/adaptive-routing/leaf-0/groups?cursor=00"), 400);
}

TEST_F(Adaptive, TheSummaryCountsSwitchesAndNamesWhatApplicationsNeed) {
  publish();
  routing->sl_mask = 0x00F0;
  for (const char* const name : {"spine-0", "spine-1", "leaf-0", "leaf-1"})
    of(name).state = fabric::AdaptiveState::pending;
  const Json summary = client.json("/v1/subnet")["adaptive_routing"];
  EXPECT_EQ(summary, client.json("/v1/routing")["adaptive_routing"]);
  EXPECT_EQ(summary["switches"], 4);
  EXPECT_EQ(summary["states"]["pending"], 4);
  EXPECT_EQ(summary["states"]["active"], 0);
  EXPECT_EQ(summary["not_active"].size(), 3u) << "the fourth is counted";
  EXPECT_EQ(summary["groups"], 2);
  EXPECT_EQ(summary["sls"], Json({4, 5, 6, 7}));
  EXPECT_EQ(summary["static_sls"].size(), 12u);
  EXPECT_EQ(summary["transports"], Json({"RC", "DC"}));
  EXPECT_EQ(summary["environment"],
            Json({{"UCX_IB_SL", "4"}, {"NCCL_IB_SL", "4"}, {"NCCL_IB_ADAPTIVE_ROUTING", "1"}}));
  routing->sl_mask = 0;
  EXPECT_TRUE(client.json("/v1/subnet")["adaptive_routing"]["environment"].is_null());
}

TEST_F(Adaptive, APathHasAllPortsOfTheGroupWithTheirShares) {
  publish(lopsided_tree());
  const Json path = client.json("/v1/routing/path?from=n0&to=n1");
  const Json& way = path["forward"];
  ASSERT_TRUE(way.contains("adaptive_hops"));
  EXPECT_TRUE(way["adaptive_detail"].is_null());
  EXPECT_EQ(way["hops"].size(), 5u) << "the static path stays";
  std::map<std::string, Json> hops;
  for (const Json& hop : way["adaptive_hops"]) hops[hop["description"]] = hop;
  ASSERT_EQ(hops.size(), 6u) << "each node once";
  EXPECT_EQ(hops["leaf-0"]["share"], 1);
  ASSERT_EQ(hops["leaf-0"]["out_ports"].size(), 2u);
  EXPECT_EQ(hops["leaf-0"]["group"], 2);
  std::size_t fixed = 0;
  for (const Json& out : hops["leaf-0"]["out_ports"]) {
    EXPECT_EQ(out["share"], 0.5);
    fixed += out["static"].get<bool>();
    if (out["static"].get<bool>()) {
      EXPECT_EQ(out["port"], way["hops"][1]["out_port"]);
    }
  }
  EXPECT_EQ(fixed, 1u) << "the port of the forwarding table";
  ASSERT_EQ(hops["spine-0"]["out_ports"].size(), 2u) << "parallel links";
  for (const Json& out : hops["spine-0"]["out_ports"]) EXPECT_EQ(out["share"], 0.25);
  EXPECT_EQ(hops["spine-1"]["out_ports"][0]["share"], 0.5);
  EXPECT_EQ(hops["leaf-1"]["share"], 1) << "all paths are one share there";
  EXPECT_EQ(hops["leaf-1"]["in_ports"].size(), 3u);
  EXPECT_TRUE(hops["leaf-1"]["group"].is_null()) << "hosts of its own go by the table";
  EXPECT_EQ(hops["leaf-1"]["links"], 3);
}

TEST_F(Adaptive, OtherSlsAndSwitchesGoByTheForwardingTable) {
  publish();
  routing->sl_mask = 0xFFFE;
  EXPECT_FALSE(forward("n0", "n3").contains("adaptive_hops")) << "SL 0";
  routing->sl_mask = 1;
  of("leaf-0").state = fabric::AdaptiveState::refused;
  const Json way = forward("n0", "n3");
  for (const Json& hop : way["adaptive_hops"]) {
    EXPECT_EQ(hop["share"], 1) << hop;
    if (hop["description"] == "leaf-0") {
      EXPECT_TRUE(hop["group"].is_null());
      ASSERT_EQ(hop["out_ports"].size(), 1u);
      EXPECT_EQ(hop["out_ports"][0]["port"], way["hops"][1]["out_port"]);
    }
  }
  EXPECT_FALSE(forward("n0", "n1").contains("adaptive_hops")) << "at the same switch";
}

TEST_F(Adaptive, GroupsThatFormALoopAreNotFollowedWithoutEnd) {
  publish();
  // Spines send packets to leaf-1 back to leaf-0.
  fabric::AdaptiveGroups groups = *routing->groups;
  for (const char* const name : {"spine-0", "spine-1"}) {
    auto& row = groups.rows[published::find_switch(*subnet, name)];
    fabric::AdaptiveGroups::Row wrong = *row;
    wrong.set_of[2] = wrong.set_of[1];
    row = std::make_shared<const fabric::AdaptiveGroups::Row>(wrong);
  }
  routing->groups = std::make_shared<const fabric::AdaptiveGroups>(groups);
  EXPECT_EQ(forward("n0", "n3")["adaptive_detail"], "the forwarding tables form a loop");
}

}  // namespace adaptive_test
