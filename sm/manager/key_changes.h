#pragma once
// KeyChanges decides when the keys of ports are changed (periodic_key_update).

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>

#include "mad/runtime.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/manager/replication.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Begins another version of the keys (KeyVersion) at the end of each period, while this manager is
/// MASTER. The version is given to the state store; then a pass stores it on disk and sends one
/// Set(PortInfo) to each end port. A port that does not answer keeps its key until a sweep reaches
/// it: guid2mkey and the previous version contain this key.
class KeyChanges {
 public:
  /// A change that could not be stored is tried again after this time.
  static constexpr mad::Duration kRetry = std::chrono::minutes(1);

  /// Owns none of the references.
  KeyChanges(spdlog::logger& log, ManagerLoop& loop, Sweeper& sweeper, const Mastership& mastership,
             Replication& replication, std::function<std::chrono::sys_seconds()> wall_clock)
      : log_(log),
        loop_(loop),
        sweeper_(sweeper),
        mastership_(mastership),
        replication_(replication),
        wall_clock_(std::move(wall_clock)) {}

  /// Returns when to call change(); TimePoint::max() means never.
  mad::TimePoint due() const;
  /// Begins another version, and requests a pass that gives ports its keys.
  boost::asio::awaitable<void> change();

 private:
  spdlog::logger& log_;
  ManagerLoop& loop_;
  Sweeper& sweeper_;
  const Mastership& mastership_;
  Replication& replication_;
  std::function<std::chrono::sys_seconds()> wall_clock_;
  mad::TimePoint changed_{}, not_before_{};
};

}  // namespace sm
