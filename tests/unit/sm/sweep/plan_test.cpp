#include "sm/sweep/plan.h"

#include <gtest/gtest.h>

#include <set>

#include "partitions/membership.h"
#include "sm/sweep/link_settings.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace plan_test {

using mad::AttributeId;
using mad::PortState;

constexpr sm::NodeIndex kS0{0}, kS1{1};

/// S0: port 1 to H (the manager's), port 2 to S1 port 1; S1 port 2 to another host, port 3 free.
/// Everything in Init.
class PlanTest : public testing::Test {
 protected:
  PlanTest() {
    fabrics::Maker maker;
    const auto s0 = maker.sw(4), s1 = maker.sw(4), h = maker.ca(), h2 = maker.ca();
    maker.cable(s0, 1, h, 1);
    maker.cable(s0, 2, s1, 1);
    maker.cable(s1, 2, h2, 1);
    fabric = maker.build();
    for (sm::Port& port : fabric.ports) {
      port.info.set_mtu_cap(mad::Mtu::mtu_4096);
      port.info.set_vl_cap(5);
      if (port.info.port_state() > PortState::down &&
          !(fabric.nodes[port.node].is_switch() && port.number.value == 0))
        port.info.set_port_state(PortState::init);
    }
    host = fabric.port(h, {1});
    target.lids = fabrics::assign_lids(fabric);
    target.lfts = std::make_shared<sm::ForwardingTables>(2, target.lids.lid_top);
    memory.follow(fabric);
  }
  sm::PortIndex sw(sm::NodeIndex node, std::uint8_t port) const {
    return fabric.port(node, {port});
  }
  sm::Plan plan() {
    target.partition_map =
        partitions::partition_map(partitions::default_configuration(), fabric, options);
    target.p_keys = partitions::p_key_targets(fabric, target.partition_map, options);
    return make_plan(fabric, target, memory, refused, options);
  }
  const sm::Write* find(const std::vector<sm::Write>& writes, sm::PortIndex port,
                        AttributeId attribute) const {
    const auto found = std::ranges::find_if(writes, [&](const sm::Write& write) {
      return write.port == port && write.attribute == attribute;
    });
    return found == writes.end() ? nullptr : &*found;
  }
  /// What a fabric that takes everything looks like when the plan was carried out.
  void carry_out(const sm::Plan& made) {
    for (const auto* stage : {&made.nodes, &made.ports}) {
      for (const sm::Write& write : *stage) {
        sm::Port& port = fabric.ports[write.port];
        if (write.attribute == AttributeId::port_info) {
          const PortState before = port.info.port_state();
          port.info = mad::PortInfo(write.data);
          port.info.set_client_reregister(false);
          port.info.set_port_state(
              before == PortState::init && port.peer != sm::kNoIndex ? PortState::active : before);
        } else if (write.attribute == AttributeId::switch_info) {
          fabric.switches[fabric.node_of(write.port).switch_index].info =
              mad::SwitchInfo(write.data);
          fabric.switches[fabric.node_of(write.port).switch_index].info.set_port_state_change(
              false);
        }
      }
    }
    memory.adopt(std::make_shared<sm::ForwardingTables>(*target.lfts));
  }

  sm::Fabric fabric;
  sm::Target target;
  sm::TableMemory memory;
  sm::RefusedSettings refused;
  config::Options options;
  sm::PortIndex host{0};
};

