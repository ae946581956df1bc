#include "sm/sweep/apply/plan.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>

#include "partitions/membership.h"
#include "sm/sweep/devices/link_settings.h"
#include "support/fabrics.h"
#include "support/seeds.h"

namespace plan_test {

using mad::AttributeId;
using mad::PortState;

std::vector<sm::Write> writes(const sm::Plan& made, sm::StageKind kind) {
  std::vector<sm::Write> all;
  for (const sm::PlannedStage& stage : made.stages) {
    if (stage.kind == kind) all.insert(all.end(), stage.writes.begin(), stage.writes.end());
  }
  return all;
}

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
    start_with(maker.build());
    host = fabric.port(h, {1});
  }
  /// All links are in Init, no switch has a table.
  void start_with(fabric::Fabric fresh) {
    fabric = std::move(fresh);
    for (fabric::Port& port : fabric.ports) {
      port.info.set_mtu_cap(mad::Mtu::mtu_4096);
      port.info.set_vl_cap(5);
      if (port.info.port_state() > PortState::down &&
          !(fabric.nodes[port.node].is_switch() && port.number.value == 0))
        port.info.set_port_state(PortState::init);
    }
    target.lids = fabrics::assign_lids(fabric);
    target.lfts =
        std::make_shared<fabric::ForwardingTables>(fabric.switches.size(), target.lids.lid_top);
    devices = {};
    devices.lfts.update_from(fabric);
    devices.mfts.update_from(fabric);
  }
  fabric::PortIndex sw(unsigned node, std::uint8_t port) const {
    return fabric.port(fabric::NodeIndex{node}, {port});
  }
  sm::Plan plan() {
    target.partition_map =
        partitions::partition_map(partitions::default_configuration(), fabric, options);
    target.p_keys = partitions::p_key_targets(fabric, target.partition_map, options);
    return make_plan(fabric, devices, target, options);
  }
  /// (switch, block) in the order in which they are written.
  static std::vector<std::pair<std::uint32_t, std::uint32_t>> tables(const fabric::Fabric& fabric,
                                                                     const sm::Plan& made) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
    for (const sm::Write& write : writes(made, sm::StageKind::forwarding_tables))
      blocks.emplace_back(fabric.owning_node(write.port).switch_index.value, write.modifier);
    return blocks;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tables(const sm::Plan& made) const {
    return tables(fabric, made);
  }
  /// The PortInfo or SwitchInfo that a stage writes to the port.
  template <class Attribute>
  std::optional<Attribute> find(const sm::Plan& made, sm::StageKind kind,
                                fabric::PortIndex port) const {
    const std::vector<sm::Write> all = writes(made, kind);
    const auto found = std::ranges::find(all, port, &sm::Write::port);
    if (found == all.end()) return std::nullopt;
    EXPECT_EQ(found->attribute, Attribute::kId);
    return Attribute(found->data);
  }
  /// The fabric takes everything that is planned.
  void carry_out() {
    plan();
    sm::Planner planner(fabric, devices, target, options);
    sm::ApplyReport report;
    while (sm::Stage* const stage = planner.next()) {
      for (std::size_t i = 0; i < stage->size(); ++i)
        stage->accept(i, sm::predicted_response(fabric, stage->write(i)), report);
    }
    EXPECT_EQ(report.failed, 0u);
    // The client has noticed.
    for (fabric::Port& port : fabric.ports) port.info.set_client_reregister(false);
  }

  fabric::Fabric fabric;
  sm::Target target;
  sm::DeviceState devices;
  config::Options options;
  fabric::PortIndex host;
};

using sm::StageKind;
using Blocks = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

