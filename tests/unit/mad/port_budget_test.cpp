#include "mad/transport.h"

#include <gtest/gtest.h>

#include <array>

#include "fabric/topology/random_source.h"
#include "support/seeds.h"

namespace port_budget_test {

using mad::PortBudget;
using Use = PortBudget::Use;

constexpr std::array kUses{Use::smps, Use::queries, Use::reports, Use::segments};

unsigned fill(PortBudget& budget, Use use) {
  unsigned taken = 0;
  for (; budget.admits(use); ++taken) budget.take(use);
  return taken;
}

TEST(PortBudget, AUseAloneLeavesItsShareToEachOther) {
  for (const Use use : kUses) {
    PortBudget budget;
    EXPECT_EQ(fill(budget, use), budget.most(use));
    EXPECT_EQ(budget.most(use), use == Use::smps ? 152u : 102u);
    for (const Use other : kUses) {
      if (other == use) continue;
      EXPECT_GE(fill(budget, other), other == Use::smps ? 66u : 16u);
    }
    EXPECT_EQ(budget.under_way(), budget.limit());
  }
}

TEST(PortBudget, TheLimitForSmpsAdmitsThem) {
  for (const unsigned smps : {64u, 152u, 500u, 4096u}) {
    PortBudget budget;
    budget.set_limit(PortBudget::find_limit(smps));
    EXPECT_GE(fill(budget, Use::smps), smps);
  }
}

TEST(PortBudget, RepetitionsHaveAQuarterBeside) {
  PortBudget budget;
  for (const Use use : kUses) fill(budget, use);
  unsigned repeated = 0;
  for (; budget.admits_repetition(); ++repeated) budget.take(Use::smps);
  EXPECT_EQ(repeated, 50u);
}

TEST(PortBudget, StaysWithinItsLimitAndAdmitsEveryUse) {
  seeds::for_each(200, [](std::uint64_t seed) {
    topology::Random dice(seed);
    PortBudget budget;
    budget.set_limit(1 + dice.below(400));
    const unsigned limit = budget.limit();
    for (int step = 0; step < 3000; ++step) {
      const Use use = kUses[dice.below(4)];
      if (dice.percent(60)) {
        const bool admitted = budget.admits(use);
        EXPECT_TRUE(admitted || budget.under_way(use) > 0);
        if (admitted) budget.take(use);
      } else if (const unsigned own = budget.under_way(use); own > 0) {
        budget.give_back(use, 1 + dice.below(own));
      }
      // A use without anything under way may always begin.
      ASSERT_LE(budget.under_way(), limit + PortBudget::kUses - 1);
    }
  });
}

}  // namespace port_budget_test