TEST_F(PlanTest, FreshFabricGetsEverythingInOnePassAndNothingInTheNext) {
  const sm::Plan first = plan();
  EXPECT_EQ(first.tables,
            (std::vector<sm::LftWrite>{{sm::SwitchIndex{0}, 0}, {sm::SwitchIndex{1}, 0}}));
  EXPECT_NE(find(first.nodes, sw(kS0, 0), AttributeId::switch_info), nullptr);
  std::multiset<sm::PortIndex> ports;
  for (const sm::Write& write : first.ports) ports.insert(write.port);
  EXPECT_EQ(ports, (std::multiset<sm::PortIndex>{sw(kS0, 0), sw(kS0, 1), sw(kS0, 2), sw(kS1, 0),
                                                 sw(kS1, 1), sw(kS1, 2), host,
                                                 fabric.ports[sw(kS1, 2)].peer}))
      << "each port once, and not those without a cable";
  for (const sm::Write& write : first.ports) {
    const mad::PortInfo info(write.data);
    const bool management = fabric.ports[write.port].number.value == 0;
    EXPECT_EQ(info.port_state(), management ? PortState::no_change : PortState::armed)
        << fabric.port_name(write.port);
    if (!fabric.is_end_port(write.port)) continue;
    EXPECT_EQ(info.master_sm_lid(),
              mad::PortInfo(find(first.ports, host, AttributeId::port_info)->data).lid());
  }
  carry_out(first);
  const sm::Plan second = plan();
  EXPECT_EQ(second.size(), 0u) << second.tables.size() << ' ' << second.nodes.size() << ' '
                               << second.ports.size();
}

TEST_F(PlanTest, TablesGoBlockByBlockOverAllSwitchesAndOnlyWhereTheyDiffer) {
  target.lfts = std::make_shared<sm::ForwardingTables>(2, mad::Lid{150});
  const sm::Plan all = plan();
  EXPECT_EQ(all.tables, (std::vector<sm::LftWrite>{{sm::SwitchIndex{0}, 0},
                                                   {sm::SwitchIndex{1}, 0},
                                                   {sm::SwitchIndex{0}, 1},
                                                   {sm::SwitchIndex{1}, 1},
                                                   {sm::SwitchIndex{0}, 2},
                                                   {sm::SwitchIndex{1}, 2}}));
  memory.adopt(std::make_shared<sm::ForwardingTables>(*target.lfts));
  target.lfts = std::make_shared<sm::ForwardingTables>(*target.lfts);
  target.lfts->row(sm::SwitchIndex{1})[70] = 3;
  EXPECT_EQ(plan().tables, (std::vector<sm::LftWrite>{{sm::SwitchIndex{1}, 1}}));
}

TEST_F(PlanTest, NothingIsWrittenBeyondTheEndOfATable) {
  target.lfts = std::make_shared<sm::ForwardingTables>(2, mad::Lid{150});
  target.lids.lid_top = mad::Lid{150};
  fabric.switches[sm::SwitchIndex{1}].info.set_linear_fdb_cap(65);
  EXPECT_EQ(plan().tables, (std::vector<sm::LftWrite>{{sm::SwitchIndex{0}, 0},
                                                      {sm::SwitchIndex{1}, 0},
                                                      {sm::SwitchIndex{0}, 1},
                                                      {sm::SwitchIndex{1}, 1},
                                                      {sm::SwitchIndex{0}, 2}}));
  const auto made = plan();
  EXPECT_EQ(mad::SwitchInfo(find(made.nodes, sw(kS1, 0), AttributeId::switch_info)->data)
                .linear_fdb_top(),
            64);
}

TEST_F(PlanTest, APortWithoutALidStaysAsItIs) {
  const sm::EndPortIndex end_port(
      std::ranges::find(fabric.end_ports, fabric.ports[sw(kS1, 2)].peer) -
      fabric.end_ports.begin());
  target.lids.of_end_port[end_port] = {};
  const sm::Plan made = plan();
  EXPECT_EQ(find(made.ports, fabric.end_ports[end_port], AttributeId::port_info), nullptr);
  const sm::Write* before_it = find(made.ports, sw(kS1, 2), AttributeId::port_info);
  EXPECT_TRUE(before_it == nullptr ||
              mad::PortInfo(before_it->data).port_state() == PortState::no_change)
      << "and its link is not activated";
  EXPECT_FALSE(may_activate(fabric, target, sw(kS1, 2)));
  EXPECT_FALSE(may_activate(fabric, target, fabric.end_ports[end_port]));
  EXPECT_TRUE(may_activate(fabric, target, host));
}

