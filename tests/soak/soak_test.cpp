// A few seeds of the long runs, for every submission.

#include <gtest/gtest.h>

#include "soak/known_failures.h"
#include "soak/run.h"
#include "support/seeds.h"

namespace soak_test {

TEST(Soak, WholeManagersConvergeAfterEveryPhase) {
  const auto known = soak::KnownFailures::read(HEDDLE_KNOWN_FAILURES);
  ASSERT_TRUE(known) << known.error();
  seeds::for_each(40, [&](std::uint64_t seed) {
    const soak::Outcome outcome = soak::run(soak::draw(seed));
    if (!outcome.failure.empty() && !known->issue_of(outcome.failure))
      ADD_FAILURE() << outcome.details << outcome.failure;
  });
}

TEST(Soak, TheSameSeedGivesTheSameRun) {
  const auto trace_of = [](std::uint64_t seed) {
    std::string text;
    soak::run(
        soak::draw(seed),
        {.trace = [&](std::string_view line) { text.append(line).append("\n"); }, .phase = {}});
    return text;
  };
  EXPECT_GT(trace_of(5).size(), 10'000u);
  EXPECT_EQ(trace_of(5), trace_of(5));
}

}  // namespace soak_test
