#pragma once
// Decides how many SMPs may be in flight.

#include <algorithm>
#include <cmath>

#include "mad/runtime.h"

namespace mad {

/// A window that is fixed, or adapts. An adaptive one
/// - grows with every response up to `most`;
/// - grows beyond it, up to `most_slow`, while the mean round trip of a whole window of responses
/// is
///   kSlow or longer, and does not rise by more than a quarter: then the time is latency, in which
///   further requests do not wait for each other. As soon as it rises, the window is smaller again
///   for kPauses windows;
/// - halves, down to kLeast, where more than an eighth of the requests of late were lost: a queue
/// on
///   the way overflows. Fewer losses are those of poor links, which a smaller window does not mend;
///   so are more, if the share that is lost is about the same with kLeast: then the window is as
///   large as before for kLossyPeriods.
class SmpWindow {
 public:
  static constexpr Duration kSlow = std::chrono::milliseconds(2);

  /// `fixed` is 0 for a window that adapts up to `most`. An adaptive window keeps its size within
  /// the limit: the initial size may be above a small limit, and the window may have been a large
  /// fixed one.
  void set_limits(unsigned fixed, unsigned most, unsigned most_slow) {
    is_fixed_ = fixed != 0;
    most_ = most;
    most_slow_ = std::max(most, most_slow);
    size_ = is_fixed_ ? fixed : std::min<double>(size_, most);
    begin_mean({});
  }
  bool is_fixed() const { return is_fixed_; }
  unsigned size() const { return static_cast<unsigned>(size_); }

  /// Records the response to a first attempt that was sent at `sent`. `is_full` means that as many
  /// requests were in flight as the window admits.
  void answered(TimePoint sent, TimePoint now, bool is_full) {
    if (is_fixed_) return;
    ++requests_seen_;
    if (size_ < most_) {
      size_ += slow_start_ ? 1.0 : 1.0 / size_;
      begin_mean(now);
      return;
    }
    if (!is_full || sent < mean_since_) return;
    sum_ += now - sent;
    if (++count_ >= size()) measured(sum_ / count_, now);
  }
  /// Records the loss of a request, which the response to a repetition proves. A burst of losses in
  /// `period` is one event.
  void lost(TimePoint now, Duration period) {
    if (is_fixed_ || now - last_shrink_ < period) return;
    if (now - counted_since_ >= period) {  // half of the counts for each period that has passed
      const auto periods =
          static_cast<int>(std::min<Duration::rep>((now - counted_since_) / period, 60));
      losses_ = std::ldexp(losses_, -periods);
      requests_seen_ = std::ldexp(requests_seen_, -periods);
      counted_since_ = now;
    }
    ++losses_;
    ++requests_seen_;
    if (losses_ < std::min<double>(kLossesLeast, size_) || losses_ <= requests_seen_ * kLossesMax)
      return;
    const double share = losses_ / requests_seen_;
    const double least = std::min<double>(kLeast, most_);
    last_shrink_ = now;
    losses_ = requests_seen_ = 0;
    if (size_ > least) {
      if (slow_start_ || size_ >= most_) share_at_most_ = share;
      slow_start_ = false;
      size_ = std::max(std::min<double>(size_, most_) / 2, least);
    } else if (share >= share_at_most_ * kSameShare) {
      slow_start_ = true;
      size_ = most_;
      last_shrink_ = now + period * kLossyPeriods;
    }
  }

 private:
  static constexpr double kLeast = 12, kGrowth = 1.5, kRise = 1.25;
  static constexpr double kLossesLeast = 8, kLossesMax = 1.0 / 8, kSameShare = 0.75;
  static constexpr int kLossyPeriods = 50;
  static constexpr unsigned kPauses = 16;

  void begin_mean(TimePoint now) {
    mean_since_ = now;
    sum_ = {};
    count_ = 0;
  }
  /// Adapts the size to the mean round trip of one window of responses.
  void measured(Duration mean, TimePoint now) {
    begin_mean(now);
    if (pauses_ > 0) {
      --pauses_;
      return;
    }
    if (size_ <= most_) {
      usual_ = mean;
    } else if (static_cast<double>(mean.count()) > kRise * static_cast<double>(usual_.count())) {
      size_ = std::max<double>(most_, size_ / kGrowth);
      pauses_ = kPauses;
      return;
    }
    if (mean >= kSlow)
      size_ = std::max<double>(most_, std::min<double>(size_ * kGrowth, most_slow_));
  }

  bool is_fixed_ = false;
  unsigned most_ = 1, most_slow_ = 1;
  double size_ = 8;
  bool slow_start_ = true;
  TimePoint last_shrink_{};
  double losses_ = 0, requests_seen_ = 0;  // lost requests, and all requests
  double share_at_most_ = 0;               // lost share while the window was at its limit
  TimePoint counted_since_{};
  // Mean round trip of the requests since `mean_since_`.
  TimePoint mean_since_{};
  Duration sum_{};
  unsigned count_ = 0;
  Duration usual_{};     // the mean while the window was `most_`
  unsigned pauses_ = 0;  // windows of responses until it may grow again
};

}  // namespace mad
