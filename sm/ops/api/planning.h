#pragma once
// Limits plans: one is computed at a time, and their number in a minute is bounded.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>

#include "sm/ops/web/worker.h"

namespace sm::api {

class Planning {
 public:
  static constexpr std::size_t kPlansOfMinuteMax = 60;

  /// Reserves the computation; empty if another plan is computed, or too many were in a minute.
  class Place {
   public:
    explicit Place(Planning* of) : of_(of) {}
    Place(Place&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (of_ != nullptr) of_->busy_ = false;
    }
    bool is_empty() const { return of_ == nullptr; }

   private:
    Planning* of_;
  };
  Place take(std::chrono::steady_clock::time_point now) {
    const std::lock_guard lock(mutex_);
    auto& oldest = begun_[next_];
    if (busy_ || (oldest && now - *oldest < std::chrono::minutes(1))) return Place(nullptr);
    oldest = now;
    next_ = (next_ + 1) % begun_.size();
    busy_ = true;
    return Place(this);
  }

  web::Worker& worker() { return worker_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> busy_ = false;
  std::array<std::optional<std::chrono::steady_clock::time_point>, kPlansOfMinuteMax> begun_{};
  std::size_t next_ = 0;
  web::Worker worker_;
};

}  // namespace sm::api
