#include <gtest/gtest.h>

#include <fstream>

#include "sim/surveys.h"
#include "sim/world.h"
#include "support/seeds.h"

namespace {

using world::World;
using namespace std::chrono_literals;

sim::Topology tree() { return sim::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}); }

TEST(BringUp, EveryShapeComesUpAndASecondStartWritesNothing) {
  for (const auto& [name, topology] : surveys::shapes()) {
    SCOPED_TRACE(name);
    World world(topology);
    world.start();
    ASSERT_TRUE(world.comes_up()) << world.fabric.complaint() << world.tail();
    EXPECT_LT(world.log().find("Entering DISCOVERING state"), world.log().find("Entering MASTER state"));
    EXPECT_FALSE(world.says("rror")) << world.log();
    EXPECT_EQ(world.manager().status().state, mad::SmState::master);
    EXPECT_EQ(world.manager().status().sweeps, 1u);
    world.stop();

    world.fabric.forget_counts();
    world.forget_log();
    world.start();
    ASSERT_TRUE(world.comes_up()) << world.tail();
    EXPECT_EQ(world.fabric.sets(), 0u) << world.tail();
    world.settle();
    world.runtime.run_for(1min);  // and light sweeps find nothing to do
    EXPECT_EQ(world.fabric.sets(), 0u);
    EXPECT_EQ(world.manager().status().sweeps, world.manager().status().subnet->fabric.switches.empty() ? world.manager().status().sweeps : 1u);
  }
}

TEST(BringUp, WritesNoMoreThanItMust) {
  World world(tree());
  world.start();
  ASSERT_TRUE(world.comes_up());
  using mad::AttributeId, mad::Method;
  std::size_t switches = 0, ports = 0, management = 0;
  for (const fake::Node& node : world.fabric.nodes) {
    switches += node.is_switch();
    management += node.is_switch();
    for (const fake::Port& port : node.ports) ports += port.peer.has_value();
  }
  EXPECT_EQ(world.fabric.sent_of(Method::set, AttributeId::switch_info), switches);
  EXPECT_EQ(world.fabric.sent_of(Method::set, AttributeId::port_info), 2 * ports + management) << "Armed with all settings, then Active";
  EXPECT_EQ(world.fabric.sent_of(Method::set, AttributeId::linear_forwarding_table), switches) << "one block of 64 LIDs holds this fabric";
}

TEST(BringUp, PortsCarryDataOnlyAfterTheTablesAreThere) {
  World world(tree());
  world.fabric.latency_max = 3ms;
  bool armed_before_tables = false, active_before_armed = false;
  world.fabric.on_request = [&](mad::ConstSmpView smp) {
    if (smp.method() != mad::Method::set || smp.attribute_id() != mad::AttributeId::port_info) return;
    const mad::PortInfo asked(smp.data());
    for (const fake::Node& node : world.fabric.nodes) {
      if (!node.is_switch()) continue;
      if (asked.port_state() == mad::PortState::armed && node.switch_info.linear_fdb_top() == 0) armed_before_tables = true;
      for (const fake::Port& port : node.ports) {
        if (asked.port_state() == mad::PortState::active && port.peer && port.info.port_state() < mad::PortState::armed) active_before_armed = true;
      }
    }
  };
  world.start();
  ASSERT_TRUE(world.comes_up());
  EXPECT_FALSE(armed_before_tables);
  EXPECT_FALSE(active_before_armed);
}

TEST(BringUp, ConvergesOnABadWire) {
  seeds::for_each(50, [](std::uint64_t seed) {
    World world(sim::random_graph({.switches = 6, .hosts = 10, .extra_links = 6, .seed = seed}), seed);
    world.fabric.faults = {.lost = 20, .duplicated = 5, .late = 2};
    world.start();
    EXPECT_TRUE(world.comes_up(30min)) << world.fabric.complaint() << world.tail();
  });
}

TEST(BringUp, LmcGivesEveryHostSeveralLids) {
  World world(tree());
  world.options.lmc = 2;
  world.start();
  ASSERT_TRUE(world.comes_up()) << world.fabric.complaint() << world.tail();
  EXPECT_EQ(world.fabric.nodes[0].ports[1].info.lmc(), 2);
}