TEST_F(PlanTest, FreshFabricGetsEverythingInOnePassAndNothingInTheNext) {
  const sm::Plan first = plan();
  EXPECT_EQ(tables(first), (Blocks{{0, 0}, {1, 0}}));
  EXPECT_TRUE(find<mad::SwitchInfo>(first, StageKind::switches, sw(0, 0)).has_value());
  std::multiset<fabric::PortIndex> ports;
  for (const sm::Write& write : writes(first, StageKind::ports)) ports.insert(write.port);
  EXPECT_EQ(ports,
            (std::multiset<fabric::PortIndex>{sw(0, 0), sw(0, 1), sw(0, 2), sw(1, 0), sw(1, 1),
                                              sw(1, 2), host, fabric.ports[sw(1, 2)].peer}))
      << "each port once, and not those without a cable";
  for (const sm::Write& write : writes(first, StageKind::ports)) {
    const mad::PortInfo info(write.data);
    const bool management = fabric.ports[write.port].number.value == 0;
    EXPECT_EQ(info.port_state(), management ? PortState::no_change : PortState::armed)
        << fabric.port_name(write.port);
    if (!fabric.is_end_port(write.port)) continue;
    EXPECT_EQ(info.master_sm_lid(), find<mad::PortInfo>(first, StageKind::ports, host)->lid());
  }
  std::multiset<fabric::PortIndex> activated;
  for (const sm::Write& write : writes(first, StageKind::activation)) {
    activated.insert(write.port);
    EXPECT_EQ(mad::PortInfo(write.data).port_state(), PortState::active);
  }
  EXPECT_EQ(activated, (std::multiset<fabric::PortIndex>{sw(0, 1), sw(0, 2), sw(1, 1), sw(1, 2),
                                                         host, fabric.ports[sw(1, 2)].peer}));
  carry_out();
  EXPECT_EQ(plan().writes(), 0u);
}

TEST_F(PlanTest, TablesGoBlockByBlockOverAllSwitchesAndOnlyWhereTheyDiffer) {
  target.lfts = std::make_shared<fabric::ForwardingTables>(2, mad::Lid{150});
  EXPECT_EQ(tables(plan()), (Blocks{{0, 1}, {1, 1}, {0, 2}, {1, 2}, {0, 0}, {1, 0}}))
      << "the block of the manager's LID comes last";
  devices.lfts.adopt(std::make_shared<fabric::ForwardingTables>(*target.lfts));
  target.lfts = std::make_shared<fabric::ForwardingTables>(*target.lfts);
  target.lfts->writable_row(fabric::SwitchIndex{1})[70] = 3;
  EXPECT_EQ(tables(plan()), (Blocks{{1, 1}}));
}

/// Two hosts, and 352 switches: LIDs 1 and 2, and 3 to 354 in the blocks 0 to 5.
fabric::Fabric of_many_switches() {
  fabrics::Maker maker;
  const std::array hubs{maker.sw(254), maker.sw(254)};
  maker.host(hubs[0]);
  maker.host(hubs[1]);
  maker.cable(hubs[0], hubs[1]);
  for (unsigned leaf = 0; leaf < 350; ++leaf) maker.cable(hubs[leaf % 2], maker.sw(2));
  return maker.build();
}

TEST_F(PlanTest, BlocksOfSwitchesAloneWaitUntilHostsAreActiveBelowLinearFdbTop) {
  start_with(of_many_switches());
  ASSERT_EQ(target.lids.lid_top, mad::Lid{354});
  const sm::Plan made = plan();
  std::vector<StageKind> kinds;
  for (const sm::PlannedStage& stage : made.stages)
    if (kinds.empty() || kinds.back() != stage.kind) kinds.push_back(stage.kind);
  std::erase(kinds, StageKind::p_keys);
  EXPECT_EQ(kinds, (std::vector{StageKind::forwarding_tables, StageKind::switches, StageKind::ports,
                                StageKind::activation, StageKind::forwarding_tables,
                                StageKind::switches}));
  std::vector<std::set<unsigned>> blocks;  // of each time that tables are written
  std::vector<std::set<unsigned>> tops;
  for (const sm::PlannedStage& stage : made.stages) {
    auto& all = stage.kind == StageKind::switches ? tops : blocks;
    if (stage.kind != StageKind::switches && stage.kind != StageKind::forwarding_tables) continue;
    std::set<unsigned>& of_stage = all.emplace_back();
    for (const sm::Write& write : stage.writes)
      of_stage.insert(stage.kind == StageKind::switches
                          ? mad::SwitchInfo(write.data).linear_fdb_top()
                          : write.modifier);
  }
  EXPECT_EQ(blocks, (std::vector<std::set<unsigned>>{{0}, {1, 2, 3, 4, 5}}));
  ASSERT_EQ(tops.size(), 2u);
  EXPECT_EQ(tops[0], std::set<unsigned>{63}) << "packets to LIDs of the blocks that wait are lost";
  EXPECT_GE(*tops[1].begin(), 354u);
  carry_out();
  EXPECT_EQ(plan().writes(), 0u);
}

