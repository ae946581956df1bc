#pragma once
// Bounds the MADs of one port that are under way at a time.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mad {

/// Counts the MADs that this program has sent from a port and whose responses or acknowledgements
/// may still arrive. All clients of the port share one budget, because they share its buffers: the
/// kernel posts 512 receives for each of queue pairs 0 and 1, and ibsim's sockets hold some 277
/// MADs. What arrives beyond is lost, or blocks the sender.
///
/// Each use has a share that the others leave to it, and takes what the others do not need. A use
/// of which nothing is under way may always send one MAD, so that its own responses resume it,
/// and no wake-up is needed.
class PortBudget {
 public:
  enum class Use : std::uint8_t {
    smps,      // attempts of SMPs
    queries,   // of counters, congestion control and keys
    reports,   // of subnet administration to subscribers
    segments,  // of RMPP that were not acknowledged
  };
  static constexpr std::size_t kUses = 4;
  static constexpr unsigned kLimit = 200, kLimitLeast = 16;

  /// Sets the MADs of all uses together, at least kLimitLeast.
  void set_limit(unsigned limit) { limit_ = std::max(limit, kLimitLeast); }
  unsigned limit() const { return limit_; }
  /// Returns the limit with which so many SMPs may be under way while the other uses have nothing.
  static constexpr unsigned find_limit(unsigned smps) {
    return smps + kShare * static_cast<unsigned>(kUses - 1);
  }
  unsigned under_way() const { return total_; }
  unsigned under_way(Use use) const { return taken_[index(use)]; }
  /// Returns how many MADs of this use may be under way while the others have none.
  unsigned most(Use use) const {
    unsigned most = limit_;
    for (std::size_t other = 0; other < kUses; ++other)
      if (other != index(use)) most -= share(other);
    return most;
  }

  /// True if another MAD of this use may be sent.
  bool admits(Use use) const {
    const unsigned own = taken_[index(use)];
    if (own == 0 || own < share(index(use))) return true;
    unsigned left_to_others = 0;
    for (std::size_t other = 0; other < kUses; ++other)
      if (other != index(use) && taken_[other] < share(other))
        left_to_others += share(other) - taken_[other];
    return total_ + left_to_others < limit_;
  }
  /// True if a request may be repeated whose earlier attempts may still be answered. Repetitions
  /// have a quarter of the limit beside it, so that they never wait for new requests.
  bool admits_repetition() const { return total_ < limit_ + limit_ / 4; }

  void take(Use use) {
    ++taken_[index(use)];
    ++total_;
  }
  void give_back(Use use, unsigned count = 1) {
    taken_[index(use)] -= count;
    total_ -= count;
  }

 private:
  static constexpr std::size_t index(Use use) { return static_cast<std::size_t>(use); }
  static constexpr unsigned kShare = 16;  // of each use but SMPs, if the limit is not small
  /// Returns what the other uses leave to this one.
  unsigned share(std::size_t use) const {
    return use == index(Use::smps) ? limit_ / 3 : std::clamp(limit_ / 12, 1u, kShare);
  }

  unsigned limit_ = kLimit, total_ = 0;
  std::array<unsigned, kUses> taken_{};
};

}  // namespace mad
