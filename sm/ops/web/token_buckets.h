#pragma once
// Limits rates by key, with a token bucket for each key.

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sm::web {

/// Drops the least recently used key beyond `keys_max` keys, so that invented keys cost no memory.
/// Not thread-safe.
template <class Value>
class Recent {
 public:
  explicit Recent(std::size_t keys_max) : keys_max_(keys_max) {}

  /// Returns null if there is no value. A hit counts as a use.
  Value* find(std::string_view key) {
    const auto known = by_key_.find(key);
    if (known == by_key_.end()) return nullptr;
    values_.splice(values_.begin(), values_, known->second);
    return &values_.front().second;
  }
  /// Adds the value of a key that has none.
  Value& add(std::string_view key, Value value) {
    if (values_.size() >= keys_max_) {
      by_key_.erase(values_.back().first);
      values_.pop_back();
    }
    values_.emplace_front(key, std::move(value));
    by_key_.emplace(values_.front().first, values_.begin());
    return values_.front().second;
  }
  void clear() {
    by_key_.clear();
    values_.clear();
  }
  std::size_t size() const { return values_.size(); }

 private:
  using Values = std::list<std::pair<std::string, Value>>;  // the one used latest first
  std::size_t keys_max_;
  Values values_;
  std::unordered_map<std::string_view, typename Values::iterator> by_key_;
};

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
