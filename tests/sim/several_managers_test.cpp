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
