#pragma once
// Estimates how long one agent's responses take, how many requests it serves at a time, and which
// share of requests is lost.

#include <algorithm>

#include "mad/runtime.h"

namespace mad {

/// Estimates the round-trip time of one agent as in RFC 6298. Each attempt of a request has its own
/// transaction id, so every response can be measured.
class RoundTrip {
 public:
  void measured(Duration sample) {
    if (!is_known()) {
      smoothed_ = sample;
      variation_ = sample / 2;
      return;
    }
    const Duration error = sample > smoothed_ ? sample - smoothed_ : smoothed_ - sample;
    variation_ += (error - variation_) / 4;
    smoothed_ += (sample - smoothed_) / 8;
  }
  bool is_known() const { return smoothed_ > Duration{}; }
  Duration smoothed() const { return smoothed_; }
  /// Returns the time to wait for a response, within both bounds: the smoothed time plus four
  /// variations, or plus half of the smoothed time if it hardly varies.
  Duration timeout(Duration least, Duration most) const {
    return std::clamp(smoothed_ + std::max(4 * variation_, smoothed_ / 2), least,
                      std::max(least, most));
  }

 private:
  Duration smoothed_{}, variation_{};
};

/// Estimates which share of the requests, or of their responses, is lost on the way, from how many
/// attempts answered requests needed. What has no response at all does not count: it may be dead.
class LossShare {
 public:
  /// Where more is lost, cables are defective, or a queue overflows. Either way a request that is
  /// lost once may well be lost again.
  static constexpr double kMany = 0.05;

  /// Records that a request was answered after that many lost attempts.
  void answered(unsigned lost) {
    for (; lost > 0; --lost) share_ += (1 - share_) * kWeight;
    share_ -= share_ * kWeight;
  }
  bool is_high() const { return share_ > kMany; }

 private:
  static constexpr double kWeight = 1.0 / 256;
  double share_ = 0;
};

/// Limits the requests that one agent has at a time.
struct AgentLimits {
  unsigned usual = 4;
  unsigned most = 4;  // if responses take long and none waits for another
};

/// Measures round trips, and limits the requests that one agent has at a time. An agent that serves
/// requests one after the other queues further ones, and drops those that do not fit. The limit
/// falls while more than two requests wait, as all responses of a round trip show, below the usual
/// limit if the agent is slow. While less
/// than one waits, more requests at a time take no longer: the limit rises, up to the first loss.
/// (The number that waits is estimated as by TCP Vegas: the requests in flight, times the part of
/// the round trip that exceeds the shortest one. An agent that responds out of order has no queue.)
class AgentPace {
 public:
  /// Agents that answer within this time have no queue worth a limit below the usual one.
  static constexpr Duration kQuick = std::chrono::milliseconds(10);
  /// Agents that answer within this time need no more than the usual limit.
  static constexpr Duration kInstant = std::chrono::microseconds(500);

  /// Records that a response came after this time. `in_flight` counts the agent's requests at that
  /// time, including this one; `in_order` means that no later request was answered before.
  void measured(Duration sample, unsigned in_flight, bool in_order, const AgentLimits& limits,
                TimePoint now) {
    round_trip_.measured(sample);
    fastest_ = std::min(fastest_, std::max<Duration>(sample, Duration{1}));
    if (!in_order) has_queue_ = false;
    if (sample < kInstant) limit_ = 0;
    if (sample < kInstant || now < next_change_) return;
    const double excess = 1 - static_cast<double>(fastest_.count()) /
                                  static_cast<double>(std::max(sample, fastest_).count());
    const double waiting = in_flight * excess;
    const unsigned current = limit(limits);
    const unsigned least = sample < kQuick ? limits.usual : std::min(kLimitLeast, limits.usual);
    if (waiting < 2) late_ = 0;
    if (waiting >= 2 && has_queue_) {
      // A queue delays each response of a round trip; a busy machine delays some.
      if (++late_ < std::min(current, in_flight)) return;
      late_ = 0;
      limit_ = std::max(std::min(current, in_flight) - 1, least);
      next_change_ = now + sample;
    } else if (waiting < 1 && in_flight >= current && current < ceiling_) {
      limit_ = current + 1;
    }
  }
  /// Records that one of the agent's requests, or its response, was lost.
  void lost(const AgentLimits& limits, TimePoint now) {
    if (now < next_change_ || limit_ <= limits.usual) return;
    ceiling_ = limit_ = std::max(limits.usual, limit_ / 2);
    next_change_ = now + round_trip_.smoothed();
  }
  /// Measures the shortest round trip again, as a new sweep begins.
  void forget_fastest() {
    fastest_ = Duration::max();
    has_queue_ = true;
    ceiling_ = kNoCeiling;
  }

  bool is_known() const { return round_trip_.is_known(); }
  bool is_slow() const { return round_trip_.smoothed() >= kQuick; }
  Duration timeout(Duration least, Duration most) const { return round_trip_.timeout(least, most); }
  unsigned limit(const AgentLimits& limits) const {
    return limit_ == 0 ? limits.usual : std::min(limit_, std::max(limits.usual, limits.most));
  }

 private:
  static constexpr unsigned kLimitLeast = 2, kNoCeiling = ~0u;

  RoundTrip round_trip_;
  Duration fastest_ = Duration::max();
  unsigned limit_ = 0;             // 0: the usual one
  unsigned ceiling_ = kNoCeiling;  // of `limit_` in this sweep, after a loss
  bool has_queue_ = true;
  unsigned late_ = 0;  // responses in a row that two or more requests waited for
  TimePoint next_change_{};
};

}  // namespace mad
