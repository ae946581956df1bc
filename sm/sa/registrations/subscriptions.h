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

/// One of a subscriber's subscriptions: GUID of the end port or vport, and InformInfoRecord's Enum.
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

/// True if both are one subscription of one queue pair: a client that got no response repeats its
/// request, which must not add a second one.
bool is_same_subscription(const mad::InformInfo& a, const mad::InformInfo& b);

class Subscriptions {
 public:
  using All = std::map<SubscriptionId, Subscription>;

  const All& all() const { return all_; }
  PortQuota& quota() { return quota_; }
  const PortQuota& quota() const { return quota_; }
  /// The subscriber's subscription with this InformInfo; null if there is none.
  const All::value_type* find(mad::Guid subscriber, const mad::InformInfo& inform_info) const;

  /// Adds it with the subscriber's lowest free number.
  SubscriptionId add(mad::Guid subscriber, const Subscription& subscription);
  /// Adds it with this number; replaces an existing one.
  void set(SubscriptionId id, const Subscription& subscription);
  void erase(SubscriptionId id);
  void clear();

  /// A report was acknowledged: resets the count of failures.
  void report_arrived(ReportTarget target) { failures_.erase(target); }
  /// A report was not acknowledged after all retries. True: this has happened too often for too
  /// long, and the subscriptions with this target were dropped.
  struct FailureLimit {
    unsigned reports = kFailedReports;
    std::chrono::seconds time = kFailedReportsFor;
  };
  bool report_failed(ReportTarget target, UnixTime now, FailureLimit limit);

  using Touched = std::set<SubscriptionId>;
  Touched take_touched() { return std::exchange(touched_, {}); }

  /// A subscription in the index by trap number, which is ordered by target.
  struct Entry {
    ReportTarget target;
    std::uint16_t number = 0;
    auto operator<=>(const Entry&) const = default;
    SubscriptionId id() const { return {target.subscriber, number}; }
  };
  using Entries = std::set<Entry>;
  /// Those with this TrapNumber, or DeviceID; InformInfo::kAll: those to all of them.
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

// Selection of the subscribers to which a notice is reported. Pure; sm/sa/report_sender.h sends and
// repeats.

/// A notice as subscribers get it: 64 bytes, followed by the IssuerGID (IBTA Vol 1, 13.4.8.2).
struct Report {
  mad::Notice notice;
  mad::Gid issuer_gid;
  std::vector<mad::PKey> about{};  // P_Keys of the subject: only trusted subscribers and those that
                                   // share one of these partitions get the report
};

/// Traps 64 and 65: the end port or vport of `subnet`, for 65 the last snapshot that had it.
/// `sm_lid` and `sm_gid` are the issuer's.
Report report_of_port(mad::TrapNumber trap, fabric::EndPoint end, const fabric::Subnet& subnet,
                      mad::Lid sm_lid, mad::Gid sm_gid, std::uint64_t subnet_prefix);
/// Traps 66 and 67.
Report report_of_group(const GroupNotice& notice, mad::Lid sm_lid, mad::Gid sm_gid);
/// A trap that a port of the subnet sent by SMP or GMP, from the LID `issuer_lid` by the transport:
/// that is the IssuerLID of the report, whatever the notice says.
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
/// Where a search for the recipients of one report goes on.
struct RecipientPosition {
  Subscriptions::Entry next{.target = {.qpn = 0}};
  bool at_end = false;
};
/// Appends subscribers whose subscription matches by issuer (GID or LIDs), kind, type, number and
/// producer, that may get it, and that have a LID; by GUID and queue pair, each once, however many
/// of its subscriptions match. Only subscriptions with the trap number of the report, or to all
/// traps, are searched: `steps` of them, and those that the latest target has besides. Returns how
/// many it has searched.
std::size_t append_recipients(const Subscriptions& subscriptions, const fabric::Subnet& subnet,
                              const Report& report, std::uint64_t subnet_prefix,
                              RecipientPosition& position, std::size_t steps,
                              std::vector<Recipient>& out);

}  // namespace sa
