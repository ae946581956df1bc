// Switches that die, restart, lie, or lose their tables, under whole managers in virtual time.

#include <gtest/gtest.h>

#include "fabric/fabric_conditions.h"
#include "mad/format.h"
#include "routing/core/routing_conditions.h"
#include "sim/laboratory.h"
#include "sim/sa_lab.h"
#include "sim/scenario/scenario.h"
#include "sim/world/forwarding.h"
#include "sm/ctl/topology/generators.h"
#include "sm/sweep/devices/sweep_conditions.h"
#include "support/seeds.h"

namespace tables_test {

using laboratory::Solo;
using namespace std::chrono_literals;

/// S0 with the manager's host H0, and S1: 64 ports each, 63 of them to hosts.
topology::Topology two_large_switches() {
  return topology::row({.switches = 2, .cables = 1, .hosts_per_switch = 63});
}

/// The node is silent from right after its first response with this attribute.
void dies_after(Solo& lab, sim::NodeIndex node, mad::AttributeId attribute) {
  sim::Health& health = lab.model.nodes[node].health;
  health.edit_response = [&lab, &health, attribute](mad::SmpView smp) {
    if (smp.attribute_id() == attribute)
      lab.runtime.events().after(20us, [&health] { health.silent = true; });
  };
}

/// Until the log says one of both: how long that took.
mad::Duration time_until(Solo& lab, std::string_view text, std::string_view or_text) {
  const mad::TimePoint begin = lab.runtime.now();
  EXPECT_TRUE(lab.runtime.run_until([&] { return lab.says(text) || lab.says(or_text); }, 10min));
  return lab.runtime.now() - begin;
}

constexpr std::string_view kUp = "SUBNET UP", kErrors = "Errors during initialization";

TEST(DyingSwitch, SilentAfterSwitchInfoItDelaysTheSweepByAtMostTwoSeconds) {
  Solo healthy(two_large_switches());
  healthy.start();
  const mad::Duration usual = time_until(healthy, kUp, kErrors);

  Solo lab(two_large_switches());
  const sim::NodeIndex victim = lab.model.find("S1");
  dies_after(lab, victim, mad::AttributeId::switch_info);
  lab.start();
  EXPECT_LE(time_until(lab, kUp, kErrors) - usual, 2s) << lab.tail();
  EXPECT_TRUE(lab.says(kUp)) << "the rest of the fabric is managed; " << lab.tail();
  EXPECT_EQ(lab.complaint(), "");
  lab.runtime.run_for(5min);
  EXPECT_EQ(lab.heddle().count("does not answer"), 1u)
      << "not what is behind it as well; " << lab.tail();
  lab.model.nodes[victim].health = {};
  EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.heddle().count("cleared: "), 1u) << lab.tail();
}

TEST(DyingSwitch, SilentBeforeItHasItsForwardingTableItDelaysTheSweepByAtMostTwoSeconds) {
  const auto topology = topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}});
  constexpr std::uint16_t kHigh = 43'500;  // 680 blocks
  mad::Duration usual{};
  for (const bool dies : {false, true}) {
    Solo lab(topology);
    lab.info(lab.port(sim::NodeIndex{5u})).set_lid(mad::Lid{kHigh});
    lab.info(lab.port(sim::NodeIndex{9u})).set_lid(mad::Lid{kHigh + 9});
    const auto spine = sim::NodeIndex(lab.model.nodes.size() - 1);
    if (dies) dies_after(lab, spine, mad::AttributeId::linear_forwarding_table);
    lab.start();
    const mad::Duration time = time_until(lab, kUp, kErrors);
    if (!dies) {
      usual = time;
      EXPECT_GE(lab.model.nodes[spine].sets, 680u);
      continue;
    }
    EXPECT_LE(time - usual, 2s) << lab.tail();
    EXPECT_LE(lab.model.nodes[spine].sets, 40u);
    EXPECT_TRUE(lab.heals(6s)) << lab.complaint() << lab.tail();
    EXPECT_LE(lab.heddle().count(lab.model.nodes[spine].description), 10u) << lab.tail();
    lab.model.nodes[spine].health = {};
    EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
  }
}

