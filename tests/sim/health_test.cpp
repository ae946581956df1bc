// Links that flap, switches that are held back and links that are expected: whole managers in
// virtual time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/laboratory.h"
#include "sim/world/forwarding.h"
#include "sm/ctl/topology/generators.h"
#include "sm/health/health_conditions.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/full_disk.h"

namespace health_test {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Three leaves with two hosts each, below two spines. The manager is H0.
class HealthOfLinks : public laboratory::Solo, public testing::Test {
 protected:
  HealthOfLinks() : Solo(topology::xgft({.children = {2, 3}, .parents = {1, 2}, .cables = {}})) {
    options.audit_interval = 0;
    options.hm_sw_flapping_action = options.hm_ca_flapping_action = "isolate";
    options.connect_roots = true;
  }
  void SetUp() override { ASSERT_TRUE(start_and_settle()) << tail(); }

  /// A link between a leaf that is not the manager's and a spine: the leaf's end.
  sim::PortIndex switch_link() const {
    for (const sim::PortIndex port : model.ports.indices())
      if (model.owning_node(port).is_switch() && is_leaf(owning_node(port)) &&
          far(port) != sim::kNone && model.owning_node(far(port)).is_switch() &&
          owning_node(port) != neighbour(own()))
        return port;
    return sim::kNone;
  }
  bool is_leaf(sim::NodeIndex node) const {
    for (unsigned number = 1; number <= model.nodes[node].port_count(); ++number)
      if (far(port(node, number)) != sim::kNone &&
          !model.owning_node(far(port(node, number))).is_switch())
        return true;
    return false;
  }
  mad::Guid node_guid(sim::PortIndex port) const {
    return model.owning_node(port).info.node_guid();
  }
  mad::PortNum port_number(sim::PortIndex port) const {
    return mad::PortNum{static_cast<std::uint8_t>(model.ports[port].number)};
  }
  /// The last host, which is not at the manager's leaf: its port.
  sim::PortIndex host() const {
    sim::PortIndex found = sim::kNone;
    for (const sim::PortIndex port : model.ports.indices())
      if (!model.owning_node(port).is_switch() && far(port) != sim::kNone &&
          neighbour(port) != neighbour(own()))
        found = port;
    return found;
  }
  /// The link is lost and is back, `times` in a row.
  void flap(sim::PortIndex end, unsigned times, mad::Duration pause = 2s) {
    const sim::PortIndex peer = far(end);
    for (unsigned time = 0; time < times; ++time) {
      world.cut(end);
      runtime.run_for(pause);
      plug(end, peer);
      runtime.run_for(pause);
    }
  }
  /// How many packets from hosts to hosts with Active links cross that link, in either direction.
  unsigned packets_over(sim::PortIndex end) const {
    unsigned count = 0;
    for (const sim::PortIndex from : model.ports.indices()) {
      if (!is_active_host(from)) continue;
      for (const sim::PortIndex to : model.ports.indices()) {
        if (from == to || !is_active_host(to)) continue;
        std::vector<sim::Hop> hops;
        const sim::Walk walk =
            sim::walk_unicast(model, from, {.dlid = model.ports[to].info.lid()}, &hops);
        EXPECT_TRUE(walk.delivered());
        for (const sim::Hop& hop : hops) count += hop.out == end || hop.out == far(end);
      }
    }
    return count;
  }
  /// Routes stay where they are when a link is back: all are chosen again first.
  unsigned packets_over_after_rebalance(sim::PortIndex end) {
    EXPECT_TRUE(heddle().rebalance());
    settle();
    return packets_over(end);
  }
  bool is_active_host(sim::PortIndex port) const {
    return !model.owning_node(port).is_switch() && far(port) != sim::kNone &&
           model.ports[port].info.port_state() == mad::PortState::active;
  }
};

TEST_F(HealthOfLinks, ALinkThatFlapsIsAvoidedByAllPacketsAndIsUsedAgainAfterQuiet) {
  const sim::PortIndex link = switch_link();
  ASSERT_GT(packets_over(link), 0u);
  flap(link, 4);
  EXPECT_TRUE(status().isolated.empty());
  flap(link, 1);
  settle();
  ASSERT_EQ(status().isolated.size(), 1u) << tail();
  EXPECT_EQ(status().isolated[0].reason, sm::IsolationReason::flapping);
  EXPECT_EQ(raised(sm::kHealthConditions.link_isolated), 1u);
  EXPECT_EQ(packets_over(link), 0u);
  EXPECT_EQ(complaint(), "") << "the link is managed, and all hosts have paths";

  runtime.run_for(500s);
  EXPECT_EQ(packets_over(link), 0u);
  runtime.run_for(150s);
  EXPECT_TRUE(status().isolated.empty()) << tail();
  EXPECT_EQ(raised(sm::kHealthConditions.link_isolated), 0u);
  EXPECT_GT(packets_over_after_rebalance(link), 0u);
  EXPECT_EQ(complaint(), "");

  flap(link, 5);
  settle();
  runtime.run_for(700s);
  EXPECT_EQ(status().isolated.size(), 1u) << "the second time is twice as long";
  runtime.run_for(600s);
  EXPECT_TRUE(status().isolated.empty());
}

TEST_F(HealthOfLinks, ByDefaultAFlappingLinkIsReportedOnly) {
  options.hm_sw_flapping_action = "report";
  heddle().reload(options);
  settle();
  const sim::PortIndex link = switch_link();
  flap(link, 6);
  settle();
  EXPECT_TRUE(status().isolated.empty());
  EXPECT_EQ(raised(sm::kHealthConditions.link_flapping), 1u) << tail();
  EXPECT_GT(packets_over_after_rebalance(link), 0u);
}

TEST_F(HealthOfLinks, AFabricWhoseOnlyLinkFlapsIsNotDivided) {
  // One link is left between that leaf and the spines.
  const sim::PortIndex link = switch_link();
  for (unsigned number = 1; number <= model.nodes[owning_node(link)].port_count(); ++number) {
    const sim::PortIndex other = port(owning_node(link), number);
    if (other != link && far(other) != sim::kNone && model.owning_node(far(other)).is_switch())
      world.cut(other);
  }
  settle();
  flap(link, 7);
  settle();
  EXPECT_TRUE(status().isolated.empty());
  EXPECT_EQ(complaint(), "");
  EXPECT_GT(packets_over_after_rebalance(link), 0u);
}

TEST_F(HealthOfLinks, AHostThatFlapsIsTreatedAsAbsentAndIsBackAfterQuiet) {
  const sim::PortIndex end = host();
  const mad::Guid guid = model.ports[end].guid;
  const mad::Lid lid = info(end).lid();
  flap(end, 5);
  settle();
  ASSERT_EQ(status().isolated.size(), 1u) << tail();
  EXPECT_FALSE(status().subnet->fabric.port_of_guid.contains(guid));
  EXPECT_EQ(info(end).port_state(), mad::PortState::init) << "it carries no data";
  EXPECT_TRUE(says("SM-LINK-ISOLATED"));
  runtime.run_for(300s);
  EXPECT_EQ(info(end).port_state(), mad::PortState::init);
  runtime.run_for(400s);
  EXPECT_TRUE(status().isolated.empty()) << tail();
  EXPECT_EQ(info(end).port_state(), mad::PortState::active);
  EXPECT_EQ(info(end).lid(), lid) << "its LID was kept";
  EXPECT_EQ(complaint(), "");
}

TEST_F(HealthOfLinks, AHostThatFlapsWithoutEndCostsFewSweepsAndStaysIsolated) {
  const sim::PortIndex end = host();
  flap(end, 5);
  settle();
  ASSERT_EQ(status().isolated.size(), 1u) << tail();
  const std::uint64_t sweeps = status().sweeps;
  forget_counts();
  flap(end, 200, 1s);  // far longer than hm_release_after
  EXPECT_LE(status().sweeps - sweeps, 50u) << "one for each light sweep, not for each of 400 traps";
  EXPECT_EQ(sent(mad::Method::set, mad::AttributeId::linear_forwarding_table), 0u);
  EXPECT_EQ(status().isolated.size(), 1u);
}

TEST_F(HealthOfLinks, OrdersIsolateAndReleaseAtOnce) {
  const sim::PortIndex link = switch_link();
  const std::string name = fmt::format("{}:{}", node_guid(link), model.ports[link].number);
  ASSERT_TRUE(heddle().order_isolation(name)) << name;
  settle();
  EXPECT_EQ(packets_over(link), 0u);
  ASSERT_EQ(status().isolated.size(), 1u);
  EXPECT_EQ(status().isolated[0].reason, sm::IsolationReason::ordered);
  EXPECT_EQ(raised(sm::kHealthConditions.isolated_by_operator), 1u) << "info: it is deliberate";
  EXPECT_EQ(raised(sm::kHealthConditions.link_isolated), 0u);
  runtime.run_for(2h);
  EXPECT_EQ(status().isolated.size(), 1u);
  ASSERT_TRUE(heddle().order_release(name));
  settle();
  EXPECT_TRUE(status().isolated.empty());
  EXPECT_GT(packets_over_after_rebalance(link), 0u);
  EXPECT_FALSE(heddle().order_release(name));
  EXPECT_FALSE(heddle().order_isolation("nobody:1"));
  EXPECT_FALSE(heddle().order_isolation(fmt::format("{}", model.ports[own()].guid)));
}

TEST_F(HealthOfLinks, AnOrderIsInForceWhenItIsAnswered) {
  const sim::PortIndex link = switch_link();
  const std::string name = fmt::format("{}:{}", node_guid(link), model.ports[link].number);
  ASSERT_TRUE(heddle().order_isolation(name));
  EXPECT_TRUE(status().isolated.empty()) << "the sweep has not begun";
  EXPECT_EQ(runtime.run(heddle().orders_in_force()), true);
  EXPECT_EQ(status().isolated.size(), 1u);
  EXPECT_EQ(raised(sm::kHealthConditions.isolated_by_operator), 1u);
  EXPECT_EQ(packets_over(link), 0u);

  ASSERT_TRUE(heddle().order_release(name));
  EXPECT_EQ(runtime.run(heddle().orders_in_force()), true);
  EXPECT_TRUE(status().isolated.empty());
  EXPECT_EQ(raised(sm::kHealthConditions.isolated_by_operator), 0u);

  const sim::PortIndex end = host();
  const std::string lost = fmt::format("{}", node_guid(end));
  world.cut(end);
  settle();
  ASSERT_EQ(raised(sm::kSweepConditions.node_lost), 1u) << tail();
  ASSERT_TRUE(heddle().order_forget(lost));
  EXPECT_EQ(runtime.run(heddle().orders_in_force()), true);
  EXPECT_EQ(raised(sm::kSweepConditions.node_lost), 0u);
}

TEST_F(HealthOfLinks, AnOrderIsNotInForceWhileSweepsWait) {
  const sim::PortIndex link = switch_link();
  const std::string name = fmt::format("{}:{}", node_guid(link), model.ports[link].number);
  heddle().set_sweeping(false);
  ASSERT_TRUE(heddle().order_isolation(name));
  EXPECT_EQ(runtime.run(heddle().orders_in_force()), false);
  EXPECT_TRUE(status().isolated.empty());
  heddle().set_sweeping(true);
  EXPECT_EQ(runtime.run(heddle().orders_in_force()), true);
  EXPECT_EQ(status().isolated.size(), 1u);
}

TEST_F(HealthOfLinks, AFullDiskRefusesOrdersSinceTheyWouldBeLost) {
  const sim::PortIndex link = switch_link();
  const std::string name = fmt::format("{}:{}", node_guid(link), model.ports[link].number);
  {
    const support::FullDisk full;
    EXPECT_FALSE(heddle().order_isolation(name));
  }
  settle();
  EXPECT_TRUE(status().isolated.empty());
  EXPECT_GT(packets_over(link), 0u);
  ASSERT_TRUE(heddle().order_isolation(name));
  settle();
  {
    const support::FullDisk full;
    EXPECT_FALSE(heddle().order_release(name));
  }
  settle();
  EXPECT_EQ(status().isolated.size(), 1u);
  EXPECT_TRUE(heddle().order_release(name));
}

TEST_F(HealthOfLinks, AnOrderNamesItsReasonAndEndsInTime) {
  const sim::PortIndex link = switch_link();
  const std::string name = fmt::format("{}:{}", node_guid(link), model.ports[link].number);
  ASSERT_TRUE(heddle().order_isolation(name, "cable 4711 is replaced", 2h));
  settle();
  ASSERT_EQ(status().isolated.size(), 1u);
  EXPECT_EQ(status().isolated[0].ordered_by, "alice");
  EXPECT_EQ(status().isolated[0].order_reason, "cable 4711 is replaced");
  EXPECT_TRUE(says("link isolated by alice: ")) << tail();
  EXPECT_TRUE(says("'cable 4711 is replaced'")) << tail();
  runtime.run_for(119min);
  EXPECT_EQ(packets_over(link), 0u);
  runtime.run_for(2min);
  EXPECT_TRUE(status().isolated.empty()) << tail();
  EXPECT_EQ(raised(sm::kHealthConditions.isolated_by_operator), 0u);
  EXPECT_GT(packets_over_after_rebalance(link), 0u);
}

TEST_F(HealthOfLinks, OrdersOutliveTheManager) {
  const sim::PortIndex link = switch_link(), end = host();
  const std::string name = fmt::format("{}:{}", node_guid(link), model.ports[link].number);
  ASSERT_TRUE(heddle().order_isolation(name, "cable 4711 is replaced"));
  ASSERT_TRUE(heddle().order_isolation(fmt::format("{}", model.ports[end].guid), "", 10min));
  settle();
  runtime.run_for(1min);
  heddle().stop();
  start();
  runtime.run_for(10s);
  ASSERT_EQ(status().isolated.size(), 2u) << tail();
  const std::vector<sm::Isolated> isolated = status().isolated;
  const auto ordered =
      std::ranges::find(isolated, "cable 4711 is replaced", &sm::Isolated::order_reason);
  ASSERT_NE(ordered, isolated.end());
  EXPECT_EQ(ordered->ordered_by, "alice");
  runtime.run_for(10min);
  EXPECT_EQ(status().isolated.size(), 1u) << "the other order has ended";
  ASSERT_TRUE(heddle().order_release(name));
  settle();
  heddle().stop();
  ASSERT_TRUE(start_and_settle()) << tail();
  EXPECT_TRUE(status().isolated.empty()) << "it was released";
}

TEST_F(HealthOfLinks, AnActiveHostIsIsolatedByOrderAndGetsNoPackets) {
  const sim::PortIndex end = host();
  const std::string name = fmt::format("{}", model.ports[end].guid);
  ASSERT_TRUE(heddle().order_isolation(name));
  settle();
  EXPECT_FALSE(status().subnet->fabric.port_of_guid.contains(model.ports[end].guid)) << tail();
  const sim::Walk walk = sim::walk_unicast(model, own(), {.dlid = info(end).lid()});
  EXPECT_FALSE(walk.delivered()) << "its forwarding table entries are withdrawn";
  ASSERT_TRUE(heddle().order_release(name)) << "by the name that it had";
  settle();
  EXPECT_EQ(complaint(), "");
}

TEST_F(HealthOfLinks, AnotherOrderForAnIsolatedHostReplacesTheFirst) {
  const std::string name = fmt::format("{}", model.ports[host()].guid);
  ASSERT_TRUE(heddle().order_isolation(name, "cable 4711 is replaced"));
  settle();
  ASSERT_TRUE(heddle().order_isolation(name, "so is cable 4712", 1h)) << tail();
  settle();
  ASSERT_EQ(status().isolated.size(), 1u) << tail();
  EXPECT_EQ(status().isolated[0].order_reason, "so is cable 4712");
  EXPECT_TRUE(status().isolated[0].until);
  runtime.run_for(61min);
  EXPECT_TRUE(status().isolated.empty()) << tail();
}

TEST_F(HealthOfLinks, AHostStaysIsolatedByOrderWhateverIsSwept) {
  const sim::PortIndex end = host();
  ASSERT_TRUE(heddle().order_isolation(fmt::format("{}", model.ports[end].guid)));
  settle();
  ASSERT_EQ(status().isolated.size(), 1u) << tail();
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(heddle().order_resweep());
    settle();
    EXPECT_EQ(status().isolated.size(), 1u) << "sweep " << i << tail();
    EXPECT_FALSE(status().subnet->fabric.port_of_guid.contains(model.ports[end].guid));
  }
  runtime.run_for(5min);
  EXPECT_EQ(status().isolated.size(), 1u) << tail();
  EXPECT_EQ(heddle().count("link isolated by alice"), 1u) << "once, and never cleared" << tail();
}

