#pragma once
// Queues traps between their arrival and their effect.

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "mad/attributes/notice.h"
#include "mad/runtime.h"
#include "sm/manager/trap_damper.h"

namespace sm {

/// Keeps traps that arrive while tables are written: until a sweep has ended, it is not known which
/// traps the sweep itself caused. Repeats of a trap are kept once.
class TrapQueue {
 public:
  static constexpr std::size_t kHeldMax = 4096;
  struct Trap {
    mad::Notice notice;
    mad::Lid issuer;
    mad::TimePoint arrival;  // of the first of its repeats
  };

  bool is_holding() const { return holding_; }
  void hold() { holding_ = true; }
  /// Keeps a trap while holding. Returns false if kHeldMax different traps are held already.
  bool keep(const mad::Notice& notice, mad::Lid issuer, mad::TimePoint arrival) {
    const TrapKey key = TrapKey::of(mad::Guid{issuer.value}, notice);
    if (const auto same = held_.find(key); same != held_.end()) {
      same->second.notice = notice;
      return true;
    }
    if (held_.size() >= kHeldMax) return false;
    held_.emplace(key, Trap{notice, issuer, arrival});
    return true;
  }
  /// Ends holding, and returns the kept traps in the order of their issuers.
  std::vector<Trap> release() {
    holding_ = false;
    std::vector<Trap> traps;
    traps.reserve(held_.size());
    for (const auto& [key, trap] : std::exchange(held_, {})) traps.push_back(trap);
    return traps;
  }

 private:
  bool holding_ = false;
  std::map<TrapKey, Trap> held_;
};

/// Limits log lines about traps: at most kLines in kWindow.
class TrapLines {
 public:
  static constexpr unsigned kLines = 20;
  static constexpr mad::Duration kWindow = std::chrono::seconds(10);

  /// Returns how many lines were left out before this one; nullopt leaves this one out, too.
  std::optional<unsigned> admit(mad::TimePoint now) {
    if (now >= window_end_) {
      window_end_ = now + kWindow;
      lines_ = 0;
    }
    if (++lines_ > kLines) {
      ++left_out_;
      return std::nullopt;
    }
    return std::exchange(left_out_, 0);
  }

 private:
  mad::TimePoint window_end_{};
  unsigned lines_ = 0, left_out_ = 0;
};

}  // namespace sm
