#pragma once
// Subscriptions to notices (IBTA Vol 1, 13.4.11 and 15.4).

#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "mad/records/inform_info.h"
#include "sm/sa/query/record_type.h"
#include "sm/sa/registrations/limits.h"
#include "sm/sa/registrations/outcome.h"

namespace sa {

/// One of a subscriber's subscriptions: the port GUID and InformInfoRecord's Enum.
struct SubscriptionId {
  mad::Guid subscriber;
  std::uint16_t number = 0;
  auto operator<=>(const SubscriptionId&) const = default;
};

struct Subscription {
  mad::InformInfo inform_info;  // as requested; QPN is the destination of reports
  bool trusted = false;  // requested with sa_key: gets notices of all ports, and security notices
  bool operator==(const Subscription&) const = default;
};

/// The same subscription of the same queue pair: a client that got no response repeats its request,
/// which must not add a second one.
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
  /// Drops all subscriptions of the subscribers for which `gone` is true.
  void forget_ports(const std::function<bool(mad::Guid)>& gone);

  /// A report was acknowledged: resets the count of failures.
  void report_arrived(SubscriptionId id) { failures_.erase(id); }
  /// A report was not acknowledged after all retries. True: this has happened too often for too
  /// long, and the subscription was dropped.
  struct Patience {
    unsigned reports = kFailedReports;
    std::chrono::seconds time = kFailedReportsFor;
  };
  bool report_failed(SubscriptionId id, UnixTime now, Patience patience);

  using Touched = std::set<SubscriptionId>;
  Touched take_touched() { return std::exchange(touched_, {}); }

 private:
  All all_;
  PortQuota quota_;
  struct Failures {  // in a row
    unsigned count = 0;
    UnixTime since;
  };
  std::map<SubscriptionId, Failures> failures_;
  Touched touched_;
};

/// Set(InformInfo): subscribes or unsubscribes.
Outcome set_inform_info(Registrations& registrations, const View& view, const Query& query,
                        UnixTime now);
/// Get and GetTable of InformInfoRecord. The QPN is shown only to trusted requesters.
extern const RecordType kInformInfoRecordType;

}  // namespace sa
