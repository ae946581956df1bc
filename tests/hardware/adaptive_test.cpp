// Adaptive routing: switches that choose among ports, in each form of firmware that the facts leave
// open. Packets are followed through every choice after every single write.

#include <gtest/gtest.h>

#include <map>

#include "hardware/adaptive_lab.h"
#include "sm/sweep/devices/sweep_conditions.h"

namespace adaptive_test {

using laboratory::Adaptive;
using mad::AttributeId;
using mad::Method;
using namespace std::chrono_literals;

TEST(AdaptiveRouting, EverySwitchChoosesAmongAllPortsOnMinimalPaths) {
  Adaptive lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.enabled(), lab.switches().size()) << lab.tail();
  for (const sim::NodeIndex sw : lab.switches()) {
    EXPECT_TRUE(lab.ar_info(sw).fr_en());
    EXPECT_EQ(lab.ar_info(sw).enable_by_sl_mask(), 0xFFFF);
    EXPECT_EQ(lab.ar_info(sw).by_transport_disable(), 0x5) << "UD and UC keep their order";
    EXPECT_EQ(lab.ar_info(sw).ageing_time(), 30u);
  }
  lab.expect_all_arrive();
  // From a leaf to the hosts of another one: both ways up.
  const sim::ArSwitch& leaf = lab.device(lab.leaf_of(0));
  const std::uint16_t lid = lab.info(lab.port(lab.model.find("H15"))).lid().value;
  const auto entry = leaf.entry_in_use(lid);
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->state, mad::ArLidState::free);
  unsigned members = 0;
  bool has_static = false;
  leaf.for_each_member(entry->group, 0, [&](std::uint8_t port) {
    ++members;
    has_static = has_static || port == entry->static_port.value;
  });
  EXPECT_EQ(members, 2u);
  EXPECT_TRUE(has_static);
  EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_refused), 0u);
  EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_partial), 0u);
  const auto subnet = lab.status().subnet;
  ASSERT_TRUE(subnet->adaptive);
  for (const fabric::AdaptiveSwitch& its : subnet->adaptive->switches)
    EXPECT_EQ(its.state, fabric::AdaptiveState::active);
}

TEST(AdaptiveRouting, GroupsHaveTheSameNumberOnAllSwitchesAndAfterARestart) {
  Adaptive lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  const auto numbers = [&] {
    std::map<std::uint16_t, std::set<std::uint16_t>> of_lid;
    for (const sim::NodeIndex sw : lab.switches())
      for (unsigned host = 0; host < 16; ++host) {
        const std::uint16_t lid =
            lab.info(lab.port(lab.model.find(fmt::format("H{}", host)))).lid().value;
        if (const auto entry = lab.device(sw).entry_in_use(lid); entry && entry->group != 0)
          of_lid[lid].insert(entry->group);
      }
    return of_lid;
  };
  const auto before = numbers();
  EXPECT_EQ(before.size(), 16u);
  for (const auto& [lid, groups] : before) EXPECT_EQ(groups.size(), 1u) << lid;
  // All switches forget, and so does the manager: its file remembers.
  lab.heddle().stop();
  for (const sim::NodeIndex sw : lab.switches()) lab.world.reboot(sw);
  lab.runtime.run_for(10s);
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(numbers(), before);
}

TEST(AdaptiveRouting, ASecondStartWritesNothing) {
  Adaptive lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  lab.heddle().stop();
  lab.watch();
  lab.start();
  lab.forget_counts();
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.ar_sets(), 0u) << lab.tail();
  EXPECT_EQ(lab.sent(Method::set, AttributeId::linear_forwarding_table), 0u);
  EXPECT_GT(lab.sent(Method::get, AttributeId::ar_linear_forwarding_table), 0u);
  lab.expect_no_harm();
}

