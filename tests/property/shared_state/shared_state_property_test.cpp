// Managers that share their state lose no change that they acknowledged, whatever ends, hangs, is
// full, is cut or split. Run more seeds by HEDDLE_SEEDS=1..2500, which are four times as many runs.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "property/shared_state/lab.h"
#include "property/shared_state/mutants.h"
#include "property/shared_state/peers.h"
#include "support/seeds.h"

namespace shared_state_property_test {

using namespace shared_state;

/// Runs of one seed belong to different tests, which run at the same time.
constexpr std::uint64_t kParts = 4, kSeeds = 50;

std::unique_ptr<Stores> one_server(sim::VirtualRuntime& runtime) {
  return std::make_unique<OneServer>(runtime);
}
std::unique_ptr<Stores> peers(sim::VirtualRuntime& runtime) {
  return std::make_unique<Peers>(runtime);
}
std::string all_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

class SharedState : public testing::TestWithParam<std::uint64_t> {
 protected:
  void check(std::unique_ptr<Stores> (*stores)(sim::VirtualRuntime&), bool two_may_lead = true) {
    std::size_t acknowledged = 0;
    seeds::for_each(kSeeds, [&](std::uint64_t seed) {
      Lab lab({.seed = seed * kParts + GetParam(),
               .stores = stores,
               .hangs = two_may_lead,
               .splits = two_may_lead});
      const std::vector<std::string> wrong = lab.run();
      EXPECT_TRUE(wrong.empty()) << all_lines(wrong) << lab.events();
      acknowledged += lab.acknowledged();
    });
    if (seeds::are_default()) {
      EXPECT_GT(acknowledged, 20 * kSeeds) << "clients changed something";
    }
  }
};

TEST_P(SharedState, PeersLoseNoAcknowledgedChange) { check(peers); }
TEST_P(SharedState, OneServerLosesNoAcknowledgedChange) { check(one_server, false); }

INSTANTIATE_TEST_SUITE_P(Parts, SharedState, testing::Range(std::uint64_t{0}, kParts));

template <class Link>
std::unique_ptr<Stores> spoiled_peers(sim::VirtualRuntime& runtime) {
  auto out = std::make_unique<Peers>(runtime);
  out->spoil(Link());
  return out;
}

using Wrap = std::function<std::shared_ptr<sm::StateStore>(std::shared_ptr<sm::StateStore>)>;

/// Returns the seeds up to the first one whose run shows the defect.
std::uint64_t seeds_until_seen(std::unique_ptr<Stores> (*stores)(sim::VirtualRuntime&),
                               const Wrap& wrap = {}) {
  constexpr std::uint64_t kSeedsMax = 10;
  for (std::uint64_t seed = 1; seed <= kSeedsMax; ++seed) {
    Lab lab({.seed = seed, .stores = stores, .wrap = wrap});
    const std::vector<std::string> wrong = lab.run();
    if (std::ranges::any_of(wrong, [](const std::string& line) {
          return line.find(", acknowledged") != std::string::npos;
        }))
      return seed;
  }
  return kSeedsMax + 1;
}
template <class Store>
std::uint64_t seeds_until_found(std::unique_ptr<Stores> (*stores)(sim::VirtualRuntime&)) {
  return seeds_until_seen(
      stores, [](std::shared_ptr<sm::StateStore> store) -> std::shared_ptr<sm::StateStore> {
        return std::make_shared<Store>(std::move(store));
      });
}

TEST(SharedStateChecker, FindsAnAnswerBeforeTheStandbyHasTheChange) {
  EXPECT_LE(seeds_until_found<HastyStore>(peers), 10u);
}
TEST(SharedStateChecker, FindsALostRecord) {
  EXPECT_LE(seeds_until_found<LosingStore>(peers), 5u);
  EXPECT_LE(seeds_until_found<LosingStore>(one_server), 5u);
}
TEST(SharedStateChecker, FindsRecordsInTheWrongOrder) {
  EXPECT_LE(seeds_until_found<ReorderingStore>(peers), 5u);
  EXPECT_LE(seeds_until_found<ReorderingStore>(one_server), 5u);
}

TEST(SharedStateChecker, FindsARecordThatAConnectionLoses) {
  EXPECT_LE(seeds_until_seen(spoiled_peers<LosingLink>), 10u);
}
TEST(SharedStateChecker, FindsRecordsThatAConnectionSwaps) {
  EXPECT_LE(seeds_until_seen(spoiled_peers<ReorderingLink>), 10u);
}

}  // namespace shared_state_property_test
