#include "sm/performance/noise.h"

#include <gtest/gtest.h>

namespace noise_test {

using namespace std::chrono_literals;
using sm::ErrorWindow;

constexpr sm::ErrorLimits kLimits{{120, 10, 120, 0}};

mad::TimePoint at(mad::Duration since_midnight) { return mad::TimePoint{} + 240h + since_midnight; }

TEST(ErrorLimits, ZeroIsNoLimit) {
  EXPECT_EQ(kLimits.exceeded_by({120, 10, 120, 4'000'000'000u}), 0u);
  EXPECT_EQ(kLimits.exceeded_by({121, 11, 0, 0}), 0b11u);
}

TEST(ErrorWindow, SlidesOverAnHour) {
  ErrorWindow window;
  for (int step = 0; step < 12; ++step) window.add(at(step * 10min), {10, 0, 0, 0}, 10min, kLimits);
  EXPECT_EQ(window.in_an_hour()[0], 60u);
  window.add(at(3h), {}, 10min, kLimits);
  EXPECT_EQ(window.in_an_hour()[0], 0u);
}

TEST(ErrorWindow, GrowthOverALongIntervalCountsAsItsShareOfAnHour) {
  ErrorWindow window;
  window.add(at(0h), {}, {}, kLimits);
  window.add(at(10h), {1000, 0, 0, 0}, 10h, kLimits);
  EXPECT_EQ(window.in_an_hour()[0], 100u);
  EXPECT_EQ(window.raised(), 0u);
}

TEST(ErrorWindow, StaysRaisedUntilBelowHalf) {
  ErrorWindow window;
  window.add(at(1min), {121, 0, 0, 0}, 3min, kLimits);
  EXPECT_EQ(window.raised(), 1u);
  EXPECT_EQ(window.stated()[0], 121u);
  window.add(at(55min), {61, 0, 0, 0}, 3min, kLimits);
  EXPECT_EQ(window.stated()[0], 121u) << "not doubled";
  window.add(at(62min), {}, 3min, kLimits);
  EXPECT_EQ(window.raised(), 1u) << "61 are more than half of 120";
  window.add(at(118min), {}, 3min, kLimits);
  EXPECT_EQ(window.raised(), 0u);
}

TEST(ErrorWindow, CountsNoisyHoursInARow) {
  ErrorWindow window;
  mad::Duration now = 1min;
  const auto run_hour = [&](std::uint32_t errors_each) {
    for (int poll = 0; poll < 20; ++poll, now += 3min)
      window.add(at(now), {errors_each, 0, 0, 0}, 3min, kLimits);
  };
  run_hour(7);
  EXPECT_EQ(window.noisy_hours(), 0u) << "the hour is not complete";
  run_hour(7);
  EXPECT_EQ(window.noisy_hours(), 1u);
  run_hour(7);
  EXPECT_EQ(window.noisy_hours(), 2u);
  run_hour(1);
  EXPECT_EQ(window.noisy_hours(), 3u);
  run_hour(7);
  EXPECT_EQ(window.noisy_hours(), 0u) << "20 in the latest complete one";
  run_hour(7);
  EXPECT_EQ(window.noisy_hours(), 1u);
  window.add(at(now + 5h), {}, 5h, kLimits);
  EXPECT_EQ(window.noisy_hours(), 0u) << "nothing is known of whole hours";
}

TEST(NoisyHours, NeverOverflow) {
  EXPECT_EQ(sm::noisy_hours_after(65535, {121, 0, 0, 0}, kLimits), 65535u);
  EXPECT_EQ(sm::noisy_hours_after(7, {120, 10, 120, 9}, kLimits), 0u);
}

}  // namespace noise_test
