#pragma once
// Subscriptions to notices (IBTA Vol 1, 13.4.11 and 15.4).

#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/subnet.h"
#include "mad/attributes/notice.h"
#include "mad/records/inform_info.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/registration_limits.h"

namespace sa {

/// Identifies a subscription: GUID of the end port or vport, and InformInfoRecord's Enum.
struct SubscriptionId {
  mad::Guid subscriber;
  std::uint16_t number = 0;
  auto operator<=>(const SubscriptionId&) const = default;
};

struct Subscription {
  mad::InformInfo inform_info;  // as requested; QPN is the destination of reports
  bool trusted = false;  // requested with sa_key: gets notices of all ports, and security notices
  mad::Guid registered_at{};  // PortGUID of a vport's physical port; Guid{}: it was no vport
  bool operator==(const Subscription&) const = default;
};

/// The destination of a subscriber's reports: the end port or vport, and its queue pair.
struct ReportTarget {
  mad::Guid subscriber{};
  std::uint32_t qpn = 1;
  auto operator<=>(const ReportTarget&) const = default;
};

/// True if both are one subscription of one queue pair. A client that got no response repeats its
/// request, which must not add a second subscription.
bool is_same_subscription(const mad::InformInfo& a, const mad::InformInfo& b);

class Subscriptions {
 public:
  using All = std::map<SubscriptionId, Subscription>;

  const All& all() const { return all_; }
  PortQuota& quota() { return quota_; }
  const PortQuota& quota() const { return quota_; }
  /// Returns the subscriber's subscription with this InformInfo, or null if there is none.
  const All::value_type* find(mad::Guid subscriber, const mad::InformInfo& inform_info) const;

  /// Adds the subscription with the subscriber's lowest free number.
  SubscriptionId add(mad::Guid subscriber, const Subscription& subscription);
  /// Adds the subscription with this number; replaces an existing one.
  void set(SubscriptionId id, const Subscription& subscription);
  void erase(SubscriptionId id);
  void clear();

  /// Resets the count of failures, as a report was acknowledged.
  void report_arrived(ReportTarget target) { failures_.erase(target); }
  /// Counts a report that was not acknowledged after all retries. Returns true if this has happened
  /// too often for too long, and drops the subscriptions with this target then.
  struct FailureLimit {
    unsigned reports = kFailedReports;
    std::chrono::seconds time = kFailedReportsFor;
  };
  bool report_failed(ReportTarget target, UnixTime now, FailureLimit limit);

  using Touched = std::set<SubscriptionId>;
  Touched take_touched() { return std::exchange(touched_, {}); }

  /// An entry of the index by trap number, which is ordered by target.
  struct Entry {
    ReportTarget target;
    std::uint16_t number = 0;
    auto operator<=>(const Entry&) const = default;
    SubscriptionId id() const { return {target.subscriber, number}; }
  };
  using Entries = std::set<Entry>;
  /// Returns the subscriptions with this TrapNumber or DeviceID, or to all traps
  /// (InformInfo::kAll).
  const Entries& with_trap_number(std::uint16_t trap_number) const;

 private:
  All all_;
  std::unordered_map<std::uint16_t, Entries> by_trap_number_;  // none is empty
  PortQuota quota_;
  struct Failures {  // in a row
    unsigned count = 0;
    UnixTime since;
  };
  std::map<ReportTarget, Failures> failures_;
  Touched touched_;
};

// Selects the subscribers to which a notice is reported. Pure; sm/sa/report_sender.h sends and
// repeats.

/// A notice as subscribers get it: 64 bytes, followed by the IssuerGID (IBTA Vol 1, 13.4.8.2).
struct Report {
  mad::Notice notice;
  mad::Gid issuer_gid;
  std::vector<mad::PKey> about{};  // P_Keys of the subject: only trusted subscribers and those that
                                   // share one of these partitions get the report
};

/// Returns the report of trap 64 or 65 about the end port or vport of `subnet`; for 65 that is the
/// last snapshot that had it. `sm_lid` and `sm_gid` are the issuer's.
Report report_of_port(mad::TrapNumber trap, fabric::EndPoint end, const fabric::Subnet& subnet,
                      mad::Lid sm_lid, mad::Gid sm_gid, std::uint64_t subnet_prefix);
/// Returns the report of trap 66 or 67.
Report report_of_group(const GroupNotice& notice, mad::Lid sm_lid, mad::Gid sm_gid);
/// Returns the report of a trap that a port of the subnet sent by SMP or GMP. `issuer_lid` is the
/// source LID of the packet. The report has it as IssuerLID, whatever the notice says.
Report report_of_trap(const mad::Notice& notice, fabric::PortIndex issuer, mad::Lid issuer_lid,
                      const fabric::Subnet& subnet, std::uint64_t subnet_prefix);

/// The destination of a report.
struct Recipient {
  ReportTarget target;
  Client client;  // the subscriber
  mad::Lid lid;   // its present base LID
  mad::Gid gid;
  bool operator==(const Recipient&) const = default;
};
/// The position at which a search for the recipients of one report continues.
struct RecipientPosition {
  Subscriptions::Entry next{.target = {.qpn = 0}};
  bool at_end = false;
};
/// Appends subscribers whose subscription matches by issuer (GID or LIDs), kind, type, number and
/// producer, that may get the report, and that have a LID. The order is by GUID and queue pair,
/// each once, however many of its subscriptions match. The search covers only subscriptions with
/// the trap number of the report, or to all traps: `steps` of them, and further ones of the latest
/// target. Returns how many it has searched.
std::size_t append_recipients(const Subscriptions& subscriptions, const fabric::Subnet& subnet,
                              const Report& report, std::uint64_t subnet_prefix,
                              RecipientPosition& position, std::size_t steps,
                              std::vector<Recipient>& out);

}  // namespace sa
