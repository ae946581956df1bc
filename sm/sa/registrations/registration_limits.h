#pragma once
// Bounds on registrations per port and in total, so that no client can exhaust the memory. A
// correct client does not reach them. All vports of a port share the port's bounds, and one vport
// has a part of them.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "config/options.h"
#include "mad/ids.h"
#include "sm/sa/query/client.h"

namespace sa {

/// A host joins a few groups for each IPoIB interface, and has at most 127 interfaces (its P_Key
/// table); virtual machines behind it multiply that. Every port may have this many memberships.
inline constexpr std::uint32_t kJoinsPerPort = 4096;
/// While all ports together have no more than kJoinsInPlenty, a port may join every group that has
/// its own MLID: 3.3 MB a port.
inline constexpr std::uint32_t kJoinsPerPortInPlenty = 16384;
/// This is enough for 40,000 ports with 25 groups each; about 200 bytes a member.
inline constexpr std::uint32_t kJoins = 1u << 20;
inline constexpr std::uint32_t kJoinsInPlenty = kJoins / 2;
/// Returns how many memberships a port may have while all ports together have `total`.
constexpr std::uint32_t joins_per_port(std::uint32_t total) {
  return total < kJoinsInPlenty ? kJoinsPerPortInPlenty : kJoinsPerPort;
}
/// With one MLID per group there are at most 16,383 groups. With shared MLIDs
/// (consolidate_ipv6_snm_req) there are more: one solicited-node group per interface.
inline constexpr std::uint32_t kGroups = 1u << 17;
/// A storage or job server registers some tens.
inline constexpr std::uint32_t kServicesPerPort = 1024;
/// A service takes about 400 bytes.
inline constexpr std::uint32_t kServices = 1u << 16;
/// A client has one subscription for each kind of notice: a kernel five, a management tool perhaps
/// twenty. The kernels of 128 virtual machines at a port have 640.
inline constexpr std::uint32_t kSubscriptionsPerPort = 1024;
/// This is enough for 40,000 ports with five each, and a margin.
inline constexpr std::uint32_t kSubscriptions = 1u << 18;
/// Bounds the aliases of all ports together. A port's GUID table ends with GUIDCap, at most 255.
inline constexpr std::uint32_t kAliases = 1u << 18;
/// A subscription is dropped after this many consecutive unacknowledged reports over at least this
/// time. Both conditions are necessary: a burst of reports fails within seconds while a switch on
/// the path reboots, and a client is not notified that its subscription was dropped.
inline constexpr unsigned kFailedReports = 5;
inline constexpr std::chrono::seconds kFailedReportsFor{60};

/// Returns the client that registered something, from the stored GUIDs: `by` is an end port or
/// vport, `at` the physical port of a vport.
inline Client make_client(mad::Guid by, mad::Guid at) {
  return at == mad::Guid{} ? Client(by) : Client(at, by);
}

inline mad::Guid registered_at(const Client& client) {
  return client.is_vport() ? client.port : mad::Guid{};
}

/// A vport may have 1/kVPortQuotaDivisor of its port's bound.
inline constexpr std::uint32_t kVPortQuotaDivisor = 4;

struct Bounds {
  std::uint32_t own = 0;   // of the end port or vport
  std::uint32_t port = 0;  // of a physical port and its vports together
  std::uint32_t all = 0;   // of all ports together
};
/// Returns Heddle's bounds for one client, or the lower one of sa_etm_max_num_* (0: unset), which
/// applies to each end port and each vport, as in NVIDIA's OpenSM.
inline Bounds bounds_of(const Client& client, const config::Options& options, std::uint32_t port,
                        std::uint32_t all, std::uint32_t configured) {
  std::uint32_t own = client.is_vport() ? port / kVPortQuotaDivisor : port;
  if (options.sa_enhanced_trust_model && configured != 0 && configured < own) own = configured;
  return {.own = own, .port = port, .all = all};
}

/// Counts registrations by the end port or vport that requested them, and by physical port.
class PortQuota {
 public:
  /// Counts registrations that an end port or a vport has requested itself.
  std::uint32_t of(mad::Guid end) const { return count(used_, end); }
  /// Counts registrations that a physical port and its vports have requested.
  std::uint32_t at(mad::Guid port) const { return of(port) + count(of_vports_, port); }
  std::uint32_t total() const { return total_; }
  bool is_full(const Client& client, const Bounds& bounds) const {
    return total_ >= bounds.all || has_all(client, bounds);
  }
  /// True if the client has reached its own bounds, whatever others have.
  bool has_all(const Client& client, const Bounds& bounds) const {
    return of(client.end) >= bounds.own || at(client.port) >= bounds.port;
  }
  void take(const Client& client) {
    ++used_[client.end];
    if (client.is_vport()) ++of_vports_[client.port];
    ++total_;
  }
  void give_back(const Client& client) {
    if (!drop_one(used_, client.end)) return;
    if (client.is_vport()) drop_one(of_vports_, client.port);
    --total_;
    if (!used_.contains(client.end)) refused_.erase(client.end);
  }
  /// True for the first refusal of an end, until it has no registrations left: a flood of requests
  /// is one log line.
  bool is_first_refusal(mad::Guid end) {
    if (refused_.size() >= kRefusalsRemembered) return false;
    return refused_.insert(end).second;
  }

 private:
  using Counts = std::unordered_map<mad::Guid, std::uint32_t>;
  static constexpr std::size_t kRefusalsRemembered = 1u << 16;
  static std::uint32_t count(const Counts& counts, mad::Guid of) {
    const auto found = counts.find(of);
    return found == counts.end() ? 0 : found->second;
  }
  static bool drop_one(Counts& counts, mad::Guid of) {
    const auto found = counts.find(of);
    if (found == counts.end()) return false;
    if (--found->second == 0) counts.erase(found);
    return true;
  }

  Counts used_, of_vports_;  // by end; of vports by their physical port
  std::unordered_set<mad::Guid> refused_;
  std::uint32_t total_ = 0;
};

/// Returns why a client may not have more, for the log: "4096 memberships, ...".
std::string usage_text(const PortQuota& quota, const Client& client, const Bounds& bounds,
                       std::string_view what);

}  // namespace sa
