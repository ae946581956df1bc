#include "sm/ops/web/token_buckets.h"

#include <algorithm>
#include <cmath>

namespace sm::web {

std::chrono::milliseconds TokenBuckets::wait_for_one(const Bucket& of) const {
  if (of.tokens >= 1) return {};
  const double wait_ms = std::ceil((1 - of.tokens) / rate_.per_second * 1000);
  return std::chrono::milliseconds(std::max(1L, static_cast<long>(wait_ms)));
}

std::chrono::milliseconds TokenBuckets::take(std::string_view key, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Bucket& of = bucket(key, now);
  const auto wait = wait_for_one(of);
  if (wait.count() == 0) of.tokens -= 1;
  return wait;
}

std::optional<std::chrono::milliseconds> TokenBuckets::take_ahead(
    std::string_view key, Clock::time_point now, std::chrono::milliseconds wait_max) {
  const std::lock_guard lock(mutex_);
  Bucket& of = bucket(key, now);
  const auto wait = wait_for_one(of);
  if (wait > wait_max) return std::nullopt;
  of.tokens -= 1;
  return wait;
}

void TokenBuckets::give_back(std::string_view key, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  Bucket& of = bucket(key, now);
  of.tokens = std::min(rate_.burst, of.tokens + 1);
}

std::size_t TokenBuckets::size() const {
  const std::lock_guard lock(mutex_);
  return recent_.size();
}

TokenBuckets::Bucket& TokenBuckets::bucket(std::string_view key, Clock::time_point now) {
  Bucket* const known = recent_.find(key);
  Bucket& of = known != nullptr ? *known : recent_.add(key, {.tokens = rate_.burst, .filled = now});
  const double passed_s = std::chrono::duration<double>(now - of.filled).count();
  of.tokens = std::min(rate_.burst, of.tokens + std::max(0.0, passed_s) * rate_.per_second);
  of.filled = now;
  return of;
}

}  // namespace sm::web