TEST_F(PlanTest, NoBlockWaitsWhereASwitchMayForwardByIt) {
  start_with(of_many_switches());
  const auto all_before_ports = [&] {
    const sm::Plan made = plan();
    std::size_t before = 0;
    for (const sm::PlannedStage& stage : made.stages) {
      if (stage.kind == StageKind::ports) break;
      before += stage.kind == StageKind::forwarding_tables ? stage.writes.size() : 0;
    }
    return before == made.writes(StageKind::forwarding_tables);
  };
  EXPECT_FALSE(all_before_ports());
  mad::SwitchInfo& info = fabric.switches.back().info;
  info.set_linear_fdb_top(100);
  EXPECT_TRUE(all_before_ports()) << "what its table holds up to there is not known";
  info.set_linear_fdb_top(0);
  info.set_enhanced_port_0(true);
  EXPECT_TRUE(all_before_ports()) << "its port 0 sends and receives data";
  info.set_enhanced_port_0(false);
  fabric.sm_port = fabric.nodes[fabric.switches.back().node].first_port;
  EXPECT_TRUE(all_before_ports()) << "the manager's own LID";
}

TEST_F(PlanTest, NothingIsWrittenBeyondTheEndOfATable) {
  target.lfts = std::make_shared<fabric::ForwardingTables>(2, mad::Lid{150});
  target.lids.lid_top = mad::Lid{150};
  fabric.switches[fabric::SwitchIndex{1}].info.set_linear_fdb_cap(65);
  EXPECT_EQ(tables(plan()), (Blocks{{0, 1}, {1, 1}, {0, 2}, {0, 0}, {1, 0}}));
  EXPECT_EQ(find<mad::SwitchInfo>(plan(), StageKind::switches, sw(1, 0))->linear_fdb_top(), 64);
}

TEST_F(PlanTest, APortWithoutALidStaysAsItIs) {
  const fabric::EndPortIndex number(
      std::ranges::find(fabric.end_ports, fabric.ports[sw(1, 2)].peer) - fabric.end_ports.begin());
  const fabric::PortIndex port = fabric.end_ports[number];
  target.lids.of_end_port[number] = {};
  const sm::Plan made = plan();
  EXPECT_FALSE(find<mad::PortInfo>(made, StageKind::ports, port).has_value());
  const auto before_it = find<mad::PortInfo>(made, StageKind::ports, sw(1, 2));
  EXPECT_TRUE(!before_it || before_it->port_state() == PortState::no_change)
      << "and its link is not activated";
  EXPECT_FALSE(sm::may_activate(fabric, target.lids, sw(1, 2)));
  EXPECT_FALSE(sm::may_activate(fabric, target.lids, port));
  EXPECT_TRUE(sm::may_activate(fabric, target.lids, host));
}

TEST_F(PlanTest, SilentAndCutPortsAreLeftAlone) {
  fabric.ports[sw(1, 2)].known = false;
  const sm::Plan made = plan();
  EXPECT_FALSE(find<mad::PortInfo>(made, StageKind::ports, sw(1, 2)).has_value());
  EXPECT_FALSE(find<mad::PortInfo>(made, StageKind::ports, sw(1, 3)).has_value());
  EXPECT_FALSE(sm::may_activate(fabric, target.lids, sw(1, 2)));
}

TEST_F(PlanTest, WhatADeviceDoesNotTakeIsNoReasonToWriteToIt) {
  carry_out();
  fabric.ports[host].info.set_subnet_time_out(1);
  ASSERT_EQ(plan().writes(StageKind::ports), 1u);
  mad::PortInfo asked = fabric.ports[host].info;
  asked.set_subnet_time_out(options.subnet_timeout);
  devices.refusals.learn(fabric, host, fabric.ports[host].info, asked, fabric.ports[host].info);
  EXPECT_EQ(plan().writes(), 0u);
}

TEST_F(PlanTest, EndPortsAreAskedToRegisterAgainWhenTheManagerIsNew) {
  for (fabric::Port& port : fabric.ports)
    port.info.set_capability_mask(mad::capability::kClientReregistration);
  carry_out();
  EXPECT_EQ(plan().writes(), 0u);
  fabric.ports[host].info.set_master_sm_lid(mad::Lid{77});
  const sm::Plan made = plan();
  ASSERT_EQ(made.writes(), 1u);
  EXPECT_TRUE(find<mad::PortInfo>(made, StageKind::ports, host)->client_reregister());
}