TEST(AdaptiveRouting, PacketsGoOnWhenALinkIsLostAndOnlyGroupsThatHadItAreWritten) {
  Adaptive lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  lab.watch();
  const sim::PortIndex up = lab.uplink(lab.leaf_of(0));
  const sim::PortIndex other_end = lab.far(up);
  lab.world.cut(up);
  // Before the manager has done anything: packets up from the leaf take its other port. Those
  // down to it by the switch that lost its link have no other way, so that senders must be told.
  unsigned arrived = 0;
  for (const sim::PortIndex to : lab.model.ports.indices()) {
    if (!lab.is_host(to)) continue;
    sim::AllChoices all(lab.model, {.dlid = lab.info(to).lid()});
    arrived += all.walk(lab.port(lab.model.find("H0"))).delivered();
  }
  EXPECT_EQ(arrived, 16u);
  lab.settle();
  EXPECT_EQ(lab.loops, 0u) << lab.first << "\n" << lab.tail();
  lab.expect_all_arrive();
  EXPECT_EQ(lab.enabled(), lab.switches().size());
  EXPECT_GT(lab.sent(Method::set, AttributeId::ar_group_table), 0u);
  lab.drops = 0;
  lab.forget_counts();
  lab.world.connect(up, other_end);
  lab.settle();
  lab.expect_no_harm();
  lab.expect_all_arrive();
  EXPECT_GT(lab.sent(Method::set, AttributeId::ar_group_table), 0u);
  // As before: nothing is left to write.
  lab.forget_counts();
  lab.heddle().order_resweep();
  lab.settle();
  EXPECT_EQ(lab.ar_sets(), 0u) << lab.tail();
}

TEST(AdaptiveRouting, SwitchingItOffLeavesNoHole) {
  Adaptive lab;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  lab.watch();
  lab.options.routing_engine = {"updn"};
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(30s);
  EXPECT_EQ(lab.enabled(), 0u) << lab.tail();
  lab.expect_no_harm();
  lab.expect_all_arrive();
  EXPECT_FALSE(lab.status().subnet->adaptive);
  lab.options.routing_engine = {"ar_updn"};
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(30s);
  EXPECT_EQ(lab.enabled(), lab.switches().size()) << lab.tail();
  lab.expect_no_harm();
  lab.expect_all_arrive();
}

TEST(AdaptiveRouting, FastRecoveryWorksWithoutChoosing) {
  Adaptive lab;
  lab.options.ar_mode = 0;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.enabled(), 0u);
  for (const sim::NodeIndex sw : lab.switches()) EXPECT_TRUE(lab.ar_info(sw).fr_en());
  lab.world.cut(lab.uplink(lab.leaf_of(0)));
  unsigned arrived = 0;
  for (const sim::PortIndex to : lab.model.ports.indices()) {
    if (!lab.is_host(to)) continue;
    arrived +=
        sim::walk_unicast(lab.model, lab.port(lab.model.find("H0")), {.dlid = lab.info(to).lid()})
            .delivered();
  }
  EXPECT_EQ(arrived, 16u) << "a member of the group takes the place of the static port";
  lab.settle();
  lab.expect_all_arrive();
}

TEST(AdaptiveRouting, SwitchesWithoutItForwardByTheirTables) {
  Adaptive lab;
  const sim::NodeIndex plain = lab.leaf_of(4), spine = lab.switches().back();
  for (const sim::NodeIndex sw : {plain, spine}) lab.world.model.nodes[sw].sw->adaptive.reset();
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_partial), 1u) << lab.tail();
  for (const sim::NodeIndex sw : lab.switches())
    if (sw != plain && sw != spine) {
      EXPECT_TRUE(lab.ar_info(sw).enable());
    }
  lab.expect_all_arrive();
  lab.watch();
  const sim::PortIndex up = lab.uplink(lab.leaf_of(0)), other_end = lab.far(up);
  lab.world.cut(up);
  lab.settle();
  EXPECT_EQ(lab.loops, 0u) << lab.first << "\n" << lab.tail();
  lab.expect_all_arrive();
  lab.drops = 0;
  lab.world.connect(up, other_end);
  lab.settle();
  lab.expect_no_harm();
}

TEST(AdaptiveRouting, ASwitchThatPlacesBlocksElsewhereIsNotEnabled) {
  Adaptive lab(topology::xgft({.children = {4, 6}, .parents = {1, 2}, .cables = {}}));
  for (const sim::NodeIndex sw : lab.switches())
    lab.device(sw).faults.blocks = sim::ArBlocks::above_low_byte;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.enabled(), 0u) << lab.tail();
  EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_mismatch), lab.switches().size())
      << lab.tail();
  EXPECT_TRUE(lab.says("byte ")) << lab.tail();
  lab.expect_all_arrive();
}

/// 20 leaves: to all others, each of them has the same two ports.
topology::Topology wide() {
  return topology::xgft({.children = {2, 20}, .parents = {1, 2}, .cables = {}});
}

