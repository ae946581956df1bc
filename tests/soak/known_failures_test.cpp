#include "soak/known_failures.h"

#include <gtest/gtest.h>

namespace known_failures_test {

using soak::KnownFailures;

TEST(KnownFailures, FindsTheIssueOfAFailure) {
  const auto known = KnownFailures::parse(
      "# a comment\n\n13: stop.*not converged.*: manager: 2 masters\n14: vport .* has no LID\n");
  ASSERT_TRUE(known) << known.error();
  EXPECT_EQ(known->size(), 2u);
  EXPECT_EQ(known->issue_of("phase 2 [flap; stop]: not converged within 9 s: manager: 2 masters"),
            "13");
  EXPECT_EQ(known->issue_of("phase 2 [flap]: not converged within 9 s: vport 3 has no LID"), "14");
  EXPECT_FALSE(known->issue_of("phase 2 [flap]: not converged within 9 s: LID: 7 is used twice"));
}

TEST(KnownFailures, AnExpressionThatMatchesAllOrIsInvalidIsAnError) {
  for (const char* text :
       {"13: .*", "13: not converged", "13: phase", "13:", "manager", "x: manager", "13: (["}) {
    const auto known = KnownFailures::parse(std::string("# first line\n") + text + "\n");
    ASSERT_FALSE(known) << text;
    EXPECT_EQ(known.error().substr(0, 7), "line 2:") << known.error();
  }
}

TEST(KnownFailures, TheFileCanBeRead) {
  const auto known = KnownFailures::read(HEDDLE_KNOWN_FAILURES);
  EXPECT_TRUE(known) << known.error();
  EXPECT_FALSE(KnownFailures::read("/no/such/file"));
}

}  // namespace known_failures_test