TEST_F(HealthOfLinks, NoisyPortsOfThePerformanceManagerFollowTheirAction) {
  options.hm_sw_noisy_action = "isolate";
  heddle().reload(options);
  settle();
  const sim::PortIndex link = switch_link();
  const std::set<sm::PortPlace> noisy{{node_guid(link), port_number(link)}};
  heddle().report_noisy(noisy);
  settle();
  EXPECT_EQ(packets_over(link), 0u);
  heddle().report_noisy({});
  runtime.run_for(650s);
  EXPECT_GT(packets_over_after_rebalance(link), 0u) << tail();
}

TEST_F(HealthOfLinks, AHeldBackSwitchIsUsedByNoPathUntilItIsRemovedFromTheFile) {
  const sim::NodeIndex spine = neighbour(switch_link());
  heddle().files.held_back = {model.nodes[spine].info.node_guid().value};
  heddle().reload(options);
  settle();
  for (unsigned number = 1; number <= model.nodes[spine].port_count(); ++number)
    EXPECT_EQ(packets_over(port(spine, number)), 0u);
  EXPECT_EQ(raised(sm::kHealthConditions.switch_held_back), 1u) << tail();
  heddle().files.held_back.clear();
  heddle().reload(options);
  settle();
  EXPECT_GT(packets_over_after_rebalance(switch_link()), 0u);
  EXPECT_EQ(complaint(), "");
}

