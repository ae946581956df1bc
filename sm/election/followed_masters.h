#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>

#include "fabric/condition.h"
#include "mad/runtime.h"

namespace sm {

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
  /// This manager is standby of `master`, its PortGUID, from now on. `name`: of its port.
  void follow(mad::Guid master, const std::string& name, mad::TimePoint now);
  /// SM-MASTER-UNEXPECTED, unless `allowed` (allowed_sm_guids) has the master.
  std::optional<Condition> unexpected(std::span<const std::uint64_t> allowed) const;

 private:
  std::deque<mad::Guid> followed_;
  std::optional<mad::TimePoint> leads_since_;
  std::optional<Condition> unexpected_;
};

}  // namespace sm
