// Conditions of a place: both ends of a link have them; what was lost is found by its name.

#include <gmock/gmock.h>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "sm/performance/counter_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/api_client.h"
#include "unit/sm/ops/api/published.h"

namespace places_test {

using api_client::Client;
using api_client::Json;
using fabric::ConditionId;
using testing::AllOf, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty,
    testing::UnorderedElementsAre;

class Places : public testing::Test {
 protected:
  Places() {
    const fabric::Fabric& fabric = manager.view.status.subnet->fabric;
    for (const fabric::Node& node : fabric.nodes) guids[node.description.text()] = node.guid;
    manager.view.status.lost = std::make_shared<const std::vector<sm::LostThing>>(
        std::vector<sm::LostThing>{{.node = {0x77},
                                    .name = "n9 mlx5_0",
                                    .peer_node = guids["leaf-0"],
                                    .peer_port = mad::PortNum{5},
                                    .peer = "leaf-0",
                                    .since = manager.view.status.now - std::chrono::seconds(90),
                                    .end_ports = {{0x78}}},
                                   {.node = guids["leaf-1"],
                                    .port = mad::PortNum{6},
                                    .name = "leaf-1",
                                    .peer_node = guids["spine-1"],
                                    .peer_port = mad::PortNum{4},
                                    .peer = "spine-1",
                                    .since = manager.view.status.now}});
  }
  void raise(ConditionId id, const std::string& node, std::optional<unsigned> port) {
    fabric::Condition condition{.id = id, .text = node, .guid = guids.at(node)};
    if (port) condition.port = mad::PortNum{static_cast<std::uint8_t>(*port)};
    manager.view.status.conditions.push_back({.condition = condition, .since = {}});
  }
  /// Returns the identifiers of the conditions of this place.
  std::vector<std::string> conditions(const std::string& place) {
    std::vector<std::string> ids;
    const Json answer = client.json("/v1/conditions?node=" + place);
    for (const Json& row : answer["conditions"]) ids.push_back(row["id"]);
    return ids;
  }
  std::string detail(const std::string& target) {
    return client.problem(client.get(target), 404)["detail"];
  }

  published::Manager manager;
  std::map<std::string, mad::Guid> guids;
  Client client{sm::api_resources(manager.sources())};
};

TEST_F(Places, BothEndsOfALinkHaveItsConditions) {
  raise(sm::kSweepConditions.link_degraded, "n3 mlx5_0", 1);
  EXPECT_THAT(conditions("n3"), ElementsAre("SM-LINK-DEGRADED"));
  EXPECT_THAT(conditions("leaf-1"), ElementsAre("SM-LINK-DEGRADED"));
  EXPECT_THAT(conditions("leaf-1:2"), ElementsAre("SM-LINK-DEGRADED"));
  EXPECT_THAT(conditions("leaf-1:1"), IsEmpty());
  EXPECT_THAT(conditions("leaf-0"), IsEmpty());
  EXPECT_EQ(client.json(fmt::format("/v1/nodes/{}/ports/2", guids["leaf-1"]))["conditions"].size(),
            1u);
}

TEST_F(Places, ALostLinkIsNamedAtBothEnds) {
  raise(sm::kSweepConditions.link_lost, "leaf-1", 6);
  EXPECT_THAT(conditions("spine-1:4"), ElementsAre("SM-LINK-LOST"));
  EXPECT_THAT(conditions("leaf-1:6"), ElementsAre("SM-LINK-LOST"));
  EXPECT_THAT(conditions("spine-1:3"), IsEmpty());
  EXPECT_EQ(client.json(fmt::format("/v1/nodes/{}", guids["spine-1"]))["conditions"].size(), 1u);
}

TEST_F(Places, AConditionOfAHostIsOneOfItsPort) {
  raise(sm::kCounterConditions.counters_unavailable, "n1 mlx5_0", std::nullopt);
  EXPECT_THAT(conditions("n1"), ElementsAre("SM-COUNTERS-UNAVAILABLE"));
  EXPECT_THAT(conditions("n1:1"), ElementsAre("SM-COUNTERS-UNAVAILABLE"));
  EXPECT_THAT(conditions("leaf-0"), IsEmpty()) << "which has nothing to do with it";
}

TEST_F(Places, AConditionOfASwitchIsNoneOfEachPort) {
  raise(sm::kLidConditions.lft_too_small, "leaf-0", std::nullopt);
  EXPECT_THAT(conditions("leaf-0"), ElementsAre("SM-LFT-TOO-SMALL"));
  EXPECT_THAT(conditions("leaf-0:0"), ElementsAre("SM-LFT-TOO-SMALL"));
  EXPECT_THAT(conditions("leaf-0:3"), IsEmpty());
}

TEST_F(Places, ALostHostIsNamedAtTheSwitchPortWhereItWas) {
  manager.view.status.conditions = {
      {.condition = {.id = sm::kSweepConditions.node_lost, .text = "n9", .guid = {0x77}},
       .since = {}}};
  raise(fabric::kFabricConditions.node_silent, "leaf-0", 5);
  EXPECT_THAT(conditions("leaf-0:5"), UnorderedElementsAre("SM-NODE-LOST", "SM-NODE-SILENT"));
  EXPECT_THAT(conditions("n9"), UnorderedElementsAre("SM-NODE-LOST", "SM-NODE-SILENT"));
  EXPECT_THAT(conditions("n9:1"), UnorderedElementsAre("SM-NODE-LOST", "SM-NODE-SILENT"));
  EXPECT_THAT(conditions("0x0000000000000078"),
              UnorderedElementsAre("SM-NODE-LOST", "SM-NODE-SILENT"))
      << "by the GUID of its port";
  EXPECT_THAT(conditions("leaf-0:6"), IsEmpty());
}

TEST_F(Places, ALostNodeIsAnsweredWithItsTimeAndPlace) {
  const auto is_named =
      AllOf(HasSubstr("\"n9 mlx5_0\" (0x0000000000000077) has been lost for 1 min"),
            HasSubstr(fmt::format("it was behind \"leaf-0\" ({}) port 5", guids["leaf-0"])));
  for (const char* const target : {"/v1/nodes/n9", "/v1/nodes?node=n9", "/v1/links?node=n9:1",
                                   "/v1/routing/path?from=n0&to=n9",
                                   "/v1/routing/path?from=n9&to=n0", "/v1/routing/loads?node=n9"})
    EXPECT_THAT(detail(target), is_named) << target;
  EXPECT_THAT(detail("/v1/nodes/n8"), HasSubstr("n8"));
  EXPECT_EQ(client.json("/v1/lost?node=n9")["lost"].size(), 1u);
  EXPECT_EQ(client.json("/v1/lost?node=spine-1:4")["lost"].size(), 1u);
  EXPECT_EQ(client.json("/v1/lost?node=n8")["lost"].size(), 0u);
}

}  // namespace places_test
