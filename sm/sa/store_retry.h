#pragma once

#include <chrono>
#include <string>

#include "mad/backoff.h"

namespace sa {

/// When registrations are written again after the disk did not take them: after 1, 2, 4, ... 60 s.
class StoreRetry {
 public:
  static constexpr mad::Duration kFirst = std::chrono::seconds(1), kLast = std::chrono::minutes(1);

  /// The latest attempt failed, and nothing has been stored since.
  bool is_failing() const { return pause_.latest() != mad::Duration{}; }
  void succeeded() { pause_.reset(); }
  /// Returns the time of the next attempt. `error` is kept of the first attempt: the reason does
  /// not change with the step at which a later one fails.
  mad::TimePoint failed(mad::TimePoint now, std::string error) {
    if (!is_failing()) error_ = std::move(error);
    return now + pause_.next();
  }
  const std::string& error() const { return error_; }

 private:
  mad::Backoff pause_{kFirst, kLast};
  std::string error_;
};

}  // namespace sa
