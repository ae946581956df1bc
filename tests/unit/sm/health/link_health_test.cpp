#include "sm/health/link_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/fabrics.h"

namespace link_health_test {

using namespace std::chrono_literals;
using fabric::Fabric;
using sm::HealthSettings;
using sm::LinkHealth;
using sm::PortPlace;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

/// Two leaves with two links between them, at ports 7 and 8, and two hosts each, at ports 1 and 2.
/// The manager is host 1 of leaf-a.
struct Two {
  bool link_7 = true, link_8 = true, host_2 = true, leaf_b = true;
  bool trained_7 = false;  // its state is Init
  Fabric build() const {
    fabrics::Maker maker;
    const auto a = maker.sw(8, "leaf-a");
    maker.cable(a, 1, maker.ca(1, "manager"), 1);
    const auto second = maker.ca(1, "host-2");
    if (host_2) maker.cable(a, 2, second, 1);
    const auto b = leaf_b ? maker.sw(8, "leaf-b") : fabric::NodeIndex(0);
    if (leaf_b) {
      maker.cable(b, 1, maker.ca(1, "host-3"), 1);
      if (link_7) maker.cable(a, 7, b, 7);
      if (link_8) maker.cable(a, 8, b, 8);
      if (trained_7) {
        maker.set_state(a, 7, mad::PortState::init);
        maker.set_state(b, 7, mad::PortState::init);
      }
    }
    Fabric fabric = maker.build();
    for (fabric::Port& port : fabric.ports)
      if (fabric.nodes[port.node].is_switch()) port.known = true;
    return fabric;
  }
};
const Fabric kAll = Two{}.build();
const Fabric kWithout7 = Two{.link_7 = false}.build();

PortPlace leaf_a(unsigned port) {
  return {kAll.nodes[fabric::NodeIndex{0}].guid, mad::PortNum{static_cast<std::uint8_t>(port)}};
}
PortPlace leaf_b(unsigned port) {
  for (const fabric::Node& node : kAll.nodes)
    if (node.description.text() == "leaf-b")
      return {node.guid, mad::PortNum{static_cast<std::uint8_t>(port)}};
  return {};
}

class Health : public testing::Test {
 protected:
  /// The link at port 7 is lost, and is back.
  void lose_7() {
    health.update_from(kAll, kWithout7, settings, now);
    now += 1s;
    health.update_from(kWithout7, kAll, settings, now);
    now += 1s;
    health.expire(settings, now);
  }
  void wait(mad::Duration time) {
    now += time;
    health.expire(settings, now);
  }

