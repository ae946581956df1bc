#include "sm/performance/noise.h"

#include <algorithm>
#include <limits>

namespace sm {
namespace {

constexpr std::uint32_t sum_of(std::uint32_t a, std::uint64_t b) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::min(kMax, a + std::min(b, kMax)));
}

}  // namespace

std::uint8_t ErrorLimits::exceeded_by(const ErrorCounts& in_an_hour) const {
  std::uint8_t kinds = 0;
  for (std::size_t kind = 0; kind < kErrorKinds; ++kind)
    if (per_hour[kind] != 0 && in_an_hour[kind] > per_hour[kind])
      kinds = static_cast<std::uint8_t>(kinds | 1u << kind);
  return kinds;
}

std::uint16_t noisy_hours_after(std::uint16_t before, const ErrorCounts& in_the_hour,
                                const ErrorLimits& limits) {
  if (limits.exceeded_by(in_the_hour) == 0) return 0;
  return before == std::numeric_limits<std::uint16_t>::max()
             ? before
             : static_cast<std::uint16_t>(before + 1);
}

ErrorCounts ErrorWindow::in_an_hour() const {
  ErrorCounts sum{};
  for (const ErrorCounts& step : steps_)
    for (std::size_t kind = 0; kind < kErrorKinds; ++kind)
      sum[kind] = sum_of(sum[kind], step[kind]);
  return sum;
}

void ErrorWindow::advance(std::int64_t step, const ErrorLimits& limits) {
  constexpr auto kStepsOfHour = static_cast<std::int64_t>(kSteps);
  if (step_ < 0 || step - step_ > 2 * kStepsOfHour) {  // nothing is known of whole hours
    steps_ = {};
    noisy_hours_ = 0;
    step_ = step;
    return;
  }
  while (step_ < step) {
    ++step_;
    // Here steps_ holds exactly the hour that is complete.
    if (step_ % kStepsOfHour == 0)
      noisy_hours_ = noisy_hours_after(noisy_hours_, in_an_hour(), limits);
    steps_[static_cast<std::size_t>(step_ % kStepsOfHour)] = {};
  }
}

void ErrorWindow::add(mad::TimePoint now, const ErrorCounts& growth, mad::Duration interval,
                      const ErrorLimits& limits) {
  advance(now.time_since_epoch() / kStep, limits);
  constexpr mad::Duration kHour = kSteps * kStep;
  ErrorCounts& current = steps_[static_cast<std::size_t>(step_) % kSteps];
  for (std::size_t kind = 0; kind < kErrorKinds; ++kind) {
    const std::uint64_t counted =
        interval > kHour
            ? static_cast<std::uint64_t>(static_cast<double>(growth[kind]) *
                                         (std::chrono::duration<double>(kHour) / interval))
            : growth[kind];
    current[kind] = sum_of(current[kind], counted);
  }
  const ErrorCounts hour = in_an_hour();
  const std::uint8_t exceeded = limits.exceeded_by(hour);
  for (std::size_t kind = 0; kind < kErrorKinds; ++kind) {
    const auto bit = static_cast<std::uint8_t>(1u << kind);
    const bool stays = (raised_ & bit) != 0 && limits.per_hour[kind] != 0 &&
                       hour[kind] > limits.per_hour[kind] / 2;
    if ((exceeded & bit) == 0 && !stays) {
      raised_ = static_cast<std::uint8_t>(raised_ & ~bit);
      stated_[kind] = 0;
      continue;
    }
    raised_ = static_cast<std::uint8_t>(raised_ | bit);
    if (stated_[kind] == 0 || hour[kind] / 2 >= stated_[kind]) stated_[kind] = hour[kind];
  }
}

}  // namespace sm