TEST(DyingSwitch, ThatAnswersNodeInfoOnlyIsReadAgainWithGrowingPausesAndReportedOnce) {
  Solo lab(two_large_switches());
  const sim::NodeIndex victim = lab.model.find("S1");
  lab.model.nodes[victim].health.agent_ignores_requests = true;
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says(kUp); }, 10s)) << lab.tail();
  const std::uint64_t sweeps = lab.status().sweeps;
  lab.runtime.run_for(5min);
  EXPECT_GE(lab.status().sweeps - sweeps, 8u) << lab.tail();
  EXPECT_LE(lab.status().sweeps - sweeps, 15u) << "after 1, 2, 4, ... 30 s; " << lab.tail();
  EXPECT_EQ(lab.heddle().count("does not answer"), 1u) << lab.heddle().log();
  lab.model.nodes[victim].health = {};
  EXPECT_TRUE(lab.heals(35s)) << lab.complaint() << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.heddle().count("cleared: "), 1u) << lab.tail();
}

// ------------------------------------------------------------------------------------------
// Tables that are not ours

topology::Topology tree() {
  return topology::xgft({.children = {2, 3}, .parents = {1, 2}, .cables = {}});
}

TEST(ForeignTables, AreReadAgainAndMendedWhateverLinearFdbTopSays) {
  laboratory::SaLab lab(tree());
  lab.options.qos = true;
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  const std::vector<std::string> members{"H0", "H2", "H4"};
  for (const std::string& host : members) ASSERT_TRUE(lab.join(host));
  ASSERT_TRUE(lab.group_settles(mad::kMlidMin, members));
  lab.settle();
  for (sim::NodeModel& node : lab.model.nodes) {
    if (!node.is_switch()) continue;
    const auto sl_to_vl = node.sw->sl_to_vl;
    const std::uint16_t ours = node.sw->info.linear_fdb_top();
    for (const unsigned top : {0u, 5u, ours + 40u}) {
      SCOPED_TRACE(fmt::format("{}, LinearFDBTop {}", node.description, top));
      std::ranges::fill(node.sw->lft, mad::kNoPort.value);
      node.sw->mft.clear();
      std::ranges::fill(node.sw->sl_to_vl, sim::SlToVl{});
      node.sw->info.set_linear_fdb_top(static_cast<std::uint16_t>(top));
      EXPECT_TRUE(lab.heals(12s)) << lab.complaint() << lab.tail();
      lab.settle();
      EXPECT_EQ(lab.group_complaint(mad::kMlidMin, members), "") << lab.tail();
      EXPECT_EQ(node.sw->sl_to_vl, sl_to_vl);
      EXPECT_GE(node.sw->info.linear_fdb_top(), ours);
      EXPECT_LE(node.sw->info.linear_fdb_top(), ours | 63u) << "within the last block";
    }
  }
  EXPECT_TRUE(lab.says("[SM-TABLES-LOST]")) << lab.tail();
  // The fabric is healthy: what has happened has its time, and is no active condition.
  EXPECT_EQ(lab.raised(sm::kSweepConditions.tables_lost), 0u);
  EXPECT_GT(lab.occurred(sm::kSweepConditions.tables_lost), 0u);
  for (const sm::ConditionLog::Occurred& of : lab.status().occurrences) {
    if (of.condition.id != sm::kSweepConditions.tables_lost) continue;
    EXPECT_LT(of.last, lab.runtime.now() - 1s);
    EXPECT_NE(of.condition.text.find("had to be"), std::string::npos) << of.condition.text;
  }
  lab.runtime.run_for(sm::ConditionLog::kOccurrencesKept);
  EXPECT_EQ(lab.occurred(sm::kSweepConditions.tables_lost), 0u);
}

