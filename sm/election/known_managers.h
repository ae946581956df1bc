#pragma once
// All that this manager remembers of other subnet managers: which there are, which led it, and
// which did not do their part.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/condition.h"
#include "fabric/subnet.h"
#include "mad/attributes/sm_info.h"
#include "mad/backoff.h"
#include "mad/runtime.h"

namespace sm {

struct KnownManager {
  mad::Guid guid;    // of its port
  std::string name;  // description, GUID and port
  std::uint8_t priority = 0;
  mad::SmState state{};
  bool counts = true;  // false: treated as absent; a condition says why

  bool operator==(const KnownManager&) const = default;
};

/// As they were when SMInfo was read latest.
class KnownManagers {
 public:
  /// At most this many are listed: any host can say that it is one.
  static constexpr std::size_t kMax = 64;

  /// Lines for the log: which appeared, changed or disappeared.
  std::vector<std::string> replace(std::vector<KnownManager> now);
  /// A poll: state and priority of one of them. A line if they changed, else "".
  std::string update(const mad::SmInfo& info);
  const std::vector<KnownManager>& list() const { return list_; }

 private:
  std::vector<KnownManager> list_;
};

/// Distinguishes a planned failover from an unexpected subnet manager. The latter takes the subnet
/// over from a manager that had led it for kLed or longer, and that had never been its standby.
/// Pure: the time is passed in.
class FollowedMasters {
 public:
  /// Managers that begin together settle their ranks within this time.
  static constexpr mad::Duration kLed = std::chrono::minutes(10);
  /// Hosts could name ever more GUIDs; the oldest is forgotten.
  static constexpr std::size_t kRemembered = 64;

  /// This manager is MASTER.
  void lead(mad::TimePoint now);
  /// This manager is no longer MASTER by order: none takes the subnet over from it.
  void resign() { leads_since_.reset(); }
  /// This manager is standby of `master`, its PortGUID, from now on. `name`: of its port. Returns
  /// true if this manager has been MASTER until now.
  bool follow(mad::Guid master, const std::string& name, mad::TimePoint now);
  /// SM-MASTER-UNEXPECTED, unless `allowed` (allowed_sm_guids) has the master.
  std::optional<Condition> unexpected(std::span<const std::uint64_t> allowed) const;

 private:
  std::deque<mad::Guid> followed_;
  std::optional<mad::TimePoint> leads_since_;
  std::optional<Condition> unexpected_;
};

/// SMs that did not do their part: they did not become MASTER after a HANDOVER, or as the ones of
/// highest rank; or they stay MASTER beside one of higher rank. They are passed over for a pause
/// that grows, so that one that does not do its part cannot keep the subnet without a master.
class PassedOver {
 public:
  static constexpr mad::Duration kPauseFirst = std::chrono::seconds(10),
                                 kPauseLast = std::chrono::minutes(10);
  static constexpr std::size_t kMax = 256;  // what does not fit is not passed over

  /// The pause of one that did its part for kPauseLast begins at kPauseFirst again.
  void add(mad::Guid sm, mad::TimePoint now);
  /// Returns the managers whose pause has not ended.
  std::vector<mad::Guid> at(mad::TimePoint now) const;

 private:
  struct Entry {
    mad::Backoff pause{kPauseFirst, kPauseLast};
    mad::TimePoint until{};
  };
  std::map<mad::Guid, Entry> entries_;
};

/// The HANDOVER that this MASTER has sent and that has no outcome yet.
struct Handover {
  OtherSm to;
  std::shared_ptr<const Fabric> fabric;  // of the survey that found it
};

}  // namespace sm