/// The next sweep does not have it as a newcomer.
TEST_F(PlanTest, ANewPortWhoseLinkIsNotUpIsAskedToRegisterAgainOnceItIs) {
  for (fabric::Port& port : fabric.ports)
    port.info.set_capability_mask(mad::capability::kClientReregistration);
  carry_out();
  const fabric::PortIndex other = fabric.ports[sw(1, 2)].peer;
  target.newcomers.assign(fabric.ports.size(), false);
  target.newcomers[other] = true;
  fabric.ports[other].info.set_port_state(PortState::down);
  carry_out();
  target.newcomers.clear();
  fabric.ports[other].info.set_port_state(PortState::active);
  const sm::Plan made = plan();
  ASSERT_EQ(made.writes(), 1u);
  EXPECT_TRUE(find<mad::PortInfo>(made, StageKind::ports, other)->client_reregister());
}

TEST_F(PlanTest, PortStateChangeIsNotClearedWithTheSettings) {
  carry_out();
  fabric.switches[fabric::SwitchIndex{1}].info.set_port_state_change(true);
  EXPECT_EQ(plan().writes(), 0u) << "the change has not been looked at";
}

TEST_F(PlanTest, AliasGuidsAreWrittenBeforeThePortIsArmed) {
  mad::GuidInfo content;
  content.set_guid(1, mad::Guid{0x14000001});
  target.alias_guids = {{fabric.ports[host].guid, 0, content},
                        {mad::Guid{0xdead}, 0, content}};  // a port that is gone
  const sm::Plan made = plan();
  ASSERT_EQ(made.writes(StageKind::alias_guids), 1u);
  EXPECT_EQ(find<mad::GuidInfo>(made, StageKind::alias_guids, host)->guid(1),
            mad::Guid{0x14000001});
  const auto at = [&](StageKind kind) {
    return std::ranges::find(made.stages, kind, &sm::PlannedStage::kind) - made.stages.begin();
  };
  EXPECT_LT(at(StageKind::alias_guids), at(StageKind::ports));
}

TEST_F(PlanTest, OnlyWhatIsInScopeIsCompared) {
  plan();
  EXPECT_EQ(make_plan(fabric, devices, target, options, sm::PlanScope::vl_tables).writes(), 0u);
  EXPECT_EQ(make_plan(fabric, devices, target, options, sm::PlanScope::multicast).writes(), 0u);
  const sm::Plan p_keys = make_plan(fabric, devices, target, options, sm::PlanScope::p_keys);
  for (const sm::PlannedStage& stage : p_keys.stages) {
    EXPECT_TRUE(stage.kind == StageKind::p_keys || stage.kind == StageKind::ports);
    for (const sm::Write& write : stage.writes) {
      if (stage.kind != StageKind::ports) continue;
      EXPECT_EQ(mad::PortInfo(write.data).port_state(), PortState::no_change);
    }
  }
}

TEST_F(PlanTest, AdaptiveRoutingGainsNothingOutsideItsScope) {
  options.routing_engine = {"ar_updn"};
  auto groups = std::make_shared<fabric::AdaptiveGroups>();
  const fabric::PortIndex other = fabric.ports[sw(1, 2)].peer;
  groups->group_of_lid.assign(target.lids.lid_top.value + std::size_t{1}, 0);
  for (std::size_t lid = 1; lid <= target.lids.lid_top.value; ++lid)
    if (target.lids.owner(mad::Lid{static_cast<std::uint16_t>(lid)}) == other)
      groups->group_of_lid[lid] = 1;
  fabric::AdaptiveGroups::Row row;
  row.sets.emplace_back().set(2).set(3);
  row.set_of = {0, 1};
  groups->group_to = {fabric::GroupId{0}, fabric::GroupId{1}};
  groups->rows = {std::make_shared<const fabric::AdaptiveGroups::Row>(std::move(row)),
                  std::make_shared<const fabric::AdaptiveGroups::Row>()};
  target.adaptive = groups;
  for (const fabric::Switch& each : fabric.switches) {
    sm::AdaptiveDevice& device = devices.adaptive.at(fabric.nodes[each.node].guid);
    device.info.emplace().set_group_cap(4095);
  }
  using sm::PlanScope;
  const auto gains = [](const sm::Plan& made) {
    return made.writes(StageKind::adaptive_addition) + made.writes(StageKind::adaptive_settings);
  };
  EXPECT_GT(gains(plan()), 0u);
  const PlanScope others = without(PlanScope::everything, PlanScope::adaptive);
  const sm::Plan without_gains = make_plan(fabric, devices, target, options, others);
  EXPECT_EQ(gains(without_gains), 0u);
  EXPECT_EQ(without_gains.writes(StageKind::ports), plan().writes(StageKind::ports));
  const sm::Plan alone = make_plan(fabric, devices, target, options, PlanScope::adaptive);
  EXPECT_EQ(gains(alone), alone.writes());
}

