#pragma once
// Holds services that ports have registered, until their lease ends (IBTA Vol 1, 15.2.5.14).

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "mad/records/service_record.h"
#include "sm/sa/registrations/outcome.h"
#include "sm/sa/registrations/registration_limits.h"

namespace sa {

/// The key of a service: the RID of a ServiceRecord.
struct ServiceRid {
  std::uint64_t id = 0;
  mad::Gid gid;  // canonical_gid() in registrations
  mad::PKey p_key;
  auto operator<=>(const ServiceRid&) const = default;
};
inline ServiceRid rid_of(const mad::ServiceRecord& record) {
  return {record.service_id(), record.service_gid(), record.p_key()};
}

/// No lease ends after this time, in the year 2514. A lease is 2^32 s at most.
inline constexpr UnixTime kLastExpiry{std::chrono::seconds{std::int64_t{1} << 34}};

struct Service {
  mad::ServiceRecord record;          // as it was registered, with its whole lease
  std::optional<UnixTime> expires{};  // nullopt: never
  mad::Guid registered_by{};          // GUID of the end port or vport that registered it
  mad::Guid registered_at{};  // PortGUID of that vport's physical port; Guid{}: it was no vport
  bool operator==(const Service&) const = default;

  /// Returns the client whose quotas include this service.
  Client client() const { return make_client(registered_by, registered_at); }
  /// True if the lease has ended. The service then appears in no answer, and is dropped soon.
  bool has_ended(UnixTime now) const { return expires && *expires <= now; }
};

class Services {
 public:
  using All = std::map<ServiceRid, Service>;

  const Service* find(const ServiceRid& key) const {
    const auto found = all_.find(key);
    return found == all_.end() ? nullptr : &found->second;
  }
  const All& all() const { return all_; }
  PortQuota& quota() { return quota_; }
  const PortQuota& quota() const { return quota_; }

  /// Adds the service; replaces an existing one with the same key.
  void set(Service service);
  void erase(const ServiceRid& key);
  /// Drops the services for whose ServiceGID `gone` is true.
  void forget(const std::function<bool(mad::Gid)>& gone);
  /// Drops services whose lease has ended, kExpireAtOnce at most: about 1 ms. Returns the time of
  /// the next expiry, which has passed if some are left, or nullopt if no lease runs.
  std::optional<UnixTime> expire(UnixTime now);
  static constexpr unsigned kExpireAtOnce = 1024;
  /// Drops this service if its lease has ended.
  void expire(const ServiceRid& key, UnixTime now);
  /// Returns the time of the last change or expire(), from which remaining leases are computed.
  UnixTime as_of() const { return now_; }
  void set_time(UnixTime now) { now_ = now; }

  using Touched = std::set<ServiceRid>;
  Touched take_touched() { return std::exchange(touched_, {}); }

 private:
  All all_;
  std::set<std::pair<UnixTime, ServiceRid>> ends_;
  PortQuota quota_;
  UnixTime now_{};
  Touched touched_;
};

}  // namespace sa