/// Firmware that ignores or masks entries that forward nothing.
TEST(MaskedTables, AreWrittenByOneSweepAndThenLeftAlone) {
  using sim::LftFirmware;
  for (const LftFirmware firmware : {LftFirmware::hides_above_top, LftFirmware::ignores_above_top,
                                     LftFirmware::hides_ports, LftFirmware::sets_unused}) {
    SCOPED_TRACE(static_cast<int>(firmware));
    Solo lab(tree());
    // One spine and one leaf have it; entries of stale LIDs above LinearFDBTop are in both.
    std::size_t number = 0;
    for (sim::NodeModel& node : lab.model.nodes) {
      if (!node.is_switch() || number++ % 3 != 0) continue;
      node.sw->lft_firmware = firmware;
      for (std::size_t lid = 1; lid < 200; ++lid) node.sw->lft[lid] = 200;
    }
    lab.info(lab.port(sim::NodeIndex{4u})).set_lid(mad::Lid{150});
    lab.start();
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says(kUp); }, 10s)) << lab.tail();
    EXPECT_FALSE(lab.says(kErrors)) << lab.tail();
    EXPECT_EQ(lab.status().sweeps, 1u);
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_EQ(lab.says("answers with forwarding table entries"),
              firmware != LftFirmware::hides_ports)
        << lab.tail();
    // Blocks that hold LIDs in use and others are written again.
    lab.forget_counts();
    lab.heddle().forget_log();
    lab.reboot(sim::NodeIndex{3u});
    lab.settle();
    EXPECT_EQ(lab.complaint(), "") << lab.tail();
    EXPECT_FALSE(lab.says(kErrors)) << lab.tail();
    EXPECT_FALSE(lab.says("[SM-TABLES-LOST]")) << lab.tail();
    const std::uint64_t sweeps = lab.status().sweeps;
    lab.forget_counts();
    lab.runtime.run_for(10min);  // more than one audit
    EXPECT_EQ(lab.status().sweeps, sweeps) << lab.tail();
    EXPECT_EQ(lab.sets(), 0u) << lab.tail();
  }
}

/// Which switches mask entries is not kept: a restart reads it again, and writes their blocks once.
TEST(MaskedTables, ARestartWritesTheBlocksOfSuchSwitchesOnce) {
  using sim::LftFirmware;
  for (const LftFirmware firmware : {LftFirmware::hides_above_top, LftFirmware::ignores_above_top,
                                     LftFirmware::hides_ports, LftFirmware::sets_unused}) {
    SCOPED_TRACE(static_cast<int>(firmware));
    Solo lab(tree());
    std::size_t switches = 0;
    for (sim::NodeModel& node : lab.model.nodes) {
      if (!node.is_switch()) continue;
      ++switches;
      node.sw->lft_firmware = firmware;
    }
    lab.info(lab.port(sim::NodeIndex{4u})).set_lid(mad::Lid{150});
    lab.start();
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says(kUp); }, 10s)) << lab.tail();
    lab.settle();
    lab.heddle().stop();
    lab.forget_counts();
    lab.start();
    ASSERT_TRUE(lab.runtime.run_until([&] { return lab.heddle().count(kUp) == 2; }, 10s))
        << lab.tail();
    lab.settle();
    EXPECT_EQ(lab.status().sweeps, 1u);
    EXPECT_EQ(lab.complaint(), "");
    EXPECT_LE(lab.sent(mad::Method::set, mad::AttributeId::linear_forwarding_table), 3 * switches)
        << "LIDs up to 150 are three blocks";
  }
}

TEST(MaskedTables, OneWrongAnswerIsNoConditionForEver) {
  Solo lab(tree());
  lab.options.audit_interval = 60;
  sim::NodeModel& leaf = lab.model.nodes[lab.neighbour(lab.own())];
  bool has_lied = false;
  leaf.health.edit_response = [&](mad::SmpView smp) {
    if (smp.attribute_id() != mad::AttributeId::linear_forwarding_table ||
        std::exchange(has_lied, true))
      return;
    smp.data()[60] = 1;
  };
  lab.start();
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  EXPECT_TRUE(has_lied);
  EXPECT_TRUE(lab.says("answers with forwarding table entries")) << lab.tail();
  lab.runtime.run_for(5min);
  EXPECT_EQ(lab.raised(fabric::kFabricConditions.value_implausible), 0u) << lab.tail();
}