TEST(AdaptiveRouting, GroupsWithTheSamePortsAreCopiedByTheSwitch) {
  Adaptive lab(wide());
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  lab.runtime.run_for(30s);
  EXPECT_EQ(lab.enabled(), lab.switches().size()) << lab.tail();
  EXPECT_EQ(lab.sent(Method::set, AttributeId::ar_group_table_copy), 20u);
  // The one that is copied, one with the leaf itself, the first and the last one; both
  // spines write all of their 11.
  EXPECT_LE(lab.sent(Method::set, AttributeId::ar_group_table), 20u * 4 + 2 * 11);
  lab.expect_all_arrive();
  lab.watch();
  lab.forget_counts();
  const sim::PortIndex up = lab.uplink(lab.leaf_of(0)), other_end = lab.far(up);
  lab.world.cut(up);
  lab.settle();
  EXPECT_EQ(lab.loops, 0u) << lab.first << "\n" << lab.tail();
  EXPECT_GT(lab.sent(Method::set, AttributeId::ar_group_table_copy), 0u);
  lab.expect_all_arrive();
  lab.drops = 0;
  lab.world.connect(up, other_end);
  lab.settle();
  lab.expect_no_harm();
  lab.expect_all_arrive();
}

TEST(AdaptiveRouting, CopiesThatSwitchesDoNotMakeAreWritten) {
  for (const bool is_refused : {true, false}) {
    Adaptive lab(wide());
    for (const sim::NodeIndex sw : lab.switches()) {
      sim::ArFaults& faults = lab.device(sw).faults;
      constexpr auto kCopy = static_cast<std::uint16_t>(AttributeId::ar_group_table_copy);
      if (is_refused)
        faults.refusals.push_back({.attribute = kCopy, .status = 0x1C});
      else
        faults.without_effect.insert(kCopy);
    }
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    EXPECT_EQ(lab.enabled(), lab.switches().size()) << lab.tail();
    EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_refused), 0u);
    lab.expect_all_arrive();
    const sim::ArSwitch& leaf = lab.device(lab.leaf_of(0));
    for (std::uint16_t group = 2; group <= 20; ++group) {
      unsigned members = 0;
      leaf.for_each_member(group, 0, [&](std::uint8_t) { ++members; });
      EXPECT_EQ(members, 2u) << group;
    }
    lab.forget_counts();
    lab.heddle().order_resweep();
    lab.settle();
    EXPECT_EQ(lab.ar_sets() + lab.sent(Method::set, AttributeId::ar_group_table_copy), 0u);
  }
}

TEST(AdaptiveRouting, ASilentSwitchDoesNotDecideAboutTheCopiesOfItsModel) {
  Adaptive lab(wide());
  lab.device(lab.leaf_of(0))
      .faults.refusals.push_back(
          {.attribute = static_cast<std::uint16_t>(AttributeId::ar_group_table)});
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  lab.runtime.run_for(2min);
  EXPECT_EQ(lab.enabled(), lab.switches().size() - 1) << lab.tail();
  EXPECT_GE(lab.sent(Method::set, AttributeId::ar_group_table_copy), 19u);
  EXPECT_LE(lab.sent(Method::set, AttributeId::ar_group_table), 20u * 8 + 2 * 11)
      << "no leaf had to write each of its 11 blocks";
  lab.expect_all_arrive();
}

TEST(AdaptiveRouting, ARefusalConcernsOneSwitch) {
  for (const AttributeId attribute :
       {AttributeId::ar_group_table, AttributeId::ar_linear_forwarding_table,
        AttributeId::adaptive_routing_info}) {
    for (const std::optional<std::uint16_t> status :
         {std::optional<std::uint16_t>(0x1C), std::optional<std::uint16_t>()}) {
      Adaptive lab;
      lab.device(lab.leaf_of(4))
          .faults.refusals.push_back({.attribute = static_cast<std::uint16_t>(attribute),
                                      .sets_only = true,
                                      .status = status});
      lab.start();
      lab.runtime.run_for(2min);
      EXPECT_EQ(lab.enabled(), lab.switches().size() - 1) << lab.tail();
      EXPECT_EQ(lab.raised(sm::kAdaptiveConditions.adaptive_routing_refused), 1u) << lab.tail();
      lab.expect_all_arrive();
    }
  }
}

