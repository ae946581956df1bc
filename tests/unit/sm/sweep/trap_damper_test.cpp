#include "sm/sweep/trap_damper.h"

#include <gtest/gtest.h>

namespace trap_damper_test {

using sm::TrapDamper;
using Verdict = TrapDamper::Verdict;
using namespace std::chrono_literals;

mad::Notice trap(std::uint16_t lid) {
  mad::LinkStateNotice notice;
  notice.set_is_generic(true);
  notice.set_trap_number(mad::TrapNumber::link_state_change);
  notice.set_lid(mad::Lid{lid});
  return mad::Notice::of(notice);
}

class TrapDamperTest : public testing::Test {
 protected:
  Verdict hear(std::uint16_t issuer, mad::Duration later = 100ms) {
    now += later;
    return damper.hear(mad::Lid{issuer}, trap(issuer), now);
  }
  TrapDamper damper;
  mad::TimePoint now = mad::TimePoint{} + 1h;
};

TEST_F(TrapDamperTest, TenAreHeededThenTheStormIsToldOnceAndIgnored) {
  for (unsigned i = 0; i < TrapDamper::kHeeded; ++i) EXPECT_EQ(hear(1), Verdict::heed);
  EXPECT_EQ(hear(1), Verdict::storm_begins);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(hear(1), Verdict::ignore);
}

TEST_F(TrapDamperTest, APauseMakesItWorthHearingAgain) {
  for (unsigned i = 0; i < 50; ++i) hear(1);
  EXPECT_EQ(hear(1, TrapDamper::kPause - 1ms), Verdict::ignore)
      << "ignored repeats count as repeats";
  EXPECT_EQ(hear(1, TrapDamper::kPause), Verdict::heed);
}

TEST_F(TrapDamperTest, SlowRepeatsAreNeverAStorm) {
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(hear(1, TrapDamper::kPause), Verdict::heed);
}

TEST_F(TrapDamperTest, AStormOfOneHidesNoOther) {
  for (unsigned i = 0; i < 50; ++i) hear(1);
  EXPECT_EQ(hear(2), Verdict::heed);
  EXPECT_EQ(hear(1), Verdict::ignore);
  mad::LocalChangeNotice other;
  other.set_is_generic(true);
  other.set_trap_number(mad::TrapNumber::local_change);
  EXPECT_EQ(damper.hear(mad::Lid{1}, mad::Notice::of(other), now), Verdict::heed)
      << "another trap of the same port";
}

TEST_F(TrapDamperTest, ToggleAndCountDoNotMakeARepeatNew) {
  mad::Notice notice = trap(1);
  for (std::uint16_t i = 0; i < 11; ++i) {
    notice.set_notice_toggle(i % 2 == 0);
    notice.set_notice_count(i);
    EXPECT_EQ(damper.hear(mad::Lid{1}, notice, now),
              i < 10 ? Verdict::heed : Verdict::storm_begins);
  }
}

TEST_F(TrapDamperTest, RemembersNoMoreThanItsLimitAndGoesOn) {
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned lid = 1; lid < 2 * TrapDamper::kRemembered; ++lid)
      EXPECT_EQ(hear(static_cast<std::uint16_t>(lid), 0ms), Verdict::heed);
  }
}

}  // namespace trap_damper_test
