#pragma once
// Future events in the order of their times. Virtual time advances only from event to event, so
// only events cost time.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mad/runtime.h"

namespace sim {

using mad::Duration;
using mad::TimePoint;

/// Events of one instant run in the order in which they were scheduled. An action that captures at
/// most 16 trivially copyable bytes costs no allocation.
class EventQueue {
 public:
  using Action = std::function<void()>;

  TimePoint now() const { return now_; }
  void at(TimePoint when, Action action);
  void after(Duration delay, Action action) { at(now_ + delay, std::move(action)); }

  /// Returns the time of the next event, if there is one.
  std::optional<TimePoint> next() const;
  /// Advances the clock to the next event and runs it, if it is due at `limit` or before. False if
  /// none is.
  bool run_one(TimePoint limit);
  /// Moves the clock forward. No event may be due before `to`.
  void advance(TimePoint to) { now_ = std::max(now_, to); }

  /// The clock at the start. It differs from zero, because TimePoint{} often means "never" and must
  /// be far in the past.
  static constexpr TimePoint kStart = TimePoint{} + std::chrono::hours(24);
  /// Returns the time since the start.
  Duration elapsed() const { return now_ - kStart; }

 private:
  struct Event {
    TimePoint when;
    std::uint64_t number;
    std::uint32_t slot;  // of its action: keeps the elements of the heap small
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.when != b.when ? a.when > b.when : a.number > b.number;
    }
  };

  std::vector<Event> heap_;  // the next one first
  std::vector<Action> actions_;
  std::vector<std::uint32_t> free_;
  std::uint64_t count_ = 0;
  TimePoint now_ = kStart;
};

}  // namespace sim
