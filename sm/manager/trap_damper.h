#pragma once
// Bounds of what traps cost: repeats (TrapDamper), traps kept during a sweep (TrapQueue), log lines
// (TrapLines).

#include <compare>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "mad/attributes/notice.h"
#include "mad/runtime.h"

namespace sm {

/// Identifies the source and the subject of a trap. Repeats have an equal key.
struct TrapKey {
  mad::Guid source;           // the end port that sent it; 0: one that is not in the subnet
  std::uint32_t number = 0;   // the trap number; for a vendor's notice its device id plus 1 << 16
  std::uint32_t subject = 0;  // traps 129 to 131: the port number; else 0
  auto operator<=>(const TrapKey&) const = default;

  static TrapKey of(mad::Guid source, const mad::Notice& notice);
};

/// Damps trap storms by (source port, trap number, subject), and by source port: repeats at
/// intervals of less than kPause are handled kHandledMax (of a source: kHandledOfSource) times,
/// then delayed. Memory is bounded by kRemembered entries; the oldest is dropped first.
class TrapDamper {
 public:
  enum class Action : std::uint8_t {
    handle,
    storm_begins,  // delayed, and to be reported
    delay,         // what the trap may be about is to be read within a second
  };
  struct Verdict {
    Action action = Action::handle;
    unsigned repeats = 1;  // this one included
  };
  Verdict admit(const TrapKey& key, mad::TimePoint now);

  static constexpr unsigned kHandledMax = 10, kHandledOfSource = 40;
  static constexpr mad::Duration kPause = std::chrono::seconds(5);
  static constexpr std::size_t kRemembered = 4096;

 private:
  struct Entry {
    TrapKey key;
    unsigned count = 0;
    mad::TimePoint last{};
  };
  unsigned count(const TrapKey& key, mad::TimePoint now);

  std::list<Entry> entries_;  // the latest first
  std::map<TrapKey, std::list<Entry>::iterator> index_;
};

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
