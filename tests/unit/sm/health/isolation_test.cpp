#include "sm/health/isolation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fabric/switch_graph.h"
#include "sm/health/health_conditions.h"
#include "support/fabrics.h"

namespace isolation_test {

using namespace std::chrono_literals;
using config::HealthAction;
using fabric::ConditionId;
using fabric::Fabric;
using fabric::PortIndex;
using sm::IsolationDecision;
using sm::LinkHealth;
using sm::PortPlace;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// spine-1 and spine-2 above leaf-1 (the manager's), leaf-2 and leaf-3, with two hosts each; leaf-3
/// has one link only, to spine-1.
class Isolation : public testing::Test {
 protected:
  Isolation() {
    fabrics::Maker maker;
    for (const char* name : {"leaf-1", "leaf-2", "leaf-3", "spine-1", "spine-2"})
      nodes.push_back(maker.sw(8, name));
    for (unsigned leaf = 0; leaf < 3; ++leaf)
      for (unsigned host = 1; host <= 2; ++host)
        maker.cable(nodes[leaf], host, maker.ca(1, fmt_host(leaf, host)), 1);
    maker.cable(nodes[0], 7, nodes[3], 1);
    maker.cable(nodes[0], 8, nodes[4], 1);
    maker.cable(nodes[1], 7, nodes[3], 2);
    maker.cable(nodes[1], 8, nodes[4], 2);
    maker.cable(nodes[2], 7, nodes[3], 3);
    fabric = maker.build();
  }
  static std::string fmt_host(unsigned leaf, unsigned host) {
    return "host-" + std::to_string(leaf + 1) + "-" + std::to_string(host);
  }
  PortIndex port(unsigned node, unsigned number) const {
    return fabric.port(nodes[node], mad::PortNum{static_cast<std::uint8_t>(number)});
  }
  PortPlace place(unsigned node, unsigned number) const {
    return sm::port_place(fabric, port(node, number));
  }
  void flaps(unsigned node, unsigned number, std::size_t losses = 5) {
    const PortIndex peer = fabric.ports[port(node, number)].peer;
    LinkHealth::State state{.flapping = true, .losses = losses, .since = 100s + mad::TimePoint{}};
    state.until = state.since + 600s;
    state.towards_host = !fabric.owning_node(peer).is_switch();
    faulty[place(node, number)] = state;
  }
  IsolationDecision decide() const {
    return sm::decide_isolation({.fabric = fabric,
                                 .faulty = faulty,
                                 .policy = policy,
                                 .held_back = held_back,
                                 .settings = settings,
                                 .managers = managers,
                                 .seen = seen,
                                 .previous = previous,
                                 .now = mad::TimePoint{200s}});
  }
  static std::vector<ConditionId> ids(const IsolationDecision& decision) {
    std::vector<ConditionId> found;
    for (const fabric::Condition& condition : decision.conditions) found.push_back(condition.id);
    return found;
  }
  static std::string texts(const IsolationDecision& decision) {
    std::string all;
    for (const fabric::Condition& condition : decision.conditions) all += condition.text + '\n';
    return all;
  }

