#include "sm/sweep/trap_damper.h"

#include <gtest/gtest.h>

namespace trap_damper_test {

using sm::TrapDamper;
using Action = TrapDamper::Action;
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
  Action admit(std::uint16_t issuer, mad::Duration later = 100ms) {
    now += later;
    return damper.admit(mad::Lid{issuer}, trap(issuer), now);
  }
  TrapDamper damper;
  mad::TimePoint now = mad::TimePoint{} + 1h;
};

TEST_F(TrapDamperTest, TenAreHeededThenTheStormIsToldOnceAndIgnored) {
  for (unsigned i = 0; i < TrapDamper::kHandledMax; ++i) EXPECT_EQ(admit(1), Action::handle);
  EXPECT_EQ(admit(1), Action::storm_begins);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(admit(1), Action::ignore);
}

TEST_F(TrapDamperTest, APauseMakesItWorthHearingAgain) {
  for (unsigned i = 0; i < 50; ++i) admit(1);
  EXPECT_EQ(admit(1, TrapDamper::kPause - 1ms), Action::ignore)
      << "ignored repeats count as repeats";
  EXPECT_EQ(admit(1, TrapDamper::kPause), Action::handle);
}

TEST_F(TrapDamperTest, SlowRepeatsAreNeverAStorm) {
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(admit(1, TrapDamper::kPause), Action::handle);
}

TEST_F(TrapDamperTest, AStormOfOneHidesNoOther) {
  for (unsigned i = 0; i < 50; ++i) admit(1);
  EXPECT_EQ(admit(2), Action::handle);
  EXPECT_EQ(admit(1), Action::ignore);
  mad::LocalChangeNotice other;
  other.set_is_generic(true);
  other.set_trap_number(mad::TrapNumber::local_change);
  EXPECT_EQ(damper.admit(mad::Lid{1}, mad::Notice::of(other), now), Action::handle)
      << "another trap of the same port";
}

TEST_F(TrapDamperTest, ToggleAndCountDoNotMakeARepeatNew) {
  mad::Notice notice = trap(1);
  for (std::uint16_t i = 0; i < 11; ++i) {
    notice.set_notice_toggle(i % 2 == 0);
    notice.set_notice_count(i);
    EXPECT_EQ(damper.admit(mad::Lid{1}, notice, now),
              i < 10 ? Action::handle : Action::storm_begins);
  }
}

TEST_F(TrapDamperTest, RemembersNoMoreThanItsLimitAndGoesOn) {
  for (unsigned round = 0; round < 3; ++round) {
    for (unsigned lid = 1; lid < 2 * TrapDamper::kRemembered; ++lid)
      EXPECT_EQ(admit(static_cast<std::uint16_t>(lid), 0ms), Action::handle);
  }
}

}  // namespace trap_damper_test