TEST(MaskedTables, OtherEntriesOfLidsInUseAreAFailure) {
  Solo lab(tree());
  sim::NodeModel& leaf = lab.model.nodes[lab.neighbour(lab.own())];
  leaf.health.edit_response = [](mad::SmpView smp) {
    if (smp.attribute_id() == mad::AttributeId::linear_forwarding_table) smp.data()[2] = 77;
  };
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says(kErrors); }, 30s)) << lab.tail();
  EXPECT_TRUE(lab.says("answers with another content")) << lab.tail();
}

TEST(MulticastFdbCap, OfZeroIsAConditionAsLongAsAMemberNeedsTheTable) {
  laboratory::SaLab lab(tree());
  const std::string member = "H5";
  const sim::PortIndex leaf = lab.far(lab.port(member));
  lab.model.owning_node(leaf).sw->info.set_multicast_fdb_cap(0);
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  ASSERT_EQ(lab.raised(routing::kRoutingConditions.multicast_incapable), 0u) << lab.tail();
  ASSERT_TRUE(lab.join(member));
  lab.runtime.run_for(2s);
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.multicast_incapable), 1u) << lab.tail();
  const std::uint64_t sweeps = lab.status().sweeps;
  ASSERT_TRUE(lab.leave(member));
  lab.runtime.run_for(2s);
  EXPECT_EQ(lab.raised(routing::kRoutingConditions.multicast_incapable), 0u) << lab.tail();
  EXPECT_EQ(lab.status().sweeps, sweeps) << "no sweep is needed for that";
}

TEST(LinearFdbTop, AboveAllUnicastLidsCountsAsZero) {
  Solo lab(tree());
  for (sim::NodeModel& node : lab.model.nodes)
    if (node.is_switch()) node.sw->info.set_linear_fdb_top(0xFFFF);
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says(kUp); }, 5s)) << lab.tail();
  EXPECT_TRUE(lab.says("LinearFDBTop 0xffff, above all unicast LIDs")) << lab.tail();
  EXPECT_FALSE(lab.says("[SM-TABLES-LOST]")) << lab.tail();
  EXPECT_EQ(lab.status().sweeps, 1u);
  EXPECT_EQ(lab.complaint(), "");
  EXPECT_EQ(lab.sent(mad::Method::get, mad::AttributeId::linear_forwarding_table),
            lab.model.nodes.size() - 6)
      << "one block of each switch, after it was written";
}

/// A switch loses its tables at any moment of a first sweep, or of one after a change; its links
/// stay up. It may show PortStateChange or not, and LinearFDBTop is about to be written.
TEST(LostTables, AtAnyPointOfASweepAreWrittenAgain) {
  seeds::for_each(60, [](std::uint64_t seed) {
    topology::Random dice(seed);
    Solo lab(tree(), seed);
    const bool first_sweep = dice.percent(50), shows_change = dice.percent(50);
    const sim::NodeIndex victim(6 + dice.below(5));
    ASSERT_TRUE(lab.model.nodes[victim].is_switch());
    if (!first_sweep) {
      ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    }
    const auto when = dice.below(first_sweep ? 260u : 120u);
    if (first_sweep) lab.start();
    const mad::TimePoint end = lab.runtime.now() + 5s;
    lab.heddle().tap().on_request = [&, requests = 0u](mad::ConstSmpView) mutable {
      if (requests++ != when || lab.runtime.now() > end) return;
      lab.world.lose_tables(victim);
      if (!shows_change) lab.model.nodes[victim].sw->info.set_port_state_change(false);
    };
    lab.runtime.run_for(100ms);
    if (!first_sweep) lab.world.bounce(lab.port(lab.model.find("H3")));
    lab.runtime.run_for(5s);
    const bool soon = lab.complaint().empty();
    lab.runtime.run_for(8s);  // the light sweep
    EXPECT_EQ(lab.complaint(), "") << "after request " << when << lab.tail();
    EXPECT_TRUE(soon || !lab.says("lost its tables while")) << lab.tail();
    lab.heddle().tap().on_request = nullptr;
  });
}

