#pragma once
// Limits rates by key, with a token bucket for each key.

#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string_view>

#include "sm/ops/web/recent.h"

namespace sm::web {

using Clock = std::chrono::steady_clock;

struct Rate {
  double per_second = 0;
  double burst = 0;  // tokens of a full bucket
};

/// Keeps the buckets of at most `keys_max` keys, the most recently used ones. Any thread.
class TokenBuckets {
 public:
  TokenBuckets(Rate rate, std::size_t keys_max) : rate_(rate), recent_(keys_max) {}

  /// Takes a token and returns zero; if there is none, returns the time until there is one.
  std::chrono::milliseconds take(std::string_view key, Clock::time_point now);
  /// Takes a token ahead of time, and returns the time until it would have been available. Returns
  /// nullopt and takes nothing if this exceeds `wait_max`.
  std::optional<std::chrono::milliseconds> take_ahead(std::string_view key, Clock::time_point now,
                                                      std::chrono::milliseconds wait_max);
  /// Returns a token that was taken.
  void give_back(std::string_view key, Clock::time_point now);
  std::size_t size() const;

 private:
  struct Bucket {
    double tokens = 0;
    Clock::time_point filled;
  };
  Bucket& bucket(std::string_view key, Clock::time_point now);
  std::chrono::milliseconds wait_for_one(const Bucket& of) const;

  const Rate rate_;
  mutable std::mutex mutex_;
  Recent<Bucket> recent_;
};

}  // namespace sm::web
