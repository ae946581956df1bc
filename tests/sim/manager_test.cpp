#include <gtest/gtest.h>

#include <set>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "sim/surveys.h"
#include "sm/ctl/topology/generators.h"
#include "support/seeds.h"

namespace manager_test {

using laboratory::Solo;
using namespace std::chrono_literals;

topology::Topology tree() {
  return topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}});
}

TEST(BringUp, EveryShapeComesUpAndASecondStartWritesNothing) {
  for (const auto& [name, topology] : surveys::shapes()) {
    SCOPED_TRACE(name);
    Solo lab(topology);
    lab.start();
    ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
    EXPECT_LT(lab.log().find("Entering DISCOVERING state"),
              lab.log().find("Entering MASTER state"));
    EXPECT_FALSE(lab.says("rror")) << lab.log();
    EXPECT_EQ(lab.status().state, mad::SmState::master);
    EXPECT_EQ(lab.status().sweeps, 1u);
    lab.heddle().stop();

    lab.forget_counts();
    lab.heddle().forget_log();
    lab.start();
    ASSERT_TRUE(lab.comes_up()) << lab.tail();
    EXPECT_EQ(lab.sets(), 0u) << lab.tail();
    lab.settle();
    lab.runtime.run_for(1min);  // and light sweeps find nothing to do
    EXPECT_EQ(lab.sets(), 0u);
    EXPECT_EQ(lab.status().sweeps,
              lab.status().subnet->fabric.switches.empty() ? lab.status().sweeps : 1u);
  }
}

TEST(BringUp, WritesNoMoreThanItMust) {
  Solo lab(tree());
  lab.start();
  ASSERT_TRUE(lab.comes_up());
  using mad::AttributeId, mad::Method;
  std::size_t switches = 0, ports = 0, management = 0;
  for (const sim::NodeModel& node : lab.model.nodes) {
    switches += node.is_switch();
    management += node.is_switch();
  }
  for (const sim::PortModel& port : lab.model.ports) ports += port.peer != sim::kNone;
  EXPECT_EQ(lab.sent(Method::set, AttributeId::switch_info), 2 * switches)
      << "PortStateChange is cleared before anything is written, LinearFDBTop follows the tables";
  EXPECT_EQ(lab.sent(Method::set, AttributeId::port_info), 2 * ports + management)
      << "Armed with all settings, then Active";
  EXPECT_EQ(lab.sent(Method::set, AttributeId::linear_forwarding_table), switches)
      << "one block of 64 LIDs holds this fabric";
}

TEST(BringUp, PortsCarryDataOnlyAfterTheTablesAreThere) {
  Solo lab(tree());
  lab.world.qualities.front().latency_max = 3ms;
  lab.start();
  bool armed_before_tables = false, active_before_armed = false;
  lab.heddle().tap().on_request = [&](mad::ConstSmpView smp) {
    if (smp.method() != mad::Method::set || smp.attribute_id() != mad::AttributeId::port_info)
      return;
    const mad::PortInfo asked(smp.data());
    for (const sim::NodeModel& node : lab.model.nodes) {
      if (node.is_switch() && asked.port_state() == mad::PortState::armed &&
          node.sw->info.linear_fdb_top() == 0)
        armed_before_tables = true;
    }
    for (const sim::PortModel& port : lab.model.ports) {
      const bool one_of_switches =
          port.peer != sim::kNone && lab.model.nodes[port.node].is_switch();
      if (asked.port_state() == mad::PortState::active && one_of_switches &&
          port.info.port_state() < mad::PortState::armed)
        active_before_armed = true;
    }
  };
  ASSERT_TRUE(lab.comes_up());
  EXPECT_FALSE(armed_before_tables);
  EXPECT_FALSE(active_before_armed);
}

TEST(BringUp, ConvergesOnABadWire) {
  seeds::for_each(50, [](std::uint64_t seed) {
    Solo lab(topology::random_graph({.switches = 6, .hosts = 10, .extra_links = 6, .seed = seed}),
             seed);
    lab.set_wire({.lost = 0.2, .duplicated = 0.05, .late = 0.02});
    lab.start();
    EXPECT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
  });
}

TEST(BringUp, LmcGivesEveryHostSeveralLids) {
  Solo lab(tree());
  lab.options.lmc = 2;
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.complaint() << lab.tail();
  EXPECT_EQ(lab.info(lab.own()).lmc(), 2);
}

TEST(BringUp, SmallTablesAreRespected) {
  Solo lab(topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 3}));
  lab.node("S1").sw->info.set_linear_fdb_cap(6);  // LIDs 1..5, for eight end ports
  lab.start();
  lab.runtime.run_for(10s);
  EXPECT_TRUE(lab.says("S1")) << lab.tail();
  EXPECT_LT(lab.node("S1").sw->info.linear_fdb_top(), 6);
  std::set<mad::Lid> lids;
  for (const sim::NodeIndex node : lab.model.nodes.indices()) {
    const mad::Lid lid = lab.info(lab.port(node, lab.model.nodes[node].is_switch() ? 0 : 1)).lid();
    if (lid == mad::Lid{}) continue;
    EXPECT_TRUE(lids.insert(lid).second);
    EXPECT_LE(lid.value, 5);
  }
}