TEST_F(PlanTest, SilentAndCutPortsAreLeftAlone) {
  fabric.ports[sw(kS1, 2)].known = false;
  const sm::Plan made = plan();
  EXPECT_EQ(find(made.ports, sw(kS1, 2), AttributeId::port_info), nullptr);
  EXPECT_EQ(find(made.ports, sw(kS1, 3), AttributeId::port_info), nullptr);
  EXPECT_FALSE(may_activate(fabric, target, sw(kS1, 2)));
}

TEST_F(PlanTest, WhatADeviceDoesNotTakeIsNoReasonToWriteToIt) {
  carry_out(plan());
  fabric.ports[host].info.set_subnet_time_out(1);
  ASSERT_EQ(plan().ports.size(), 1u);
  mad::PortInfo asked = fabric.ports[host].info;
  asked.set_subnet_time_out(options.subnet_timeout);
  refused.learn(fabric, host, fabric.ports[host].info, asked, fabric.ports[host].info);
  EXPECT_EQ(plan().ports.size(), 0u);
}

TEST_F(PlanTest, EndPortsAreAskedToRegisterAgainWhenTheManagerIsNew) {
  for (sm::Port& port : fabric.ports)
    port.info.set_capability_mask(mad::capability::kClientReregistration);
  carry_out(plan());
  EXPECT_EQ(plan().size(), 0u);
  fabric.ports[host].info.set_master_sm_lid(mad::Lid{77});
  const sm::Plan made = plan();
  ASSERT_EQ(made.ports.size(), 1u);
  EXPECT_TRUE(mad::PortInfo(made.ports[0].data).client_reregister());
}

TEST_F(PlanTest, PortStateChangeIsNotClearedWithTheSettings) {
  carry_out(plan());
  fabric.switches[sm::SwitchIndex{1}].info.set_port_state_change(true);
  EXPECT_EQ(plan().size(), 0u) << "the change has not been looked at";
}

TEST(Plan, AnyFabricIsPlannedForWithoutWritingToWhatIsNotThere) {
  seeds::for_each(300, [](std::uint64_t seed) {
    sm::Fabric fabric = fabrics::random_fabric(seed);
    if (fabric.sm_port == sm::kNoIndex) return;
    sm::Target target;
    target.lids = fabrics::assign_lids(fabric);
    target.partition_map =
        partitions::partition_map(partitions::default_configuration(), fabric, {});
    target.p_keys = partitions::p_key_targets(fabric, target.partition_map, {});
    target.lfts =
        std::make_shared<sm::ForwardingTables>(fabric.switches.size(), target.lids.lid_top);
    sm::TableMemory memory;
    memory.follow(fabric);
    const sm::Plan plan = make_plan(fabric, target, memory, {}, {});
    std::set<std::tuple<sm::PortIndex, AttributeId, std::uint32_t>> once;
    for (const auto* stage : {&plan.nodes, &plan.ports}) {
      for (const sm::Write& write : *stage) {
        ASSERT_LT(write.port, fabric.ports.size());
        EXPECT_TRUE(fabric.ports[write.port].known) << fabric.port_name(write.port);
        EXPECT_TRUE(once.insert({write.port, write.attribute, write.modifier}).second)
            << "written twice: " << fabric.port_name(write.port);
        if (write.attribute != AttributeId::port_info) continue;
        const mad::PortInfo info(write.data);
        EXPECT_TRUE(info.port_state() != PortState::armed ||
                    may_activate(fabric, target, write.port))
            << fabric.port_name(write.port);
        EXPECT_TRUE(!fabric.is_end_port(write.port) || mad::is_unicast(info.lid()))
            << fabric.port_name(write.port);
      }
    }
    for (const sm::LftWrite& write : plan.tables)
      EXPECT_LT(write.block * 64, fabric.switches[write.sw].info.linear_fdb_cap());
  });
}

}  // namespace plan_test
