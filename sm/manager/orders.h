#pragma once
// Orders executes orders of operators.

#include <spdlog/logger.h>

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "mad/computation.h"
#include "mad/runtime.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/ops/operator_commands.h"
#include "sm/store/isolation_orders.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Turns each order into requests to the scheduler. An order fails with a text if this manager is
/// not MASTER, or for the reasons that its comment lists.
class Orders {
 public:
  using Done = OperatorCommands::Done;
  /// Passes isolations to other managers.
  struct Sharing {
    std::function<bool()> takes_orders;  // false: the state of a predecessor replaces them soon
    std::function<void()> changed;
    /// Returns how many other managers have them, as Replication::shared() does.
    std::function<boost::asio::awaitable<std::optional<unsigned>>()> shared;
  };

  /// Owns none of the references.
  Orders(mad::Runtime& runtime, spdlog::logger& log, ManagerLoop& loop, Sweeper& sweeper,
         Mastership& mastership, Sharing sharing, std::function<sa::UnixTime()> wall_clock)
      : runtime_(runtime),
        log_(log),
        loop_(loop),
        sweeper_(sweeper),
        mastership_(mastership),
        sharing_(std::move(sharing)),
        saves_(std::make_shared<Saves>()),
        wall_clock_(std::move(wall_clock)) {}

  /// Reads the isolations that an earlier process has stored, off the runtime's thread: they are in
  /// force before the first sweep.
  boost::asio::awaitable<void> restore(mad::Computation& computation);

  /// Requests a sweep that chooses all routes again. It writes the difference in an order in which
  /// no forwarding loop is possible.
  Done rebalance();
  /// Requests a sweep that reads everything again, tables included, and writes what differs.
  Done resweep();
  /// Acts as if a trap said that something may have changed.
  Done light_resweep();
  /// Requests that all NodeDescriptions are read again. Errors: no subnet is known yet.
  Done update_descriptions();
  /// Isolate the links at NODE or NODE:PORT, or release them. These orders outlive the process.
  /// Errors: no node or port has this name; the disk does not take the order, and nothing changes.
  Done isolate(const IsolationRequest& request);
  Done release(std::string_view name);
  /// Ends the conditions of lost nodes and links of this name. Errors: there are none.
  Done forget(std::string_view name);
  /// Counts these orders: those that were made, and those that the latest sweep has put in force.
  OrderProgress progress() const;
  /// Returns when the orders up to now are in force and other managers have them: true, or false
  /// after kInForceMax.
  static constexpr mad::Duration kInForceMax = std::chrono::seconds(10);
  boost::asio::awaitable<bool> in_force();

  /// Returns the isolations that are ordered, by places.
  std::vector<StoredIsolation> isolations();
  /// Puts the isolations of another manager in force, in place of those that were, and stores them
  /// off the runtime's thread. The next pass applies them.
  void adopt(std::span<const StoredIsolation> isolations);
  /// Notes in the file that the state store has all of them: those that it lacks at a later start
  /// were released by another manager.
  void note_shared();
  /// True if the file has the isolations. Otherwise this begins to write it again.
  bool is_on_disk();

  /// Turns sweeps on or off. Requests, vports, groups and P_Keys are served in either case.
  void set_sweeping(bool on);
  /// Sets the priority until a reload or the end of the process, in place of sm_priority. A STANDBY
  /// that outranks the MASTER by it asks the MASTER to hand over.
  void set_priority(std::uint8_t priority) { mastership_.set_priority(priority); }

 private:
  Done require_master() const;
  /// Stores the orders of sweeper_, or takes them back to `before`.
  Done store_isolations(LinkSupervision::OperatorOrders before);
  /// Returns why an order to isolate or to release is refused now.
  Done may_isolate() const;
  tl::expected<void, std::string> save();
  void save_aside();
  LinkSupervision::Orders read(std::span<const StoredIsolation> stored);
  void note_times();
  Done sweep_nodes(const tl::expected<std::vector<mad::Guid>, std::string>& nodes,
                   std::string_view order);

  /// Orders the writes of one file by several threads; outlives this object with them.
  struct Saves {
    std::mutex mutex;
    std::uint64_t latest = 0;  // number of the latest orders; earlier ones are not written any more
  };

  mad::Runtime& runtime_;
  spdlog::logger& log_;
  ManagerLoop& loop_;
  Sweeper& sweeper_;
  Mastership& mastership_;
  const Sharing sharing_;
  /// The latest result of Sharing::shared; shared with coroutines that may outlive this object.
  const std::shared_ptr<std::optional<unsigned>> replicated_ =
      std::make_shared<std::optional<unsigned>>(0u);
  /// Stored times are wall-clock times, because the manager's own clock begins with the machine. A
  /// record keeps those that it was made with, whatever becomes of that clock.
  struct Times {
    mad::TimePoint since{};
    sa::UnixTime since_wall{};
    std::optional<sa::UnixTime> until_wall{};
    bool is_shared = false;
  };

  const std::shared_ptr<Saves> saves_;
  std::shared_ptr<const int> alive_ = std::make_shared<const int>(0);  // save_aside() outlives this
  enum class File : std::uint8_t { written, being_written, lacks_orders } file_ = File::written;
  std::string file_fault_;
  std::map<PortPlace, Times> times_;
  std::function<sa::UnixTime()> wall_clock_;
};

}  // namespace sm
