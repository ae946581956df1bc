#pragma once
// Growth of error counters within an hour, compared with limits. Pure.

#include <array>
#include <cstdint>

#include "mad/runtime.h"
#include "sm/performance/counters.h"

namespace sm {

/// The kinds of errors that have a limit each (perfmgr_*_per_hour).
enum class ErrorKind : std::uint8_t { symbol, link, receive, discard };
inline constexpr std::size_t kErrorKinds = 4;
using ErrorCounts = std::array<std::uint32_t, kErrorKinds>;  // by kind

/// The kind that the growth of a counter belongs to; kErrorKinds: none.
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

/// More in an hour is too much; 0: no limit.
struct ErrorLimits {
  ErrorCounts per_hour{};
  /// Bit n: kind n is above its limit.
  std::uint8_t exceeded_by(const ErrorCounts& in_an_hour) const;
  bool operator==(const ErrorLimits&) const = default;
};

/// The hours in a row above a limit, after one more complete hour.
std::uint16_t noisy_hours_after(std::uint16_t before, const ErrorCounts& in_the_hour,
                                const ErrorLimits& limits);

/// The errors of a port in the latest hour, in steps of ten minutes.
class ErrorWindow {
 public:
  static constexpr mad::Duration kStep = std::chrono::minutes(10);
  static constexpr std::size_t kSteps = 6;

  /// Counts what a reading brought. Growth over more than an hour counts as its share of an hour.
  void add(mad::TimePoint now, const ErrorCounts& growth, mad::Duration interval,
           const ErrorLimits& limits);
  /// In the latest hour, the step under way included.
  ErrorCounts in_an_hour() const;
  /// Complete hours in a row above a limit, until the latest complete one.
  std::uint16_t noisy_hours() const { return noisy_hours_; }
  /// Bit n: kind n is above its limit, or was and is not below half of it yet.
  std::uint8_t raised() const { return raised_; }
  /// By kind, what a message says of what is raised: the count when it was raised, then when it had
  /// doubled, so that the message stays the same for a while.
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