TEST(Plan, AnyFabricIsPlannedForWithoutWritingToWhatIsNotThere) {
  seeds::for_each(300, [](std::uint64_t seed) {
    fabric::Fabric fabric = fabrics::random_fabric(seed);
    if (fabric.sm_port == fabric::kNoIndex) return;
    sm::Target target;
    target.lids = fabrics::assign_lids(fabric);
    target.partition_map =
        partitions::partition_map(partitions::default_configuration(), fabric, {});
    target.p_keys = partitions::p_key_targets(fabric, target.partition_map, {});
    target.lfts =
        std::make_shared<fabric::ForwardingTables>(fabric.switches.size(), target.lids.lid_top);
    sm::DeviceState devices;
    devices.lfts.update_from(fabric);
    const sm::Plan plan = make_plan(fabric, devices, target, {});
    std::set<std::tuple<fabric::PortIndex, AttributeId, std::uint32_t>> once;
    for (const sm::PlannedStage& stage : plan.stages) {
      // The second and third PortInfo of a port.
      if (stage.kind == StageKind::link_restarts || stage.kind == StageKind::activation) continue;
      for (const sm::Write& write : stage.writes) {
        ASSERT_LT(write.port, fabric.ports.size());
        EXPECT_TRUE(fabric.ports[write.port].known) << fabric.port_name(write.port);
        EXPECT_TRUE(once.insert({write.port, write.attribute, write.modifier}).second)
            << "written twice: " << fabric.port_name(write.port);
        if (write.attribute == AttributeId::linear_forwarding_table) {
          EXPECT_LT(
              write.modifier * 64,
              fabric.switches[fabric.owning_node(write.port).switch_index].info.linear_fdb_cap());
        }
        if (write.attribute != AttributeId::port_info) continue;
        const mad::PortInfo info(write.data);
        EXPECT_TRUE(info.port_state() != PortState::armed ||
                    sm::may_activate(fabric, target.lids, write.port))
            << fabric.port_name(write.port);
        EXPECT_TRUE(!fabric.is_end_port(write.port) || mad::is_unicast(info.lid()))
            << fabric.port_name(write.port);
      }
    }
  });
}

/// S1 has an entry for the LID of a host that was where another neighbour is now.
TEST_F(PlanTest, ALinkWaitsUntilTheSwitchInFrontHasNoEntryThatLeadsThereByMistake) {
  const mad::Lid old_lid{static_cast<std::uint16_t>(target.lids.lid_top.value + 1)};
  target.lfts = std::make_shared<fabric::ForwardingTables>(2, old_lid);
  target.lids.lid_top = old_lid;
  target.lfts->writable_row(fabric::SwitchIndex{1})[old_lid.value] = 2;
  carry_out();
  const fabric::PortIndex place = sw(1, 2), other = fabric.ports[place].peer;
  for (const fabric::PortIndex port : {place, other})
    fabric.ports[port].info.set_port_state(PortState::init);
  target.lfts = std::make_shared<fabric::ForwardingTables>(2, old_lid);

  // The first two sweeps: the block is not acknowledged, and then it cannot even be read.
  const auto sweep = [&](bool is_taken) {
    sm::Planner planner(fabric, devices, target, options);
    sm::ApplyReport report;
    while (sm::Stage* const stage = planner.next()) {
      for (std::size_t i = 0; i < stage->size(); ++i) {
        const sm::Write write = stage->write(i);
        if (stage->kind() == StageKind::forwarding_tables && !is_taken) {
          stage->lose(i);
        } else {
          stage->accept(i, sm::predicted_response(fabric, write), report);
        }
      }
    }
  };
  sweep(false);
  EXPECT_EQ(fabric.ports[place].info.port_state(), PortState::init);
  EXPECT_EQ(fabric.ports[other].info.port_state(), PortState::init);
  sweep(false);
  EXPECT_EQ(fabric.ports[place].info.port_state(), PortState::init);
  sweep(true);
  EXPECT_EQ(fabric.ports[place].info.port_state(), PortState::active);
  EXPECT_EQ(fabric.ports[other].info.port_state(), PortState::active);
}

}  // namespace plan_test
