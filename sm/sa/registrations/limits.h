#pragma once
// Bounds on registrations per port and in total, so that no client can exhaust the memory. A
// correct client does not reach them.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "config/options.h"
#include "mad/ids.h"

namespace sa {

/// A host joins a few groups for each IPoIB interface, and has at most 127 of those (its P_Key
/// table); virtual machines behind it multiply that.
inline constexpr std::uint32_t kJoinsPerPort = 4096;
/// 40,000 ports with 25 groups each; about 100 bytes a member.
inline constexpr std::uint32_t kJoins = 1u << 20;
/// With one MLID per group there are at most 16,383 groups; more only with shared MLIDs
/// (consolidate_ipv6_snm_req), one solicited-node group per interface.
inline constexpr std::uint32_t kGroups = 1u << 17;
/// A storage or job server registers some tens.
inline constexpr std::uint32_t kServicesPerPort = 1024;
/// About 400 bytes each.
inline constexpr std::uint32_t kServices = 1u << 16;
/// A client has one for each kind of notice: a kernel five, a management tool perhaps twenty.
inline constexpr std::uint32_t kSubscriptionsPerPort = 256;
/// 40,000 ports with five each, and a margin.
inline constexpr std::uint32_t kSubscriptions = 1u << 18;
/// A port's GUID table ends with GUIDCap, at most 255; this is for all ports together.
inline constexpr std::uint32_t kAliases = 1u << 18;
/// The subscription is dropped after this many consecutive unacknowledged reports over at least
/// this time. Both conditions: a burst of reports fails within seconds while a switch on the path
/// reboots, and a client is not notified that its subscription was dropped.
inline constexpr unsigned kFailedReports = 5;
inline constexpr std::chrono::seconds kFailedReportsFor{60};

/// The bound for one port: Heddle's, or the lower one of sa_etm_max_num_* (0: unset).
constexpr std::uint32_t bound_per_port(const config::Options& options, std::uint32_t bound,
                                       std::uint32_t configured) {
  const bool is_lower = options.sa_enhanced_trust_model && configured != 0 && configured < bound;
  return is_lower ? configured : bound;
}

/// Registrations counted by the port that requested them.
class PortQuota {
 public:
  std::uint32_t of(mad::Guid port) const {
    const auto found = used_.find(port);
    return found == used_.end() ? 0 : found->second;
  }
  std::uint32_t total() const { return total_; }
  bool is_full(mad::Guid port, std::uint32_t per_port, std::uint32_t all) const {
    return total_ >= all || of(port) >= per_port;
  }
  void take(mad::Guid port) {
    ++used_[port];
    ++total_;
  }
  void give_back(mad::Guid port) {
    const auto found = used_.find(port);
    if (found == used_.end()) return;
    --total_;
    if (--found->second != 0) return;
    used_.erase(found);
    refused_.erase(port);
  }
  /// True for the first refusal of a port, until it has no registrations left: a flood of requests
  /// is one log line.
  bool is_first_refusal(mad::Guid port) {
    if (refused_.size() >= kRefusalsRemembered) return false;
    return refused_.insert(port).second;
  }

 private:
  static constexpr std::size_t kRefusalsRemembered = 1u << 16;
  std::unordered_map<mad::Guid, std::uint32_t> used_;
  std::unordered_set<mad::Guid> refused_;
  std::uint32_t total_ = 0;
};

}  // namespace sa
