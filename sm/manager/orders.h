#pragma once
// Orders of operators.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/computation.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/ops/operator_commands.h"
#include "sm/store/isolation_orders.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Turns each order into requests to the scheduler. Errors of an order, in words: this manager is
/// not MASTER, and what else is said.
class Orders {
 public:
  using Done = tl::expected<void, std::string>;

  /// None of the references is owned.
  Orders(spdlog::logger& log, ManagerLoop& loop, Sweeper& sweeper, Mastership& mastership,
         std::function<sa::UnixTime()> wall_clock)
      : log_(log),
        loop_(loop),
        sweeper_(sweeper),
        mastership_(mastership),
        wall_clock_(std::move(wall_clock)) {}

  /// Reads the isolations that an earlier process has stored, beside the runtime's thread: they are
  /// in force before the first sweep.
  boost::asio::awaitable<void> restore(mad::Computation& computation);

  /// The next sweep chooses all routes again, and writes what differs in the order in which no
  /// forwarding loop is possible.
  Done rebalance();
  /// Everything is read again, tables included, and what differs is written.
  Done resweep();
  /// Acts as if a trap said that something may have changed.
  Done light_resweep();
  /// All NodeDescriptions are read again. Errors: no subnet is known yet.
  Done update_descriptions();
  /// The links at NODE or NODE:PORT are kept out of use, or are released. These orders outlive the
  /// process. Errors: there is none of this name.
  Done isolate(const IsolationRequest& request);
  Done release(std::string_view name);
  /// Ends the conditions of nodes and links of this name that were lost. Errors: there are none.
  Done forget(std::string_view name);

  /// While it is off, sweeps wait; requests, vports, groups and P_Keys are served.
  void set_sweeping(bool on);
  /// From now on, until a reload or the end: as if it were sm_priority. A STANDBY that outranks the
  /// MASTER by it asks that one to hand over.
  void set_priority(std::uint8_t priority) { mastership_.set_priority(priority); }

 private:
  void store_isolations();
  void restore_isolations(const LoadedIsolations& stored);
  Done sweep_nodes(const tl::expected<std::vector<mad::Guid>, std::string>& nodes,
                   std::string_view order);

  spdlog::logger& log_;
  ManagerLoop& loop_;
  Sweeper& sweeper_;
  Mastership& mastership_;
  std::function<sa::UnixTime()> wall_clock_;
};

}  // namespace sm