TEST(AdaptiveRouting, SomeSlsKeepTheirOrder) {
  Adaptive lab;
  lab.options.ar_sl_mask = 0x00F0;
  lab.options.ar_transport_mask = 0xF;
  lab.options.ar_ageing_time = 100;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  for (const sim::NodeIndex sw : lab.switches()) {
    EXPECT_TRUE(lab.ar_info(sw).by_sl_en());
    EXPECT_EQ(lab.ar_info(sw).enable_by_sl_mask(), 0x00F0);
    EXPECT_EQ(lab.ar_info(sw).by_transport_disable(), 0);
    EXPECT_EQ(lab.ar_info(sw).ageing_time(), 100u);
  }
  const auto routing = lab.status().subnet->adaptive;
  EXPECT_FALSE(routing->is_adaptive(fabric::SwitchIndex{0}, mad::Sl{0}));
  EXPECT_TRUE(routing->is_adaptive(fabric::SwitchIndex{0}, mad::Sl{5}));
}

TEST(AdaptiveRouting, DevicesThatKeepNoOrderGetNoChoice) {
  Adaptive lab;
  const sim::NodeIndex old = lab.model.find("H15");
  lab.world.model.nodes[old].puts_in_order = false;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  const auto state = [&](unsigned host) {
    const std::uint16_t lid =
        lab.info(lab.port(lab.model.find(fmt::format("H{}", host)))).lid().value;
    return lab.device(lab.leaf_of(0)).entry_in_use(lid)->state;
  };
  EXPECT_EQ(state(15), mad::ArLidState::static_);
  EXPECT_EQ(state(14), mad::ArLidState::free);
  lab.expect_all_arrive();
}

/// A manager that writes ARLinearForwardingTables alone leaves LinearForwardingTables as they were.
TEST(AdaptiveRouting, WhatSwitchesDoCountsNotWhatTheirForwardingTablesSay) {
  for (const char* const engine : {"ar_updn", "updn"}) {
    Adaptive lab;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    lab.heddle().stop();
    for (const sim::NodeIndex sw : lab.switches())
      for (auto& port : lab.world.model.nodes[sw].sw->lft) port = mad::kNoPort.value;
    lab.watch();
    lab.options.routing_engine = {engine};
    lab.start();
    ASSERT_TRUE(lab.comes_up()) << lab.tail();
    lab.runtime.run_for(30s);
    EXPECT_EQ(lab.enabled(), engine[0] == 'a' ? lab.switches().size() : 0u) << lab.tail();
    lab.expect_no_harm();
    lab.expect_all_arrive();
  }
}

/// One form of firmware for each bit.
class Firmware : public testing::TestWithParam<unsigned> {
 protected:
  static sim::ArFirmware firmware() {
    const unsigned bits = GetParam();
    return {.static_ports_stay = (bits & 1) == 0,
            .lft_set_counts_at_once = (bits & 2) == 0,
            .unset_blocks_use_lft = (bits & 4) == 0,
            .static_ports_at_once = (bits & 8) != 0,
            .group_top_counts = (bits & 16) == 0};
  }
};

TEST_P(Firmware, NoWriteOfAnyChangeDropsOrLoops) {
  Adaptive lab(topology::xgft({.children = {2, 2, 2}, .parents = {1, 2, 2}, .cables = {}}),
               firmware());
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  EXPECT_EQ(lab.enabled(), lab.switches().size()) << lab.tail();
  lab.watch();
  const sim::PortIndex up = lab.uplink(lab.leaf_of(0)), other_end = lab.far(up);
  lab.world.cut(up);
  lab.settle();
  EXPECT_EQ(lab.loops, 0u) << lab.first;
  lab.drops = 0;
  lab.expect_all_arrive();
  lab.world.connect(up, other_end);
  lab.settle();
  const sim::NodeIndex spine = lab.switches().back();
  lab.expect_no_harm();
  lab.world.reboot(spine);
  lab.runtime.run_for(30s);
  EXPECT_EQ(lab.loops, 0u) << lab.first;
  lab.drops = 0;
  lab.expect_all_arrive();
  EXPECT_EQ(lab.enabled(), lab.switches().size()) << lab.tail();
  lab.options.routing_engine = {"updn"};
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(30s);
  lab.expect_no_harm();
  lab.expect_all_arrive();
  EXPECT_EQ(lab.enabled(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Forms, Firmware, testing::Values(0u, 1u, 2u, 3u, 4u, 8u, 15u, 31u));

}  // namespace adaptive_test
