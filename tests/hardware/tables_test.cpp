// Switches that die, restart, lie, or lose their tables, under whole managers in virtual time.

#include <gtest/gtest.h>

#include "mad/format.h"
#include "sim/laboratory.h"
#include "support/seeds.h"

namespace tables_test {

using laboratory::Solo;
using namespace std::chrono_literals;

/// S0 with the manager's host H0, and S1: 64 ports each, 63 of them to hosts.
sim::Topology two_large_switches() {
  return sim::row({.switches = 2, .cables = 1, .hosts_per_switch = 63});
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
  EXPECT_EQ(lab.heddle().count("does not answer"), 2u)
      << "it, and what is behind its link; " << lab.tail();
  lab.model.nodes[victim].health = {};
  EXPECT_TRUE(lab.heals()) << lab.complaint() << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.heddle().count("cleared: "), 2u) << lab.tail();
}

TEST(DyingSwitch, SilentBeforeItHasItsForwardingTableItDelaysTheSweepByAtMostTwoSeconds) {
  const auto topology = sim::xgft({.children = {4, 6}, .parents = {1, 3}, .cables = {}});
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
  ASSERT_TRUE(lab.comes_up()) << lab.tail();
  const std::uint64_t sweeps = lab.status().sweeps;
  lab.runtime.run_for(5min);
  EXPECT_GE(lab.status().sweeps - sweeps, 8u) << lab.tail();
  EXPECT_LE(lab.status().sweeps - sweeps, 15u) << "after 1, 2, 4, ... 30 s; " << lab.tail();
  EXPECT_EQ(lab.heddle().count("does not answer"), 1u) << lab.tail();
  lab.model.nodes[victim].health = {};
  EXPECT_TRUE(lab.heals(35s)) << lab.complaint() << lab.tail();
  lab.settle();
  EXPECT_EQ(lab.heddle().count("cleared: \"S1\""), 1u) << lab.tail();
}

}  // namespace tables_test
