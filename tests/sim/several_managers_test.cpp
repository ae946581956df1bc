// Several whole Heddles on one fabric, one process, one clock, one seed.

#include <gtest/gtest.h>

#include "sim/laboratory.h"
#include "support/seeds.h"

namespace several_managers_test {

using laboratory::Instance;
using laboratory::kTakeover;
using laboratory::Laboratory;
using namespace std::chrono_literals;

sim::Topology tree() { return sim::xgft({.children = {3, 4}, .parents = {1, 3}, .cables = {}}); }

std::string all_tails(const Laboratory& lab) {
  std::string text;
  for (const Instance& instance : lab.instances) text += instance.tail() + "\n";
  return text;
}

config::Options with_priority(std::uint8_t priority) {
  config::Options options;
  options.sm_priority = priority;
  return options;
}

TEST(SeveralManagers, ExactlyOneIsMasterAndTheNextTakesOver) {
  seeds::for_each(50, [](std::uint64_t seed) {
    Laboratory lab(tree(), seed);
    sim::Random dice(seed);
    if (dice.chance(0.3)) lab.world.qualities.front().lost = 0.01;
    const char* const hosts[]{"H0", "H4", "H11"};
    for (const char* host : hosts) {
      lab.start(host, with_priority(static_cast<std::uint8_t>(dice.below(3))));
      if (dice.chance(0.5))
        lab.runtime.run_for(std::chrono::milliseconds(dice.below(3000)));  // else all at once
    }
    while (!lab.instances.empty()) {
      ASSERT_TRUE(lab.settles(kTakeover)) << lab.complaint() << all_tails(lab);
      // The master is killed without notice.
      lab.instances.remove_if([](const Instance& instance) {
        return instance.manager().status().state == mad::SmState::master;
      });
    }
  });
}

/// Managers of different rank start, hand over, crash and return while SMInfo is lost, late or
/// duplicated. Afterwards the one of highest rank is the only MASTER, and stays so.
TEST(SeveralManagers, TheHighestRankLeadsAfterCrashesAndLossDuringHandovers) {
  seeds::for_each(40, [](std::uint64_t seed) {
    Laboratory lab(sim::row({.switches = 2, .cables = 1, .hosts_per_switch = 3}), seed);
    sim::Random dice(seed);
    const std::size_t count = 2 + dice.below(4u);
    std::vector<config::Options> options;
    std::vector<Instance*> managers;
    for (std::size_t which = 0; which < count; ++which) {
      options.push_back(with_priority(static_cast<std::uint8_t>(dice.below(3u))));
      managers.push_back(&lab.start(fmt::format("H{}", which), options[which]));
      lab.runtime.run_for(std::chrono::milliseconds(dice.below(1500u)));
    }
    sim::LinkQuality faulty;
    faulty.lost = dice.chance(0.7) ? 0.05 : 0;
    faulty.duplicated = dice.chance(0.5) ? 0.05 : 0;
    faulty.late = dice.chance(0.5) ? 0.05 : 0;
    const std::vector<sim::LinkQuality> before(lab.world.qualities.begin(),
                                               lab.world.qualities.end());
    for (sim::LinkQuality& quality : lab.world.qualities) quality = faulty;
    for (unsigned step = 0; step < 12; ++step) {
      // Handovers take some SMPs of a few microseconds: crashes hit their steps.
      lab.runtime.run_for(dice.chance(0.5) ? std::chrono::microseconds(dice.below(300u))
                                           : std::chrono::microseconds(dice.below(2'000'000u)));
      const std::size_t which = dice.below(static_cast<unsigned>(count));
      if (!managers[which]->runs()) {
        managers[which]->start(options[which]);
      } else if (dice.chance(0.5)) {
        managers[which]->stop();
      } else {
        options[which].sm_priority = static_cast<std::uint8_t>(dice.below(4u));
        managers[which]->reload(options[which]);
      }
    }
    std::ranges::copy(before, lab.world.qualities.begin());
    for (std::size_t which = 0; which < count; ++which)
      if (!managers[which]->runs() && which % 2 == 0) managers[which]->start(options[which]);
    lab.runtime.run_for(90s);  // a sweep with errors is repeated after 30 s at most
    const Instance* highest = nullptr;
    const auto rank = [&](const Instance& instance) {
      return sm::SmRank{.priority = instance.options().sm_priority,
                        .guid = lab.model.ports[instance.port()].guid};
    };
    for (const Instance& instance : lab.instances) {
      if (instance.runs() && (highest == nullptr || outranks(rank(instance), rank(*highest))))
        highest = &instance;
    }
    const auto check = [&] {
      for (const Instance& instance : lab.instances) {
        if (!instance.runs()) continue;
        EXPECT_EQ(instance.manager().status().state,
                  &instance == highest ? mad::SmState::master : mad::SmState::standby)
            << all_tails(lab);
      }
    };
    check();
    lab.runtime.run_for(30s);
    check();
    // Sets of the previous master that were late or repeated may count last; the audit mends them.
    if (faulty.faulty()) return;
    EXPECT_EQ(lab.complaint(), "") << all_tails(lab);
  });
}

TEST(SeveralManagers, AHandoverTakesMillisecondsAndKeepsLids) {
  Laboratory lab(tree());
  Instance& low = lab.start("H4", with_priority(1));
  ASSERT_TRUE(lab.settles());
  std::vector<mad::Lid> lids;
  for (const sim::PortIndex port : lab.model.ports.indices()) lids.push_back(lab.info(port).lid());
  Instance& high = lab.start("H0", with_priority(15));
  const auto state = [](const Instance& sm) { return sm.manager().status().state; };
  ASSERT_TRUE(lab.runtime.run_until([&] { return state(high) == mad::SmState::standby; }, 2s));
  const mad::TimePoint begin = lab.runtime.now();
  ASSERT_TRUE(lab.runtime.run_until([&] { return high.says("SUBNET UP"); }, 5s)) << all_tails(lab);
  EXPECT_LT(lab.runtime.now() - begin, 500ms);
  EXPECT_EQ(state(low), mad::SmState::standby);
  ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
  EXPECT_EQ(low.count("Entering MASTER"), 1u);
  EXPECT_EQ(low.count("SM-SMINFO-REFUSED") + high.count("SM-SMINFO-REFUSED"), 0u) << all_tails(lab);
  std::size_t at = 0;
  for (const sim::PortIndex port : lab.model.ports.indices())
    EXPECT_EQ(lab.info(port).lid(), lids[at++]);
}

/// Two subnets with their masters are joined by a link.
TEST(SeveralManagers, OfTwoMastersThatMeetTheHigherStays) {
  for (const bool first_is_higher : {true, false}) {
    Laboratory lab(sim::row({.switches = 2, .cables = 1, .hosts_per_switch = 3}));
    const sim::PortIndex link = [&] {
      for (const sim::PortIndex port : lab.model.ports.indices())
        if (lab.model.link_up(port) && lab.model.node_of(port).is_switch() &&
            lab.model.nodes[lab.neighbour(port)].is_switch())
          return port;
      return sim::PortIndex{0};
    }();
    const sim::PortIndex other_end = lab.far(link);
    lab.world.cut(link);
    Instance& one = lab.start("H0", with_priority(first_is_higher ? 2 : 1));
    Instance& two = lab.start("H4", with_priority(first_is_higher ? 1 : 2));
    lab.runtime.run_for(20s);
    ASSERT_EQ(one.manager().status().state, mad::SmState::master);
    ASSERT_EQ(two.manager().status().state, mad::SmState::master);
    lab.plug(link, other_end);
    ASSERT_TRUE(lab.settles()) << lab.complaint() << all_tails(lab);
    Instance& higher = first_is_higher ? one : two;
    EXPECT_EQ(higher.manager().status().state, mad::SmState::master) << all_tails(lab);
    EXPECT_EQ(higher.count("Entering MASTER"), 1u) << "it stays: " << all_tails(lab);
  }
}

TEST(SeveralManagers, NeverMoreInFlightThanTheWindow) {
  Laboratory lab(sim::fat_tree({.hosts = 324, .radix = 36, .levels = 2}));
  config::Options options;
  options.max_wire_smps = 16;
  options.origins["max_wire_smps"] = {};
  lab.start("H0", options);
  ASSERT_TRUE(lab.settles()) << lab.complaint();
  EXPECT_LE(lab.instances.front().attachment().in_flight_max(), 16u + 2u)
      << "and an occasional response to a trap or a query";
}

}  // namespace several_managers_test