TEST(BringUp, TablesSurviveARestartOfTheManager) {
  Solo lab(tree());
  lab.start();
  ASSERT_TRUE(lab.comes_up());
  lab.heddle().stop();
  const auto before = lab.info(lab.port(sim::NodeIndex{10})).lid();
  lab.reboot(sim::NodeIndex{10});  // while no manager runs, its LID is kept in guid2lid
  lab.start();
  ASSERT_TRUE(lab.comes_up());
  EXPECT_EQ(lab.info(lab.port(sim::NodeIndex{10})).lid(), before);
}

TEST(BringUp, UnwritableCacheDirectoryIsReportedOnceAndNothingIsLost) {
  Solo lab(tree());
  lab.options.cache_files_dir = "/proc/heddle-cannot-write-here/cache";
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  EXPECT_TRUE(lab.says("/proc/heddle-cannot-write-here")) << lab.log();
  EXPECT_TRUE(lab.says("LIDs are kept in memory only"));
  const auto lid = lab.info(lab.port(sim::NodeIndex{10})).lid();
  lab.heddle().forget_log();
  lab.reboot(sim::NodeIndex{10});
  ASSERT_TRUE(lab.heals());
  lab.settle();
  EXPECT_EQ(lab.info(lab.port(sim::NodeIndex{10})).lid(), lid);
  EXPECT_FALSE(lab.says("/proc/heddle-cannot-write-here")) << lab.log();
}

TEST(Once, EndsWithZeroWhenTheSubnetIsUp) {
  Solo lab(tree());
  lab.start(true);
  EXPECT_EQ(lab.heddle().exit_code(), 0) << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
}

TEST(Once, EndsWithOneWhenTheOwnPortIsDown) {
  Solo lab(tree());
  lab.world.cut(lab.own());
  lab.start(true);
  EXPECT_EQ(lab.heddle().exit_code(), 1);
  EXPECT_TRUE(lab.says("SM port is down"));
}

TEST(Once, EndsWithOneWhenNothingBehindTheOwnLinkAnswers) {
  for (const bool half : {false, true}) {
    Solo lab(tree());
    sim::Health& leaf = lab.model.nodes[lab.neighbour(lab.own())].health;
    (half ? leaf.agent_ignores_requests : leaf.silent) = true;
    lab.start(true);
    EXPECT_EQ(lab.heddle().exit_code(), 1) << lab.tail();
    EXPECT_FALSE(lab.says("SUBNET UP"));
  }
}

TEST(Once, EndsWithOneWhenWritesFail) {
  Solo lab(tree());
  lab.model.nodes.back().health.edit_response = [](mad::SmpView smp) {
    if (smp.attribute_id() == mad::AttributeId::linear_forwarding_table)
      smp.set_status(mad::status::kInvalidValue);
  };
  lab.start(true);
  EXPECT_EQ(lab.heddle().exit_code(), 1) << lab.tail();
  EXPECT_TRUE(lab.says("Errors during initialization"));
  EXPECT_TRUE(lab.says(lab.model.nodes.back().description)) << "and names the node";
}

TEST(Reload, ReadsTablesAgainAndRepairsForeignChanges) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  sim::NodeModel& leaf = lab.model.owning_node(lab.far(lab.own()));
  std::uint8_t& entry = leaf.sw->lft[lab.info(lab.port(sim::NodeIndex{7})).lid().value];
  const std::uint8_t right = entry;
  entry = mad::kNoPort.value;
  lab.runtime.run_for(1min);
  EXPECT_EQ(entry, mad::kNoPort.value) << "tables are not read back without a reason";
  lab.heddle().reload(lab.options);  // SIGHUP
  lab.runtime.run_for(1min);         // the audit begins a pass
  ASSERT_TRUE(lab.heals()) << lab.tail();
  EXPECT_EQ(entry, right);
  lab.settle();
  EXPECT_EQ(lab.sets(), 1u) << "one block, and nothing else";
}

TEST(Reload, WithoutAChangeReadsForwardingTablesOnlyWhereThereIsNoAudit) {
  for (const unsigned audit_interval : {3600u, 0u}) {
    Solo lab(tree());
    lab.options.audit_interval = audit_interval;
    ASSERT_TRUE(lab.start_and_settle());
    const std::uint64_t sweeps = lab.status().sweeps;
    lab.forget_counts();
    lab.heddle().reload(lab.options);
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.status().sweeps > sweeps; }, 10s));
    lab.runtime.run_for(200ms);  // the audit begins later
    using mad::AttributeId, mad::Method;
    const std::uint64_t blocks = lab.sent(Method::get, AttributeId::linear_forwarding_table);
    EXPECT_EQ(blocks > 0, audit_interval == 0) << blocks;
    EXPECT_GE(lab.sent(Method::get, AttributeId::port_info), lab.model.nodes.size());
    EXPECT_EQ(lab.sets(), 0u);
  }
}

TEST(Reload, NewOptionsAreApplied) {
  Solo lab(tree());
  ASSERT_TRUE(lab.start_and_settle());
  config::Options options = lab.options;
  options.subnet_timeout = 20;
  lab.heddle().reload(options);
  lab.settle();
  EXPECT_EQ(lab.info(lab.port(sim::NodeIndex{3})).subnet_time_out(), 20);
  EXPECT_EQ(lab.complaint(), "");
}

}  // namespace manager_test