/// Some 60 faults within 15 s, all of which end; half of the nodes that lose tables show no
/// PortStateChange afterwards. Right within one audit at the latest.
TEST(LostTables, AfterAnyMixtureOfFaultsTheFabricIsRightWithinOneAudit) {
  seeds::for_each(10, [](std::uint64_t seed) {
    Solo lab(topology::xgft({.children = {2, 4}, .parents = {1, 2}, .cables = {}}), seed);
    lab.options.audit_interval = 20;
    ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
    lab.world.timing.boot = 500ms;
    sim::random_scenario(lab.model, seed,
                         {.until = 15s,
                          .mean_interval = 250ms,
                          .kinds = {"flap", "bounce", "loss", "reboot", "hang", "slow", "lie",
                                    "bad-status", "lose-tables", "lose-tables", "no-traps"}})
        .schedule(lab.world);
    topology::Random dice(seed);
    for (unsigned moment = 0; moment < 15; ++moment) {
      lab.runtime.run_for(1s);
      for (sim::NodeModel& node : lab.model.nodes)
        if (node.is_switch() && dice.percent(20)) node.sw->info.set_port_state_change(false);
    }
    EXPECT_TRUE(lab.runtime.run_until([&] { return lab.complaint().empty(); }, 45s))
        << lab.complaint() << lab.tail();
    lab.runtime.run_for(45s);
    EXPECT_EQ(lab.complaint(), "") << lab.tail();
  });
}

// ------------------------------------------------------------------------------------------
// Lies in SwitchInfo and PortInfo

/// Pairs of hosts between which a packet is delivered.
std::size_t connected_pairs(Solo& lab) {
  std::vector<sim::PortIndex> hosts;
  for (const sim::NodeIndex node : lab.model.nodes.indices())
    if (!lab.model.nodes[node].is_switch()) hosts.push_back(lab.port(node));
  std::size_t pairs = 0;
  for (const sim::PortIndex from : hosts) {
    for (const sim::PortIndex to : hosts)
      pairs += from != to &&
               sim::walk_unicast(lab.model, from, {.dlid = lab.info(to).lid()}).delivered();
  }
  return pairs;
}

TEST(SmallTables, OfASpineTakeNoLidsAndNoPathsFromTheRestOfTheFabric) {
  Solo lab(topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}));
  sim::NodeModel& spine = lab.model.nodes.back();
  spine.sw->info.set_linear_fdb_cap(6);
  lab.start();
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says(kUp); }, 10s)) << lab.tail();
  EXPECT_EQ(connected_pairs(lab), 24u * 23u) << lab.tail();
  EXPECT_TRUE(lab.says("LIDs from 6 are not reached through it")) << lab.tail();
  EXPECT_LT(spine.sw->info.linear_fdb_top(), 6);
}

/// The switch that the manager's host is attached to shows this LinearFDBCap.
class ManagersLeaf : public testing::TestWithParam<std::uint16_t> {
 protected:
  explicit ManagersLeaf(const topology::Topology& topology) : lab_(topology) {}
  ManagersLeaf()
      : ManagersLeaf(topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}})) {}
  void start() {
    lab_.model.owning_node(lab_.far(lab_.own())).sw->info.set_linear_fdb_cap(GetParam());
    lab_.start();
    ASSERT_TRUE(lab_.runtime.run_until([&] { return lab_.says(kUp); }, 10s)) << lab_.tail();
  }
  Solo lab_;
};

