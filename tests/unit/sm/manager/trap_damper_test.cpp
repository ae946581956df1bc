#include "sm/manager/trap_intake.h"

#include <gtest/gtest.h>

#include "sm/manager/trap_policy.h"

namespace trap_damper_test {

using sm::TrapDamper;
using sm::TrapKey;
using Action = TrapDamper::Action;
using namespace std::chrono_literals;

constexpr std::uint32_t kLinkState = 128, kLocalChange = 144;

class TrapDamperTest : public testing::Test {
 protected:
  Action admit(std::uint64_t source, mad::Duration later = 100ms,
               std::uint32_t number = kLinkState) {
    now += later;
    return damper.admit({.source = mad::Guid{source}, .number = number}, now).action;
  }
  TrapDamper damper;
  mad::TimePoint now = mad::TimePoint{} + 1h;
};

TEST_F(TrapDamperTest, TenAreHandledThenTheStormIsReportedOnceAndDelayed) {
  for (unsigned i = 0; i < TrapDamper::kHandledMax; ++i) EXPECT_EQ(admit(1), Action::handle);
  EXPECT_EQ(admit(1), Action::storm_begins);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(admit(1), Action::delay);
  EXPECT_EQ(damper.admit({.source = mad::Guid{1}, .number = kLinkState}, now).repeats, 112u);
}

TEST_F(TrapDamperTest, APauseEndsTheStorm) {
  for (unsigned i = 0; i < 50; ++i) admit(1);
  EXPECT_EQ(admit(1, TrapDamper::kPause - 1ms), Action::delay) << "delayed repeats are repeats";
  EXPECT_EQ(admit(1, TrapDamper::kPause), Action::handle);
}

TEST_F(TrapDamperTest, SlowRepeatsAreNeverAStorm) {
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(admit(1, TrapDamper::kPause), Action::handle);
}

TEST_F(TrapDamperTest, AStormOfOneHidesNoOther) {
  for (unsigned i = 0; i < 30; ++i) admit(1);
  EXPECT_EQ(admit(2), Action::handle);
  EXPECT_EQ(admit(1), Action::delay);
  EXPECT_EQ(admit(1, 0ms, kLocalChange), Action::handle) << "another trap of the same port";
}

TEST_F(TrapDamperTest, VariedTrapsOfOneSourceAreDampedTogether) {
  for (unsigned i = 0; i < TrapDamper::kHandledOfSource; ++i)
    EXPECT_EQ(admit(1, 1ms, 1000 + i), Action::handle);
  EXPECT_EQ(admit(1, 1ms, 5000), Action::storm_begins);
  for (unsigned i = 0; i < 10'000; ++i) EXPECT_EQ(admit(1, 1ms, 10'000 + i), Action::delay);
  EXPECT_EQ(admit(2), Action::handle);
}

TEST_F(TrapDamperTest, OnlySourceNumberAndSubjectMakeATrapANewOne) {
  mad::LinkErrorNotice notice;
  notice.set_is_generic(true);
  notice.set_trap_number(mad::TrapNumber::local_link_integrity);
  notice.set_port({3});
  const TrapKey key = TrapKey::of(mad::Guid{1}, mad::Notice::of(notice));
  notice.set_notice_toggle(true);
  notice.set_notice_count(7);
  notice.set_lid(mad::Lid{9});
  EXPECT_EQ(TrapKey::of(mad::Guid{1}, mad::Notice::of(notice)), key);
  notice.set_port({4});
  EXPECT_NE(TrapKey::of(mad::Guid{1}, mad::Notice::of(notice)), key);
  EXPECT_NE(TrapKey::of(mad::Guid{2}, mad::Notice::of(notice)), key);
}

TEST_F(TrapDamperTest, TheOldestEntriesAreDroppedFirst) {
  for (unsigned i = 0; i < 20; ++i) admit(1, 0ms);
  for (unsigned source = 2; source < 3 * TrapDamper::kRemembered; ++source) {
    EXPECT_EQ(admit(source, 0ms), Action::handle);
    if (source % 1000 != 0) continue;
    EXPECT_EQ(admit(1, 0ms), Action::delay) << "not the oldest";
  }
}

TEST(TrapPolicy, TrapsOfTheSubnetManagerAreRefusedAndThoseOfUnknownPortsCauseALightSweep) {
  mad::Notice notice;
  notice.set_is_generic(true);
  for (unsigned number = 60; number < 70; ++number) {
    notice.set_trap_number(static_cast<mad::TrapNumber>(number));
    const sm::TrapEffect effect = sm::effect_of(nullptr, fabric::kNoIndex, notice);
    EXPECT_EQ(effect.refused_for.empty(), number < 64 || number > 67) << number;
    EXPECT_EQ(effect.light_sweep, number < 64 || number > 67) << number;
  }
}

/// Another MASTER, behind a link that is not known, may have cleared PortStateChange.
TEST(TrapPolicy, AManagerAtAnUnknownPortCausesASurvey) {
  mad::LocalChangeNotice change;
  change.set_is_generic(true);
  change.set_trap_number(mad::TrapNumber::local_change);
  const sm::Subnet subnet;
  EXPECT_FALSE(sm::effect_of(&subnet, fabric::kNoIndex, mad::Notice::of(change)).survey);
  change.set_other_local_changes(true);
  change.set_change_flags(mad::LocalChangeNotice::kSmPriority);
  const mad::Notice notice = mad::Notice::of(change);
  EXPECT_TRUE(sm::effect_of(&subnet, fabric::kNoIndex, notice).survey);
  EXPECT_FALSE(sm::effect_of(nullptr, fabric::kNoIndex, notice).survey);
}

TEST(TrapLines, AreBoundedInAWindow) {
  sm::TrapLines lines;
  mad::TimePoint now = mad::TimePoint{} + 1h;
  for (unsigned i = 0; i < sm::TrapLines::kLines; ++i) EXPECT_EQ(lines.admit(now), 0u);
  for (unsigned i = 0; i < 1000; ++i) EXPECT_EQ(lines.admit(now), std::nullopt);
  now += sm::TrapLines::kWindow;
  EXPECT_EQ(lines.admit(now), 1000u);
  EXPECT_EQ(lines.admit(now), 0u);
}

}  // namespace trap_damper_test