TEST_F(HealthOfLinks, AnUnhealthyHostOfThePolicyStaysOutWithoutSweeps) {
  const sim::PortIndex end = host();
  heddle().files.port_health = {
      {.guid = node_guid(end).value, .port = {}, .healthy = false, .action = {}}};
  heddle().reload(options);
  settle();
  ASSERT_EQ(status().isolated.size(), 1u) << tail();
  EXPECT_FALSE(status().subnet->fabric.port_of_guid.contains(model.ports[end].guid));
  const std::uint64_t sweeps = status().sweeps;
  runtime.run_for(120s);
  EXPECT_EQ(status().sweeps, sweeps) << "light sweeps do not read it again: " << tail();
  EXPECT_EQ(status().isolated.size(), 1u);
  heddle().files.port_health.clear();
  heddle().reload(options);
  settle();
  EXPECT_EQ(complaint(), "");
}

TEST_F(HealthOfLinks, DifferencesFromTheExpectedTopologyComeAndGo) {
  std::string links;
  for (const sim::PortIndex port : model.ports.indices())
    if (far(port) != sim::kNone)
      links += fmt::format("{},{},{},{},Any,Active\n", node_guid(port), model.ports[port].number,
                           node_guid(far(port)), model.ports[far(port)].number);
  heddle().files.expected_topology = {.file = "links.cfg",
                                      .text = std::make_shared<const std::string>(links)};
  options.topo_config_enabled = true;
  heddle().reload(options);
  settle();
  EXPECT_EQ(raised(sm::kTopologyConditions.topology_link_missing), 0u) << tail();
  const sim::PortIndex link = switch_link(), peer = far(link);
  world.cut(link);
  settle();
  EXPECT_EQ(raised(sm::kTopologyConditions.topology_link_missing), 1u);
  EXPECT_TRUE(says("SM-TOPOLOGY-LINK-MISSING"));
  plug(link, peer);
  settle();
  EXPECT_EQ(raised(sm::kTopologyConditions.topology_link_missing), 0u);
  const sim::PortIndex end = host(), leaf = far(end);
  world.cut(end);
  settle();
  EXPECT_EQ(raised(sm::kTopologyConditions.topology_node_missing), 1u);
  plug(end, leaf);
  settle();
  EXPECT_EQ(raised(sm::kTopologyConditions.topology_node_missing), 0u);
}

}  // namespace health_test
