#include "sim/server/pace.h"

#include <gtest/gtest.h>

namespace sim::server {
namespace pace_test {

using namespace std::chrono_literals;

const TimePoint kStart = EventQueue::kStart;
const Pace::RealTime kReal{100s};

TEST(SimServerPace, FollowsRealTimeAtItsSpeed) {
  const Pace one(1, kStart, kReal), ten(10, kStart, kReal);
  EXPECT_EQ(one.now(kReal + 3s), kStart + 3s);
  EXPECT_EQ(ten.now(kReal + 3s), kStart + 30s);
  EXPECT_EQ(one.until(kStart + 1s, kReal, kStart), 1s - Pace::kSlack);
  EXPECT_EQ(ten.until(kStart + 1s, kReal, kStart), 100ms - Pace::kSlack);
}

TEST(SimServerPace, DoesNotSleepForEventsThatAreNearlyDue) {
  const Pace pace(1, kStart, kReal);
  EXPECT_EQ(pace.until(kStart + 150us, kReal, kStart), 0ns);
  EXPECT_EQ(pace.due(kReal, kStart), kStart + Pace::kSlack);
}

TEST(SimServerPace, AtSpeedZeroShortWaitsTakeNoTimeAndLongOnesRealTime) {
  Pace pace(0, kStart, kReal);
  EXPECT_EQ(pace.until(kStart + 5ms, kReal, kStart), 0ns);
  EXPECT_EQ(pace.until(kStart + 500ms, kReal, kStart), 490ms);
  pace.ran_to(kStart + 8ms, kReal);
  EXPECT_EQ(pace.now(kReal), kStart + 8ms);
  EXPECT_EQ(pace.now(kReal + 1ms), kStart + 9ms);
}

TEST(SimServerPace, ChangesSpeedWithoutAJump) {
  Pace pace(1, kStart, kReal);
  pace.set_speed(100, kReal + 1s);
  EXPECT_EQ(pace.now(kReal + 1s), kStart + 1s);
  EXPECT_EQ(pace.now(kReal + 2s), kStart + 101s);
}

}  // namespace pace_test
}  // namespace sim::server