using ManagersLeafWithoutTable = ManagersLeaf;
TEST_P(ManagersLeafWithoutTable, StopsNothingButItsOwnHosts) {
  start();
  EXPECT_EQ(connected_pairs(lab_), 20u * 19u) << lab_.tail();
  EXPECT_TRUE(lab_.says("has no linear forwarding table")) << lab_.tail();
  EXPECT_FALSE(lab_.says("it is ignored")) << lab_.tail();
  EXPECT_GT(lab_.raised(sm::kLidConditions.lft_too_small), 0u) << lab_.tail();
  lab_.runtime.run_for(30s);
  const std::uint64_t sets = lab_.sets();
  lab_.runtime.run_for(60s);
  EXPECT_EQ(lab_.sets(), sets) << "it is not written again and again; " << lab_.tail();
}
INSTANTIATE_TEST_SUITE_P(Caps, ManagersLeafWithoutTable, testing::Values(0, 1));

using ManagersLeafWithFalseTable = ManagersLeaf;
TEST_P(ManagersLeafWithFalseTable, IsUsedWithAllItsHosts) {
  start();
  EXPECT_EQ(connected_pairs(lab_), 24u * 23u) << lab_.tail();
  EXPECT_GT(lab_.raised(fabric::kFabricConditions.value_implausible), 0u) << lab_.tail();
}
INSTANTIATE_TEST_SUITE_P(Caps, ManagersLeafWithFalseTable, testing::Values(0xC001, 0xFFFF));

/// In a ring, the switch without a table is also between others.
class ManagersLeafInARing : public ManagersLeaf {
 protected:
  ManagersLeafInARing() : ManagersLeaf(ring()) {}
  static topology::Topology ring() {
    return topology::torus({.dimensions = {5}, .hosts_per_switch = 2});
  }
};
TEST_P(ManagersLeafInARing, IsPassedByNoPathOfOthers) {
  start();
  EXPECT_EQ(connected_pairs(lab_), 8u * 7u) << lab_.tail();
}
INSTANTIATE_TEST_SUITE_P(Caps, ManagersLeafInARing, testing::Values(0));

TEST(SmallTables, AreReportedByOneRestartedSwitchAndTheOthersKeepTheirLids) {
  Solo lab(topology::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}}));
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  std::vector<mad::Lid> lids;
  for (unsigned host = 0; host < 24; ++host)
    lids.push_back(lab.info(lab.port(sim::NodeIndex{host})).lid());
  sim::NodeModel& spine = lab.model.nodes.back();
  spine.sw->info.set_linear_fdb_cap(3);
  spine.sw->info.set_multicast_fdb_cap(1);
  lab.world.lose_tables(sim::NodeIndex(lab.model.nodes.size() - 1));
  lab.runtime.run_for(15s);
  for (unsigned host = 0; host < 24; ++host)
    EXPECT_EQ(lab.info(lab.port(sim::NodeIndex{host})).lid(), lids[host]);
  EXPECT_EQ(connected_pairs(lab), 24u * 23u) << lab.tail();
}

TEST(MassChange, BecauseOfOneWrongAnswerIsConfirmedFirst) {
  Solo lab(two_large_switches());
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  // Once, S0 says that its link to S1 is down, behind which half of the fabric is.
  const sim::PortIndex link = [&] {
    const sim::NodeIndex s0 = lab.model.find("S0");
    for (unsigned number = 1;; ++number)
      if (lab.model.owning_node(lab.far(lab.port(s0, number))).is_switch())
        return lab.port(s0, number);
  }();
  bool lied = false;
  lab.node("S0").health.edit_response = [&](mad::SmpView smp) {
    if (lied || smp.attribute_id() != mad::AttributeId::port_info ||
        (smp.attribute_modifier() & 0xFFu) != lab.model.ports[link].number)
      return;
    mad::PortInfo info(smp.data());
    info.set_port_state(mad::PortState::down);
    info.set_port_physical_state(mad::PortPhysicalState::polling);
    smp.set_data(info.bytes());
    lied = true;
  };
  lab.raise_link_state_change(lab.model.nodes[lab.model.find("S0")].first_port);
  lab.runtime.run_for(5s);
  EXPECT_TRUE(lied);
  EXPECT_TRUE(lab.says("[SM-MASS-CHANGE]")) << lab.tail();
  EXPECT_EQ(lab.raised(sm::kSweepConditions.mass_change), 0u) << "it ends with the sweep";
  EXPECT_EQ(lab.sets(), 0u) << "nothing was withdrawn; " << lab.tail();
  EXPECT_FALSE(lab.says("[SM-NODE-LOST]")) << lab.tail();
}

