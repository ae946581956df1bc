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

/// At the end of each period a MASTER begins another version of the keys (KeyVersion): the version
/// is given to the state store, then a pass stores it on disk and sends one Set(PortInfo) to each
/// end port. Ports that do not answer keep the key that they have until a sweep reaches them:
/// guid2mkey and the version before say which.
class KeyChanges {
 public:
  /// After a change that could not be stored.
  static constexpr mad::Duration kRetry = std::chrono::minutes(1);

  /// None of the references is owned.
  KeyChanges(spdlog::logger& log, ManagerLoop& loop, Sweeper& sweeper, const Mastership& mastership,
             Replication& replication, std::function<std::chrono::sys_seconds()> wall_clock)
      : log_(log),
        loop_(loop),
        sweeper_(sweeper),
        mastership_(mastership),
        replication_(replication),
        wall_clock_(std::move(wall_clock)) {}

  /// When change() is to be called; TimePoint::max(): never.
  mad::TimePoint due() const;
  /// Begins another version, and requests that ports get its keys.
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