TEST(BringUp, SmallTablesAreRespected) {
  World world(sim::row({.switches = 2, .cables = 1, .hosts_per_switch = 3}));
  world.fabric.nodes[world.fabric.find("S1")].switch_info.set_linear_fdb_cap(6);  // LIDs 1..5, for eight end ports
  world.start();
  world.runtime.run_for(10s);
  EXPECT_TRUE(world.says("S1")) << world.tail();
  EXPECT_LT(world.fabric.nodes[world.fabric.find("S1")].switch_info.linear_fdb_top(), 6);
  std::set<mad::Lid> lids;
  for (const fake::Node& node : world.fabric.nodes) {
    const mad::Lid lid = node.ports[node.is_switch() ? 0 : 1].info.lid();
    if (lid == mad::Lid{}) continue;
    EXPECT_TRUE(lids.insert(lid).second);
    EXPECT_LE(lid.value, 5);
  }
}

TEST(BringUp, TablesSurviveARestartOfTheManager) {
  World world(tree());
  world.start();
  ASSERT_TRUE(world.comes_up());
  world.stop();
  const auto before = world.fabric.nodes[10].ports[1].info.lid();
  world.fabric.reboot(10);  // while no manager runs, its LID is kept in guid2lid
  world.start();
  ASSERT_TRUE(world.comes_up());
  EXPECT_EQ(world.fabric.nodes[10].ports[1].info.lid(), before);
}

TEST(BringUp, UnwritableCacheFolderIsToldOnceAndNothingIsLost) {
  World world(tree());
  world.options.cache_files_dir = "/proc/heddle-cannot-write-here/cache";
  world.start();
  ASSERT_TRUE(world.comes_up()) << world.tail();
  EXPECT_TRUE(world.says("/proc/heddle-cannot-write-here")) << world.log();
  EXPECT_TRUE(world.says("LIDs are kept in memory only"));
  const auto lid = world.fabric.nodes[10].ports[1].info.lid();
  world.forget_log();
  world.fabric.reboot(10);
  ASSERT_TRUE(world.heals());
  world.settle();
  EXPECT_EQ(world.fabric.nodes[10].ports[1].info.lid(), lid);
  EXPECT_FALSE(world.says("/proc/heddle-cannot-write-here")) << world.log();
}

TEST(Once, EndsWithZeroWhenTheSubnetIsUp) {
  World world(tree());
  world.start(true);
  EXPECT_EQ(world.exit_code(), 0) << world.tail();
  EXPECT_EQ(world.fabric.complaint(), "");
}

TEST(Once, EndsWithOneWhenTheOwnPortIsDown) {
  World world(tree());
  world.fabric.cut(world.fabric.own);
  world.start(true);
  EXPECT_EQ(world.exit_code(), 1);
  EXPECT_TRUE(world.says("SM port is down"));
}

TEST(Once, EndsWithOneWhenWritesFail) {
  World world(tree());
  world.fabric.nodes.back().lie = [](mad::SmpView smp) {
    if (smp.attribute_id() == mad::AttributeId::linear_forwarding_table) smp.set_status(mad::status::kInvalidValue);
  };
  world.start(true);
  EXPECT_EQ(world.exit_code(), 1) << world.tail();
  EXPECT_TRUE(world.says("Errors during initialization"));
  EXPECT_TRUE(world.says(world.fabric.nodes.back().name)) << "and names the node";
}

TEST(Reload, ReadsTablesAgainAndRepairsWhatSomebodyBroke) {
  World world(tree());
  ASSERT_TRUE(world.start_and_settle());
  fake::Node& leaf = world.fabric.nodes[world.fabric.at(world.fabric.own).peer->node];
  std::uint8_t& entry = leaf.lft[world.fabric.nodes[7].ports[1].info.lid().value];
  const std::uint8_t right = entry;
  entry = mad::kNoPort.value;
  world.runtime.run_for(1min);
  EXPECT_EQ(entry, mad::kNoPort.value) << "nobody reads tables back without a reason";
  world.manager().reload(world.options, {});  // SIGHUP
  ASSERT_TRUE(world.heals()) << world.tail();
  EXPECT_EQ(entry, right);
  world.settle();
  EXPECT_EQ(world.fabric.sets(), 1u) << "one block, and nothing else";
}

TEST(Reload, NewOptionsAreApplied) {
  World world(tree());
  ASSERT_TRUE(world.start_and_settle());
  config::Options options = world.options;
  options.subnet_timeout = 20;
  world.manager().reload(options, {});
  world.settle();
  EXPECT_EQ(world.fabric.nodes[3].ports[1].info.subnet_time_out(), 20);
  EXPECT_EQ(world.fabric.complaint(), "");
}

}  // namespace