TEST(MassChange, BecauseASwitchRejectsRequestsForAMomentIsConfirmedLater) {
  Solo lab(two_large_switches());
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  sim::Health& health = lab.node("S1").health;
  health.bad_status = 1;
  lab.raise_link_state_change(lab.model.nodes[lab.model.find("S1")].first_port);
  ASSERT_TRUE(lab.runtime.run_until([&] { return lab.says("[SM-MASS-CHANGE]"); }, 5s));
  lab.runtime.run_for(500ms);
  health.bad_status = 0;
  lab.runtime.run_for(5s);
  EXPECT_EQ(lab.sets(), 0u) << "nothing was withdrawn; " << lab.tail();
  EXPECT_FALSE(lab.says("[SM-NODE-LOST]")) << lab.tail();
}

TEST(MassChange, ThatIsTrueIsAppliedAfterItWasConfirmed) {
  Solo lab(two_large_switches());
  ASSERT_TRUE(lab.start_and_settle()) << lab.tail();
  lab.world.power(lab.model.find("S1"), false);
  ASSERT_TRUE(
      lab.runtime.run_until([&] { return lab.raised(sm::kSweepConditions.mass_change) == 1; }, 5s))
      << "while everything is read again; " << lab.tail();
  lab.runtime.run_for(5s);
  EXPECT_TRUE(lab.says("[SM-MASS-CHANGE]")) << lab.tail();
  EXPECT_TRUE(lab.says("[SM-NODE-LOST]")) << lab.tail();
  EXPECT_EQ(lab.raised(sm::kSweepConditions.mass_change), 0u) << "it ends with the sweep";
  EXPECT_EQ(lab.complaint(), "");
}

// ------------------------------------------------------------------------------------------
// The audit

class Audit : public testing::Test {
 protected:
  Audit() : lab(tree()) {
    lab.options.qos = true;
    lab.options.audit_interval = 20;
    EXPECT_TRUE(lab.start_and_settle()) << lab.tail();
    for (const std::string& host : members) EXPECT_TRUE(lab.join(host));
    lab.settle();
  }
  sim::SwitchState& spine() { return *lab.model.nodes.back().sw; }
  /// Runs two passes; something must have been mended, and the log names it.
  void expect_mended(std::string_view what) {
    lab.runtime.run_for(42s);
    EXPECT_EQ(lab.complaint(), "") << lab.tail();
    EXPECT_EQ(lab.group_complaint(mad::kMlidMin, members), "") << lab.tail();
    EXPECT_TRUE(lab.says("[SM-AUDIT-DIFFERENCE]")) << lab.tail();
    EXPECT_TRUE(lab.says(what)) << lab.tail();
  }
  const std::vector<std::string> members{"H0", "H2", "H4"};
  laboratory::SaLab lab;
};

TEST_F(Audit, ReadsSlowlyAndWritesNothingWhereNothingDiffers) {
  lab.runtime.run_for(25s);  // the first pass began with the first sweep
  lab.forget_counts();
  const std::uint64_t sweeps = lab.status().sweeps;
  std::uint64_t most = 0;
  for (unsigned second = 0; second < 40; ++second) {
    const std::uint64_t before = lab.gets();
    lab.runtime.run_for(1s);
    most = std::max(most, lab.gets() - before);
  }
  EXPECT_EQ(lab.status().sweeps, sweeps) << lab.tail();
  EXPECT_EQ(lab.sets(), 0u);
  EXPECT_FALSE(lab.says("[SM-AUDIT-DIFFERENCE]")) << lab.tail();
  using enum mad::AttributeId;
  for (const mad::AttributeId attribute :
       {linear_forwarding_table, multicast_forwarding_table, p_key_table, sl_to_vl_mapping_table,
        vl_arbitration_table, port_info})
    EXPECT_GE(lab.sent(mad::Method::get, attribute), 5u) << mad::name(attribute);
  EXPECT_LE(most, lab.gets() / 10) << "spread over the interval";
}

