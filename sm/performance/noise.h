#pragma once
// This file compares the growth of error counters within an hour with limits. Pure.

#include <array>
#include <cstdint>

#include "mad/runtime.h"
#include "sm/performance/counters.h"

namespace sm {

/// Names the kinds of errors that have a limit each (perfmgr_*_per_hour).
enum class ErrorKind : std::uint8_t { symbol, link, receive, discard };
inline constexpr std::size_t kErrorKinds = 4;
using ErrorCounts = std::array<std::uint32_t, kErrorKinds>;  // by kind

/// Returns the kind to which the growth of a counter belongs; kErrorKinds if it belongs to none.
constexpr std::size_t error_kind_of(Counter counter) {
  switch (counter) {
    case Counter::symbol_errors:
      return static_cast<std::size_t>(ErrorKind::symbol);
    case Counter::link_error_recoveries:
    case Counter::link_downed:
      return static_cast<std::size_t>(ErrorKind::link);
    case Counter::rcv_errors:
      return static_cast<std::size_t>(ErrorKind::receive);
    case Counter::xmit_discards:
      return static_cast<std::size_t>(ErrorKind::discard);
    default:
      return kErrorKinds;
  }
}

/// Holds the limit of each kind in an hour; 0: no limit.
struct ErrorLimits {
  ErrorCounts per_hour{};
  /// Returns a mask: bit n is set if kind n is above its limit.
  std::uint8_t exceeded_by(const ErrorCounts& in_an_hour) const;
  bool operator==(const ErrorLimits&) const = default;
};

/// Returns the hours in a row above a limit, after one more complete hour.
std::uint16_t noisy_hours_after(std::uint16_t before, const ErrorCounts& in_the_hour,
                                const ErrorLimits& limits);

/// Holds the errors of a port in the latest hour, in steps of ten minutes.
class ErrorWindow {
 public:
  static constexpr mad::Duration kStep = std::chrono::minutes(10);
  static constexpr std::size_t kSteps = 6;

  /// Counts the growth since the previous reading. Growth over more than an hour counts as its
  /// share of an hour.
  void add(mad::TimePoint now, const ErrorCounts& growth, mad::Duration interval,
           const ErrorLimits& limits);
  /// Returns the errors of the latest hour, including the current step.
  ErrorCounts in_an_hour() const;
  /// Counts complete hours in a row above a limit, until the latest complete one.
  std::uint16_t noisy_hours() const { return noisy_hours_; }
  /// Returns a mask: bit n is set if kind n is above its limit, or was above it and has not fallen
  /// below half of it.
  std::uint8_t raised() const { return raised_; }
  /// Returns, by kind, the count that messages state: the count when the condition was raised, then
  /// the count each time it had doubled, so that the message stays constant for a while.
  const ErrorCounts& stated() const { return stated_; }

 private:
  void advance(std::int64_t step, const ErrorLimits& limits);

  std::array<ErrorCounts, kSteps> steps_{};
  ErrorCounts stated_{};
  std::int64_t step_ = -1;  // of steps_[step_ % kSteps], since the clock's epoch; -1: none
  std::uint16_t noisy_hours_ = 0;
  std::uint8_t raised_ = 0;
};

}  // namespace sm