  Fabric fabric;
  std::vector<fabric::NodeIndex> nodes;
  std::map<PortPlace, LinkHealth::State> faulty;
  std::vector<config::PortHealth> policy;
  std::vector<std::uint64_t> held_back;
  std::set<PortIndex> managers;
  sm::SeenHosts seen;
  std::vector<sm::Isolated> previous;
  sm::HealthSettings settings{.sw_flapping = HealthAction::isolate,
                              .ca_flapping = HealthAction::isolate,
                              .sw_noisy = HealthAction::report,
                              .ca_noisy = HealthAction::report,
                              .sw_manual = HealthAction::isolate,
                              .ca_manual = HealthAction::no_discover,
                              .window = 300s};
};

TEST_F(Isolation, ALinkThatFlapsIsKeptOutOfTheSwitchGraph) {
  flaps(1, 8);
  const IsolationDecision decision = decide();
  ASSERT_THAT(decision.links, SizeIs(1));
  EXPECT_THAT(ids(decision), ElementsAre(ConditionId(sm::kHealthConditions.link_isolated)));
  EXPECT_THAT(texts(decision), AllOf(HasSubstr("leaf-2"), HasSubstr("spine-2"), HasSubstr("port 8"),
                                     HasSubstr("it flaps")));
  ASSERT_THAT(decision.isolated, SizeIs(1));
  EXPECT_EQ(decision.isolated[0].reason, sm::IsolationReason::flapping);
  EXPECT_EQ(decision.isolated[0].until, mad::TimePoint{700s});
  sm::mark_isolated(fabric, decision);
  EXPECT_TRUE(fabric.ports[port(1, 8)].isolated && fabric.ports[port(4, 2)].isolated);
  EXPECT_EQ(fabric::make_switch_graph(fabric).port.size(), 8u) << "of ten channels";
}

TEST_F(Isolation, BothEndsOfALinkAreOneIsolation) {
  flaps(1, 8);
  flaps(4, 2);
  EXPECT_THAT(decide().links, SizeIs(1));
  EXPECT_THAT(decide().conditions, SizeIs(1));
}

TEST_F(Isolation, ReportLeavesTheLinkInUse) {
  settings.sw_flapping = HealthAction::report;
  flaps(1, 8);
  const IsolationDecision decision = decide();
  EXPECT_TRUE(decision.is_empty());
  EXPECT_THAT(ids(decision), ElementsAre(ConditionId(sm::kHealthConditions.link_flapping)));
  EXPECT_THAT(texts(decision), HasSubstr("lost 5 times within 300 s"));
  settings.sw_flapping = HealthAction::ignore;
  EXPECT_THAT(decide().conditions, IsEmpty());
}

TEST_F(Isolation, TheOnlyLinkOfASwitchIsReportedInstead) {
  flaps(2, 7);
  const IsolationDecision decision = decide();
  EXPECT_TRUE(decision.is_empty());
  EXPECT_THAT(ids(decision), ElementsAre(ConditionId(sm::kHealthConditions.link_flapping)));
  EXPECT_THAT(texts(decision), HasSubstr("not isolated"));
}

TEST_F(Isolation, OfTwoLinksOfWhichOneIsNeededTheBetterOneStays) {
  flaps(1, 7, 9);
  flaps(1, 8, 5);
  const IsolationDecision decision = decide();
  ASSERT_THAT(decision.links, SizeIs(1));
  EXPECT_TRUE(decision.links[0] == port(1, 7) || decision.links[0] == port(3, 2));
  EXPECT_THAT(ids(decision), ElementsAre(ConditionId(sm::kHealthConditions.link_flapping),
                                         ConditionId(sm::kHealthConditions.link_isolated)));
}

TEST_F(Isolation, WhenEveryLinkFlapsTheSwitchesStayConnected) {
  for (const auto& [node, number] : {std::pair{0u, 7u}, {0u, 8u}, {1u, 7u}, {1u, 8u}, {2u, 7u}})
    flaps(node, number);
  const IsolationDecision decision = decide();
  EXPECT_THAT(decision.links, SizeIs(1)) << "five links connect five switches by four";
}

TEST_F(Isolation, AHostThatFlapsIsLeftOut) {
  flaps(1, 2);
  const IsolationDecision decision = decide();
  ASSERT_THAT(decision.hosts, ElementsAre(port(1, 2)));
  sm::mark_isolated(fabric, decision);
  const mad::Guid guid = fabric.owning_node(fabric.ports[port(1, 2)].peer).guid;
  const Fabric rest = sm::without_hosts(fabric, decision.hosts);
  EXPECT_EQ(rest.nodes.size() + 1, fabric.nodes.size());
  EXPECT_FALSE(rest.node_of_guid.contains(guid));
  const PortIndex leaf = sm::find_place(rest, place(1, 2));
  EXPECT_TRUE(rest.ports[leaf].is_up() && rest.ports[leaf].isolated);
  EXPECT_EQ(rest.ports[leaf].peer, PortIndex(fabric::kNoIndex));
}

TEST_F(Isolation, AHostThatIsLeftOutKeepsItsName) {
  flaps(1, 2);
  const IsolationDecision first = decide();
  previous = first.isolated;
  fabric = sm::without_hosts(fabric, first.hosts);
  const IsolationDecision second = decide();
  EXPECT_EQ(second.isolated, first.isolated);
  EXPECT_EQ(texts(second), texts(first));
  EXPECT_THAT(texts(second), HasSubstr("host-2-2"));
  EXPECT_NE(second.isolated[0].peer_port, mad::Guid{});
}

TEST_F(Isolation, TheManagersOwnLinkAndOtherManagersAreReportedInstead) {
  flaps(0, 1);
  flaps(1, 2);
  managers.insert(fabric.ports[port(1, 2)].peer);
  const IsolationDecision decision = decide();
  EXPECT_TRUE(decision.is_empty());
  EXPECT_THAT(texts(decision), AllOf(HasSubstr("own link"), HasSubstr("a subnet manager runs")));
}

TEST_F(Isolation, NoMoreThanATenthOfAllHostsIsLeftOutAtATime) {
  fabrics::Maker maker;
  const auto leaf = maker.sw(36, "leaf");
  for (unsigned host = 1; host <= 36; ++host) maker.cable(leaf, host, maker.ca(1, "host"), 1);
  fabric = maker.build();
  nodes = {leaf};
  for (unsigned host = 2; host <= 36; ++host) flaps(0, host);
  const IsolationDecision decision = decide();
  EXPECT_THAT(decision.hosts, SizeIs(10));
  EXPECT_THAT(ids(decision), Contains(ConditionId(sm::kHealthConditions.link_flapping)).Times(25));
}

TEST_F(Isolation, NoisyLinksFollowTheirOwnAction) {
  flaps(1, 8);
  faulty[place(1, 8)].flapping = false;
  faulty[place(1, 8)].noisy = true;
  EXPECT_THAT(ids(decide()), ElementsAre(ConditionId(sm::kHealthConditions.link_noisy)));
  settings.sw_noisy = HealthAction::isolate;
  EXPECT_THAT(decide().links, SizeIs(1));
}

TEST_F(Isolation, AnUnhealthyPortOfThePolicyIsIsolatedAndAHealthyOneNever) {
  policy = {{.guid = place(1, 8).node.value, .port = 8, .healthy = false, .action = {}}};
  EXPECT_THAT(decide().links, SizeIs(1));
  EXPECT_EQ(decide().isolated[0].reason, sm::IsolationReason::unhealthy);
  policy[0].action = HealthAction::report;
  EXPECT_THAT(decide().links, IsEmpty());
  EXPECT_THAT(ids(decide()), ElementsAre(ConditionId(sm::kHealthConditions.port_unhealthy)));
  policy[0].action = HealthAction::ignore;
  EXPECT_THAT(decide().conditions, IsEmpty());
  flaps(1, 8);
  policy[0] = {.guid = place(1, 8).node.value, .port = 8, .healthy = true, .action = {}};
  EXPECT_TRUE(decide().is_empty());
}

TEST_F(Isolation, AnUnhealthyHostIsNamedByNodeOrPortGuid) {
  const PortIndex host = fabric.ports[port(1, 2)].peer;
  policy = {
      {.guid = fabric.owning_node(host).guid.value, .port = {}, .healthy = false, .action = {}}};
  EXPECT_THAT(decide().hosts, ElementsAre(port(1, 2)));
  policy[0].guid = fabric.ports[host].guid.value;
  EXPECT_THAT(decide().hosts, ElementsAre(port(1, 2)));
}

/// The next survey does not read it any more.
TEST_F(Isolation, AnUnhealthyHostStaysLeftOutAsLongAsItsLinkIsThere) {
  const PortIndex host = fabric.ports[port(1, 2)].peer;
  policy = {
      {.guid = fabric.owning_node(host).guid.value, .port = {}, .healthy = false, .action = {}}};
  IsolationDecision decision = decide();
  seen = decision.seen;
  fabric = sm::without_hosts(fabric, decision.hosts);
  const auto leaf = [&] { return sm::find_place(fabric, seen.begin()->second.first); };
  ASSERT_THAT(seen, SizeIs(1));
  decision = decide();
  ASSERT_THAT(decision.hosts, ElementsAre(leaf()));
  EXPECT_THAT(texts(decision), HasSubstr("host-2-2"));
  fabric.ports[leaf()].info.set_port_state(mad::PortState::down);
  decision = decide();
  EXPECT_TRUE(decision.is_empty());
  EXPECT_THAT(decision.seen, IsEmpty());
}

TEST_F(Isolation, AHeldBackSwitchIsOutAsAWhole) {
  held_back = {place(4, 1).node.value};
  const IsolationDecision decision = decide();
  ASSERT_THAT(decision.switches, ElementsAre(nodes[4]));
  EXPECT_THAT(ids(decision), ElementsAre(ConditionId(sm::kHealthConditions.switch_held_back)));
  sm::mark_isolated(fabric, decision);
  const fabric::SwitchGraph graph = fabric::make_switch_graph(fabric);
  EXPECT_EQ(graph.degree(fabric.nodes[nodes[4]].switch_index), 0u);
}

TEST_F(Isolation, ASwitchThatOthersNeedIsNotHeldBack) {
  held_back = {place(3, 1).node.value};
  const IsolationDecision decision = decide();
  EXPECT_TRUE(decision.is_empty()) << "leaf-3 has no other link";
  EXPECT_THAT(texts(decision), HasSubstr("used nevertheless"));
  held_back = {place(0, 1).node.value};
  EXPECT_TRUE(decide().is_empty()) << "the manager's own";
}

TEST_F(Isolation, LinksBesideAHeldBackSwitchCountAsOnlyOnes) {
  held_back = {place(4, 1).node.value};
  flaps(1, 7);
  const IsolationDecision decision = decide();
  EXPECT_THAT(decision.links, IsEmpty());
  EXPECT_THAT(ids(decision), Contains(ConditionId(sm::kHealthConditions.link_flapping)));
}

TEST_F(Isolation, WhatIsNotThereIsNoCondition) {
  faulty[{mad::Guid{0xdead}, mad::PortNum{1}}] = {.flapping = true};
  faulty[{place(1, 1).node, mad::PortNum{200}}] = {.flapping = true};
  policy = {{.guid = 0xdead, .port = 3, .healthy = false, .action = {}},
            {.guid = place(1, 1).node.value, .port = 200, .healthy = false, .action = {}}};
  held_back = {0xdead};
  EXPECT_THAT(decide().conditions, IsEmpty());
  EXPECT_TRUE(decide().is_empty());
}

}  // namespace isolation_test