  HealthSettings settings{.losses = 3, .window = 300s, .release_after = 600s};
  LinkHealth health;
  mad::TimePoint now{1000s};
};

TEST_F(Health, ALinkThatIsLostOftenEnoughWithinTheWindowFlapsAtBothEnds) {
  lose_7();
  lose_7();
  EXPECT_THAT(health.faulty(), IsEmpty());
  lose_7();
  const auto faulty = health.faulty();
  ASSERT_THAT(faulty, SizeIs(2));
  ASSERT_TRUE(faulty.contains(leaf_a(7)) && faulty.contains(leaf_b(7)));
  EXPECT_TRUE(faulty.at(leaf_a(7)).flapping);
  EXPECT_EQ(faulty.at(leaf_a(7)).losses, 3u);
  EXPECT_FALSE(faulty.at(leaf_a(7)).towards_host);
  EXPECT_THAT(faulty.at(leaf_a(7)).peer, testing::HasSubstr("leaf-b"));
}

TEST_F(Health, LossesOutsideTheWindowDoNotCount) {
  for (int time = 0; time < 10; ++time) {
    lose_7();
    wait(200s);
  }
  EXPECT_THAT(health.faulty(), IsEmpty());
}

TEST_F(Health, ALinkThatWasLostAndTrainedBetweenTwoSurveysIsALoss) {
  const Fabric trained = Two{.trained_7 = true}.build();
  for (int time = 0; time < 3; ++time) {
    health.update_from(kAll, trained, settings, now);
    now += 1s;
    health.update_from(trained, kAll, settings, now);
  }
  EXPECT_THAT(health.faulty(), SizeIs(2));
}

/// In Init it is one that the manager took down itself, or that was not used yet.
TEST_F(Health, ALinkThatWasNotInUseIsNoLoss) {
  const Fabric trained = Two{.trained_7 = true}.build();
  for (int time = 0; time < 5; ++time) health.update_from(trained, kWithout7, settings, now);
  EXPECT_EQ(health.size(), 0u);
}

TEST_F(Health, ASwitchThatLosesAllOfItsLinksAtOnceWasRestarted) {
  const Fabric without_leaf = Two{.leaf_b = false}.build();
  for (int time = 0; time < 5; ++time) health.update_from(kAll, without_leaf, settings, now);
  EXPECT_EQ(health.size(), 0u);
}

TEST_F(Health, OwnDoingsAreNoLosses) {
  for (int time = 0; time < 5; ++time)
    health.update_from(kAll, kWithout7, settings, now, [](fabric::PortIndex) { return true; });
  EXPECT_EQ(health.size(), 0u);
}

TEST_F(Health, AHostsLinkIsKnownByTheSwitchPortOnly) {
  const Fabric without = Two{.host_2 = false}.build();
  for (int time = 0; time < 3; ++time) health.update_from(kAll, without, settings, now);
  const auto faulty = health.faulty();
  ASSERT_THAT(faulty, SizeIs(1));
  EXPECT_EQ(faulty.begin()->first, leaf_a(2));
  EXPECT_TRUE(faulty.begin()->second.towards_host);
}

TEST_F(Health, TheManagersOwnLinkNeverFlaps) {
  Fabric gone = kAll;
  const fabric::PortIndex leaf = gone.ports[gone.sm_port].peer;
  gone.ports[leaf].info.set_port_state(mad::PortState::down);
  for (int time = 0; time < 5; ++time) health.update_from(kAll, gone, settings, now);
  EXPECT_EQ(health.size(), 0u);
}

TEST_F(Health, QuietReleasesAndEachLossRestartsIt) {
  for (int time = 0; time < 3; ++time) lose_7();
  ASSERT_THAT(health.faulty(), SizeIs(2));
  wait(590s);
  EXPECT_THAT(health.faulty(), SizeIs(2));
  EXPECT_THAT(health.due(now), IsEmpty());
  lose_7();  // not quiet
  wait(590s);
  EXPECT_THAT(health.faulty(), SizeIs(2));
  now += 20s;
  EXPECT_THAT(health.due(now), SizeIs(2)) << "both switches are to be swept";
  health.expire(settings, now);
  EXPECT_THAT(health.faulty(), IsEmpty());
}

TEST_F(Health, TheQuietTimeDoublesWithEachRepetition) {
  for (const mad::Duration quiet : {600s, 1200s, 2400s}) {
    for (int time = 0; time < 3; ++time) lose_7();
    ASSERT_THAT(health.faulty(), SizeIs(2)) << quiet.count();
    wait(quiet - 10s);
    EXPECT_THAT(health.faulty(), SizeIs(2)) << quiet.count();
    wait(20s);
    EXPECT_THAT(health.faulty(), IsEmpty()) << quiet.count();
  }
}

TEST_F(Health, TheQuietTimeHasABoundAndIsForgottenInTheEnd) {
  settings.release_after = 3600s;
  for (int repetition = 0; repetition < 8; ++repetition) {
    for (int time = 0; time < 3; ++time) lose_7();
    wait(LinkHealth::kQuietMax);
    ASSERT_THAT(health.faulty(), IsEmpty()) << repetition;
  }
  wait(LinkHealth::kQuietMax);
  EXPECT_EQ(health.size(), 0u);
}

TEST_F(Health, WithoutAReleaseTimeOnlyAnOrderReleases) {
  settings.release_after = 0s;
  for (int time = 0; time < 3; ++time) lose_7();
  wait(1000h);
  ASSERT_THAT(health.faulty(), SizeIs(2));
  EXPECT_FALSE(health.faulty().begin()->second.until);
  EXPECT_TRUE(health.release(leaf_a(7)));
  EXPECT_TRUE(health.release(leaf_b(7)));
  EXPECT_FALSE(health.release(leaf_b(7)));
  EXPECT_EQ(health.size(), 0u);
}

TEST_F(Health, AnOrderedIsolationStandsUntilItIsReleased) {
  health.order(leaf_a(7), {.since = now});
  wait(1000h);
  ASSERT_THAT(health.faulty(), ElementsAre(Pair(leaf_a(7), testing::_)));
  EXPECT_TRUE(health.faulty().begin()->second.order);
  EXPECT_TRUE(health.release(leaf_a(7)));
  EXPECT_THAT(health.faulty(), IsEmpty());
}

TEST_F(Health, AnOrderWithAnEndStandsUntilThen) {
  const sm::IsolationOrder order{
      .by = "alice", .reason = "a cable is replaced", .since = now, .until = now + 60s};
  health.order(leaf_a(7), order);
  wait(59s);
  ASSERT_THAT(health.faulty(), SizeIs(1));
  EXPECT_EQ(health.faulty().begin()->second.order, order);
  EXPECT_EQ(health.faulty().begin()->second.until, order.until);
  EXPECT_THAT(health.due(now), IsEmpty());
  now += 1s;
  EXPECT_THAT(health.due(now), ElementsAre(leaf_a(7).node)) << "it is swept, and used again";
  wait(0s);
  EXPECT_THAT(health.faulty(), IsEmpty());
  EXPECT_EQ(health.size(), 0u);
}

TEST_F(Health, ANoisyPortIsReleasedAfterQuietOnlyWhenItsCountersAreLow) {
  health.set_noisy({leaf_a(7)}, settings, now);
  wait(10000s);
  EXPECT_THAT(health.faulty(), SizeIs(1)) << "its counters are still too high";
  EXPECT_THAT(health.due(now), IsEmpty());
  health.set_noisy({}, settings, now);
  EXPECT_THAT(health.due(now), IsEmpty()) << "it was noisy until now";
  now += 600s;
  EXPECT_THAT(health.due(now), SizeIs(1));
  wait(0s);
  EXPECT_THAT(health.faulty(), IsEmpty());
}

TEST_F(Health, AReleasedNoisyPortCountsAgainOnceItWasQuiet) {
  health.set_noisy({leaf_a(7)}, settings, now);
  EXPECT_TRUE(health.release(leaf_a(7)));
  health.set_noisy({leaf_a(7)}, settings, now);
  EXPECT_THAT(health.faulty(), IsEmpty());
  health.set_noisy({}, settings, now);
  health.set_noisy({leaf_a(7)}, settings, now);
  EXPECT_THAT(health.faulty(), SizeIs(1));
}

TEST_F(Health, MemoryIsBoundedAndWhatIsIsolatedStays) {
  health.order(leaf_a(7), {.since = now});
  std::set<PortPlace> invented;
  for (unsigned i = 0; i < LinkHealth::kPortsMax + 100; ++i)
    invented.insert({mad::Guid{1000u + i}, mad::PortNum{1}});
  health.set_noisy(invented, settings, now);
  EXPECT_EQ(health.size(), LinkHealth::kPortsMax);
  EXPECT_TRUE(health.faulty().contains(leaf_a(7)));
}

TEST(HealthSettings, AreThoseOfTheOptions) {
  config::Options options;
  options.sweep_interval = 5;
  options.hm_sw_flapping_action = "isolate";
  HealthSettings settings = sm::health_settings(options);
  EXPECT_EQ(settings.window, 150s);
  EXPECT_EQ(settings.losses, 5u);
  EXPECT_EQ(settings.release_after, 600s);
  EXPECT_EQ(settings.sw_flapping, config::HealthAction::isolate);
  EXPECT_EQ(settings.ca_flapping, config::HealthAction::report);
  options.sweep_interval = 0;
  EXPECT_EQ(sm::health_settings(options).window, 300s);
}

}  // namespace link_health_test
