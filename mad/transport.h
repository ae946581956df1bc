#pragma once
// The interface to send and receive MADs. UmadPort (kernel or ibsim) and the simulator implement
// it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "mad/ids.h"

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

inline constexpr std::size_t kMadSizeBytes = 256;
/// Q_Key of QP 1, well known (IBTA Vol 1, 3.5.3).
inline constexpr std::uint32_t kQp1QKey = 0x80010000;
using MadBytes = std::array<std::uint8_t, kMadSizeBytes>;

/// The global route header of a packet (IBTA Vol 1, 8.3), as far as a program reads or sets it.
struct GlobalRoute {
  Gid peer;                        // the source of a received packet, the destination of a sent one
  std::uint8_t own_gid_index = 0;  // index in the own port's GUID table
  std::uint8_t hop_limit = 0;
  std::uint8_t traffic_class = 0;
  std::uint32_t flow_label = 0;
  bool operator==(const GlobalRoute&) const = default;
};

/// The destination or source of a MAD, from the link and transport headers. Directed routes are in
/// the MAD itself: their address is the permissive LID.
struct MadAddress {
  Lid lid = kPermissiveLid;
  std::uint32_t qpn = 0;
  std::uint32_t qkey = 0;
  Sl sl{};
  std::uint16_t pkey_index = 0;
  std::optional<GlobalRoute> grh = std::nullopt;
};

/// Received bytes, unchecked. `send_errno` is not 0 for a request of this program that is returned:
/// the kernel got no response in time (ETIMEDOUT) or could not send the request. `refused` means
/// that the device did not even take it, which may be different in a moment (a full queue).
struct ReceivedMad {
  MadBytes bytes{};
  std::size_t size = 0;
  MadAddress from;
  int send_errno = 0;
  bool refused = false;
};

/// Counts received MADs that were dropped because an inbox was full.
struct InboxDrops {
  std::uint64_t smps = 0, sa = 0;
  std::uint64_t performance = 0;  // and of congestion control
};

class MadTransport {
 public:
  virtual ~MadTransport() = default;
  /// Sends one MAD from the agent of its management class. `response_timeout_ms` > 0 means that a
  /// response is expected, and the kernel keeps the transaction open for that long (it drops
  /// responses without an open transaction). Does not wait for the device. Returns 0, or the errno
  /// of a MAD that was not sent; a request that the device refuses later is received as such.
  virtual int send(std::span<const std::uint8_t> mad, const MadAddress& to,
                   int response_timeout_ms) = 0;
  /// The transport passes received MADs to `receiver` in batches, on the runtime's thread. The span
  /// is valid during the call.
  virtual void set_receiver(std::function<void(std::span<const ReceivedMad>)> receiver) = 0;
  virtual InboxDrops dropped() const { return {}; }
  /// Returns the budget that all clients of the port share.
  PortBudget& budget() { return budget_; }

 private:
  PortBudget budget_;
};

}  // namespace mad
