#pragma once
// Future events in the order of their times. Virtual time advances only from event to event, so its
// cost is that of the events.

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

  /// Time of the next event, if there is one.
  std::optional<TimePoint> next() const;
  /// Runs the next event, if it is due at `limit` or before; the clock is at its time then. False
  /// if there is none.
  bool run_one(TimePoint limit);
  /// Moves the clock forward. Nothing may be due before `to`.
  void advance(TimePoint to) { now_ = std::max(now_, to); }

  /// The clock at the start. Not its zero: TimePoint{} often stands for "never" and must be far in
  /// the past.
  static constexpr TimePoint kStart = TimePoint{} + std::chrono::hours(24);
  /// Time since the start.
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
