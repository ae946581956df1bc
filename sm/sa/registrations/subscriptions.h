#pragma once
// Who wants to hear of which notices (IBTA Vol 1, 13.4.11 and 15.4).

#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "mad/records/inform_info_record.h"
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
  mad::InformInfo inform_info;  // as it was asked for; QPN is where reports go
  bool trusted = false;         // asked for with the SA's key: hears of everybody, and of security
  bool operator==(const Subscription&) const = default;
};

/// The same wish of the same queue pair: a subscription that is asked for again, as clients do that
/// got no answer, is still one.
bool is_same_wish(const mad::InformInfo& a, const mad::InformInfo& b);

class Subscriptions {
 public:
  using All = std::map<SubscriptionId, Subscription>;

  const All& all() const { return all_; }
  PortQuota& quota() { return quota_; }
  const PortQuota& quota() const { return quota_; }
  /// The subscriber's subscription with this wish; null if there is none.
  const All::value_type* find(mad::Guid subscriber, const mad::InformInfo& wish) const;

  /// Under the subscriber's lowest free number.
  SubscriptionId add(mad::Guid subscriber, const Subscription& subscription);
  /// Under this very number; one that is there is replaced.
  void set(SubscriptionId id, const Subscription& subscription);
  void erase(SubscriptionId id);
  void clear();
  /// Drops all of subscribers that are gone.
  void forget_ports(const std::function<bool(mad::Guid)>& gone);

  /// A report was acknowledged: the subscriber lives.
  void report_arrived(SubscriptionId id) { failures_.erase(id); }
  /// A report got no acknowledgement, however often it was sent. True: this has happened too often
  /// for too long, and the subscription is gone.
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

/// Set(InformInfo): subscribes, or takes a subscription back.
Outcome set_inform_info(Registrations& registrations, const View& view, const Query& query,
                        UnixTime now);
/// Get and GetTable of InformInfoRecord. The QPN is shown only to who is trusted.
extern const RecordType kInformInfoRecordType;

}  // namespace sa
