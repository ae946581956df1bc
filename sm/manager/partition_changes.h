#pragma once
// PartitionChanges applies partitions of the API in a manager.

#include <spdlog/logger.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mad/computation.h"
#include "sm/conditions/condition_log.h"
#include "sm/manager/manager_loop.h"
#include "sm/manager/mastership.h"
#include "sm/partitions/partition_service.h"
#include "sm/partitions/partition_store.h"
#include "sm/sweep/pass_request.h"
#include "sm/sweep/sweeper.h"

namespace sm {

/// Brings partitions of the API from the store to the fabric. A change is accepted only from
/// clients of the MASTER, and is in the journal and in the replicated store before it is answered.
/// It takes effect between two pieces of work of the loop, and is applied when a pass has written
/// it.
class PartitionChanges {
 public:
  /// Owns none of the references.
  struct Parts {
    mad::Runtime& runtime;
    ConditionLog& conditions;
    spdlog::logger& log;
    ManagerLoop& loop;
    Sweeper& sweeper;
    const Mastership& mastership;
    std::weak_ptr<StateReplica> replica;  // empty: no store is shared with other managers
  };
  PartitionChanges(const Parts& parts, std::function<partitions::UnixTime()> wall_clock);

  // ---- the loop

  /// Reads the journal and the origins of P_Keys off the runtime's thread, once, before anything is
  /// programmed.
  boost::asio::awaitable<void> open(mad::Computation& computation);
  /// Puts the stored partitions in force, between two pieces of work, and reports whether other
  /// managers lack them.
  void take();
  /// True if the store has partitions that are not in force.
  bool has_stored() const { return loop_.context()->runtime != store_->current(); }
  /// Removes what has expired; called when this manager has become MASTER.
  void check_expiry() { store_->check_expiry(); }

  // ---- passes

  /// Returns the changes since the latest call, for a pass that begins.
  MemberChanges take_changes() {
    resolved_begun_ = resolved_;
    return std::exchange(changes_, {});
  }
  /// Handles the end of a pass that decided all partitions with `context`.
  void applied(const PassResult& result, const SweepContext& context);

  /// Ends kept P_Keys (SM-PARTITION-KEPT) of these ports: the next pass removes a key for which no
  /// membership exists. Called for what a person decides; on() does so for memberships that end.
  void resolve(std::span<const partitions::MembershipKey> kept);
  void resolve(std::uint16_t key, mad::Guid guid) {
    const partitions::MembershipKey one{.key = key, .guid = guid};
    resolve(std::span(&one, 1));
  }

  /// Returns the service for threads other than the runtime's. `control` is the executor of the
  /// runtime. This object must outlive all calls.
  PartitionService service(const boost::asio::any_io_executor& control);

  /// Returns the store, which exchanges partitions with the replicated store.
  PartitionStore& store() { return *store_; }

 private:
  using SharedAbsent = std::shared_ptr<const std::vector<AbsentNode>>;
  SharedAbsent find_absent() const;
  boost::asio::awaitable<PartitionSnapshot> snapshot();
  boost::asio::awaitable<tl::expected<KeptResolved, ChangeFailure>> resolve_kept(
      KeptRequest request, std::string by);
  boost::asio::awaitable<tl::expected<Changed, ChangeFailure>> change(
      partitions::Change change, std::string by, std::optional<mad::Duration> wait);
  /// Handles a change that was stored.
  void on(const PartitionsStored& stored);
  std::string refusal() const;
  std::vector<std::string_view> managers_without_partitions(const StateReplica* replica) const;
  void report_standbys();

  spdlog::logger& log_;
  ConditionLog& conditions_;
  ManagerLoop& loop_;
  Sweeper& sweeper_;
  const Mastership& mastership_;
  const std::function<partitions::UnixTime()> wall_clock_;
  const std::weak_ptr<StateReplica> replica_;
  AppliedRevisions applied_;
  std::uint64_t resolved_ = 0, resolved_begun_ = 0;  // calls of resolve(); before the latest pass
  AppliedRevisions resolved_applied_;
  MemberChanges changes_;  // not in the fabric yet
  const std::shared_ptr<PartitionStore> store_;
};

}  // namespace sm