TEST_F(Audit, MendsAForwardingTableBlock) {
  std::ranges::fill(spine().lft, mad::kNoPort.value);
  ASSERT_NE(lab.complaint(), "");
  expect_mended("read before: LinearForwardingTable block");
}

TEST_F(Audit, MendsAMulticastTableBlock) {
  for (sim::NodeModel& node : lab.model.nodes)
    if (node.is_switch()) node.sw->mft.clear();
  ASSERT_NE(lab.group_complaint(mad::kMlidMin, members), "");
  expect_mended("read before: MulticastForwardingTable block");
}

TEST_F(Audit, MendsAnSlToVlMappingTable) {
  const auto before = spine().sl_to_vl;
  std::ranges::fill(spine().sl_to_vl, sim::SlToVl{});
  expect_mended("read before: SLtoVLMappingTable");
  EXPECT_EQ(spine().sl_to_vl, before);
}

TEST_F(Audit, MendsAVlArbitrationTable) {
  sim::PortExtras& extras = lab.model.extras(lab.port("H3"));
  const auto before = extras.vl_arbitration;
  extras.vl_arbitration = {};
  ASSERT_NE(before, extras.vl_arbitration);
  expect_mended("read before: VLArbitrationTable");
  EXPECT_EQ(lab.model.extras(lab.port("H3")).vl_arbitration, before);
}

TEST_F(Audit, MendsAPKeyTable) {
  lab.model.set_p_keys(lab.port("H3"), 0, mad::PKeyTable{});
  ASSERT_NE(lab.complaint(), "");
  expect_mended("read before: P_KeyTable");
}

TEST_F(Audit, MendsPortInfo) {
  lab.info(lab.port("H3")).set_master_sm_lid(mad::Lid{77});
  expect_mended("read before: PortInfo");
  EXPECT_NE(lab.info(lab.port("H3")).master_sm_lid(), mad::Lid{77});
}

/// Nothing shows that the device answers rightly again.
TEST_F(Audit, FindsWhatADeviceAnsweredWronglyForSomeTime) {
  mad::PortInfo& info = lab.info(lab.port("H3"));
  mad::SwitchInfo& caps = spine().info;
  const mad::Mtu mtu = info.mtu_cap();
  const std::uint16_t cap = caps.multicast_fdb_cap();
  info.set_mtu_cap(mad::Mtu::mtu_256);
  caps.set_multicast_fdb_cap(1);
  lab.heddle().reload(lab.options);
  lab.runtime.run_for(2s);
  info.set_mtu_cap(mtu);
  caps.set_multicast_fdb_cap(cap);
  expect_mended("read before: PortInfo of port 1");
  EXPECT_TRUE(lab.says("read before: SwitchInfo")) << lab.tail();
  const std::shared_ptr<const fabric::Subnet> subnet = lab.status().subnet;
  for (const fabric::Port& port : subnet->fabric.ports) EXPECT_EQ(port.info.mtu_cap(), mtu);
}

TEST_F(Audit, IsOffWithIntervalZero) {
  lab.options.audit_interval = 0;
  lab.heddle().reload(lab.options);
  lab.settle();
  std::ranges::fill(spine().lft, mad::kNoPort.value);
  lab.runtime.run_for(2min);
  EXPECT_NE(lab.complaint(), "");
  EXPECT_FALSE(lab.says("[SM-AUDIT-DIFFERENCE]")) << lab.tail();
}

}  // namespace tables_test
